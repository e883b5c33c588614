package keywords

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
)

var update = flag.Bool("update", false, "write the module of Python")

// The constructors of the Python estimators have each setting of the table once.
func TestPython(t *testing.T) {
	path := filepath.Join("..", "src", "ehgnn", "_settings.py")
	want := Python()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of settings makes; go test ./python/keywords -update writes it", path)
	}
}

// Every name in without is a setting, and no setting is left out of both classes.
func TestWithout(t *testing.T) {
	for _, c := range classes {
		for _, name := range c.without {
			if _, ok := settings.FindOption(name); !ok {
				t.Errorf("%s leaves out %q, which is no setting", c.name, name)
			}
		}
	}
	files := []string{"format", "name", "nodes", "sheet", "smiles", "explicit-hydrogens", "on-invalid", "node-lr", "seed-scale", "decoder-sees-edges", "node-clusters"}
	for _, o := range settings.Options() {
		if slices.Contains(classes[0].without, o.Name) && slices.Contains(classes[1].without, o.Name) && !slices.Contains(files, o.Name) {
			t.Errorf("%q is left out of all classes", o.Name)
		}
	}
}
