//go:build rdkit

package rdkit

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/golden"
)

// TestMain leaves no garbage behind, in which LeakSanitizer would find pointers to what was
// leaked (make chem-leak).
func TestMain(m *testing.M) {
	code := m.Run()
	debug.FreeOSMemory()
	os.Exit(code)
}

type goldenMolecule struct {
	ID                                      int
	SMILES, Canonical, Murcko, MurckoChiral string
	Atoms, Bonds                            int
}

// molecules are the molecules that the ids of the other documents name.
func molecules(t testing.TB) []goldenMolecule {
	var doc struct {
		Molecules []struct {
			goldenMolecule
			MurckoChiral string `json:"murcko_chiral"`
		}
	}
	golden.Document(t, "chem/testdata/molecules.json.gz", &doc)
	list := make([]goldenMolecule, len(doc.Molecules))
	for i, m := range doc.Molecules {
		list[i] = m.goldenMolecule
		list[i].MurckoChiral = m.MurckoChiral
	}
	return list
}

func kit(t testing.TB) chem.Toolkit {
	t.Helper()
	tk, err := Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func parsed(t testing.TB, smiles string) chem.Molecule {
	t.Helper()
	m, err := kit(t).Parse(smiles)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// must returns v where nothing failed.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// smiles is the canonical SMILES of m.
func smilesOf(t testing.TB, m chem.Molecule) string {
	t.Helper()
	return must[string](t)(m.SMILES())
}
