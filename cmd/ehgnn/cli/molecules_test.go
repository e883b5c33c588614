package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A build without chemistry refuses tables of molecules in a line that names the build that
// reads them.
func TestMoleculesWithoutChemistry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "molecules.csv")
	if err := os.WriteFile(path, []byte("smiles,toxic\nCCO,1\nCC,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"train", path}, {"data", "info", path}, {"train", path, "--smiles", "toxic"},
		{"generate", path}, {"reproduce", "molgan", "--dataset", path}} {
		r := program(t, args...)
		if r.code != 2 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "make build-chem") {
			t.Errorf("%q: exit code %d, %q", args, r.code, r.stderr)
		}
	}
}
