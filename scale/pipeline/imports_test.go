package pipeline_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Only this package imports Beam, and only the program imports this package.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/ehgnn/ehgnn/scale/"
	for line := range strings.Lines(string(out)) {
		imports := strings.Fields(line)
		for _, to := range imports[1:] {
			if strings.HasPrefix(to, "github.com/apache/beam/") && imports[0] != module+"pipeline" || to == module+"pipeline" && imports[0] != module+"cmd/ehgnn-scale" {
				t.Errorf("%s imports %s", imports[0], to)
			}
		}
	}
}
