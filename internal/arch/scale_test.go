package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scaleLayers are the packages of the module in scale/ from the bottom up, like layers.
var scaleLayers = []string{"store", "visit", "local", "sample", "pipeline", "cmd/ehgnn-scale"}

// The main module requires no module of this repository and not Apache Beam. The modules in scale/,
// webtest/ and test/ require the main module.
func TestModules(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		if strings.Contains(line, "apache/beam") || strings.Contains(line, module+"/") {
			t.Errorf("go.mod of the core has the line %q", strings.TrimSpace(line))
		}
	}
}

// Each package of the module in scale/ imports only packages below it. Only pipeline imports Beam.
func TestScale(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "scale"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(filepath.Join(root, "scale"), filepath.Dir(path))
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(name, "internal/") { // for tests
			return nil
		}
		found[name] = true
		at := slices.Index(scaleLayers, name)
		if at < 0 {
			t.Errorf("package scale/%s is in no layer: add it here and to docs/architecture.md", name)
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			of, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasPrefix(of, "github.com/apache/beam") && name != "pipeline" {
				t.Errorf("%s imports %s, which is for scale/pipeline", path, of)
			}
			if below, ours := strings.CutPrefix(of, module+"/scale/"); ours && slices.Index(scaleLayers, below) >= at {
				t.Errorf("%s imports %s, which is not below it", path, of)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scaleLayers {
		if !found[name] {
			t.Errorf("there is no package scale/%s", name)
		}
	}
}
