//go:build rdkit

package mars

import (
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/golden"
)

func kit(t testing.TB) chem.Toolkit {
	t.Helper()
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// molecules returns the molecules of chem/testdata.
func molecules(t testing.TB) (smiles []string) {
	t.Helper()
	var doc struct{ Molecules []struct{ SMILES string } }
	golden.Document(t, "chem/testdata/molecules.json.gz", &doc)
	for _, m := range doc.Molecules {
		smiles = append(smiles, m.SMILES)
	}
	return smiles
}

// editor returns an editor with the arms of molecules, the listed arms first.
func editor(t testing.TB, first ...string) *Editor {
	t.Helper()
	v, err := Extract(t.Context(), kit(t), molecules(t), ExtractConfig{Size: 300, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		first := Arm{SMILES: first[len(first)-1-i]}
		v.Arms = append([]Arm{first}, v.Arms...)
	}
	e, dropped, err := NewEditor(kit(t), v, MaxAtoms)
	if err != nil || len(dropped) > 0 {
		t.Fatal(dropped, err)
	}
	t.Cleanup(e.Close)
	return e
}

func read(t testing.TB, e *Editor, smiles string) *Molecule {
	t.Helper()
	m, err := e.Read(smiles)
	if err != nil {
		t.Fatalf("%s: %v", smiles, err)
	}
	return m
}
