package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var (
	stageList = regexp.MustCompile(`(?m)^stages="([a-z ]+)"$`)
	stageCase = regexp.MustCompile(`(?m)^\t([a-z]+)\)`)
)

// The workflow on GitHub runs every stage of .ci/run, by its name, and also stages that need the
// network or other versions of Python.
func TestStages(t *testing.T) {
	root := filepath.Join("..", "..")
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	var stages, cases []string
	if m := stageList.FindSubmatch(script); m != nil {
		stages = strings.Fields(string(m[1]))
	}
	for _, m := range stageCase.FindAllSubmatch(script, -1) {
		cases = append(cases, string(m[1]))
	}
	if len(stages) < 10 || !slices.Equal(stages, cases) {
		t.Errorf(".ci/run lists the stages %q and has cases for %q", stages, cases)
	}
	var workflow struct {
		Jobs struct {
			Stage struct {
				Strategy struct{ Matrix struct{ Stage []string } }
				Steps    []struct{ Run string }
			}
			Govulncheck, Pythons struct{ Steps []struct{ Run string } }
		}
	}
	text, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	stage := workflow.Jobs.Stage
	if got := stage.Strategy.Matrix.Stage; !slices.Equal(got, stages) {
		t.Errorf("the workflow runs the stages %q, .ci/run has %q", got, stages)
	}
	if last := stage.Steps[len(stage.Steps)-1].Run; last != ".ci/run ${{ matrix.stage }}" {
		t.Errorf("the last step of a stage is %q", last)
	}
	for command, steps := range map[string][]struct{ Run string }{
		"go run golang.org/x/vuln/cmd/govulncheck@": workflow.Jobs.Govulncheck.Steps, "make test-python-versions": workflow.Jobs.Pythons.Steps,
	} {
		if !slices.ContainsFunc(steps, func(s struct{ Run string }) bool { return strings.HasPrefix(s.Run, command) }) {
			t.Errorf("no job of the workflow has the step %q", command)
		}
	}
}

// Configuration files for other programs are valid YAML.
func TestYAML(t *testing.T) {
	root := os.DirFS(filepath.Join("..", ".."))
	files := []string{".golangci.yml", "CITATION.cff"}
	for _, pattern := range []string{".github/*/*.yml", ".github/*.yml"} {
		more, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) < 6 {
		t.Errorf("only %q", files)
	}
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
