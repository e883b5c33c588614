//go:build rdkit

package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The pictures of molecules in docs/pictures equal those that the commands make: 20 molecules of 10 to 80 atoms, and one molecule.
func TestMoleculePictures(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	data := filepath.Join(folder(t, map[string]string{"molecules.csv": chains()}), "molecules.csv")
	succeed(t, "train", data, "--model", "hyperdrop", "--out", run, "--epochs", "10", "--hidden", "16", "--quiet")
	graphs := make([]string, 20)
	for k := range graphs {
		graphs[k] = fmt.Sprint(k + 1)
	}
	docPicture{"explain-molecules", "", "--width 984 --graph " + strings.Join(graphs, ",")}.check(t, run)
	docPicture{"explain-molecule", "", "--graph 5"}.check(t, run)
}

// chains is a table of molecules of growing size. Molecules with a sulfonamide are active.
func chains() string {
	units := []string{"c1ccc(cc1)", "C(=O)N", "C1CCN(CC1)", "CC(C)", "S(=O)(=O)N", "c1ccc(nc1)", "C(F)(F)"}
	var b strings.Builder
	b.WriteString("smiles,active\n")
	for k := range 60 {
		text, atoms := "CO", 3
		for i := k; atoms < 10+(k%20)*7/2; i += 1 + k%3 {
			unit := units[i%len(units)]
			text += unit
			atoms += strings.Count(strings.ToLower(unit), "c") + strings.Count(strings.ToLower(unit), "n") + strings.Count(unit, "O") + strings.Count(unit, "F") + strings.Count(unit, "S")
		}
		active := 0
		if strings.Contains(text, "S(") {
			active = 1
		}
		fmt.Fprintf(&b, "%sC,%d\n", text, active)
	}
	return b.String()
}
