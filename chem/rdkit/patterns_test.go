//go:build rdkit

package rdkit

import (
	"strings"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

func TestPatterns(t *testing.T) {
	tk := must[chem.Toolkit](t)(Toolkit())
	p := must[chem.Patterns](t)(tk.Patterns("[N,O]-[F,Cl]", "[$(C(=O)[OH])]", "c1ccccc1"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for smiles, want := range map[string]int{"CC": -1, "CNF": 0, "CC(=O)O": 1, "Cc1ccccc1": 2, "OC(=O)c1ccccc1": 1} {
				m, err := tk.Parse(smiles)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := p.First(m); err != nil || got != want {
					t.Errorf("%s: pattern %d, %v, expected %d", smiles, got, err, want)
				}
				m.Close()
				if _, err := p.First(m); err != chem.ErrClosed {
					t.Errorf("%s: %v of a closed molecule", smiles, err)
				}
			}
		})
	}
	wg.Wait()
	for smarts, want := range map[string]string{"": "expected SMARTS", "C C": "expected SMARTS", "C(": `the SMARTS "C(" does not parse`, "C\n": "expected SMARTS"} {
		if _, err := tk.Patterns("C", smarts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", smarts, err, want)
		}
	}
}

func TestCatalogue(t *testing.T) {
	tk := must[chem.Toolkit](t)(Toolkit())
	for _, c := range []struct {
		name, smiles string
		want         int
	}{
		{"pains", "O=C1C(=Cc2ccccc2)SC(=S)N1C", 0}, {"pains", "CCO", -1},
		{"brenk", "CC(=O)Cl", 0}, {"brenk", "c1ccncc1", -1}, {"nih", "CCN=[N+]=[N-]", 0}, {"nih", "CCO", -1},
	} {
		p := must[chem.Patterns](t)(tk.Catalogue(c.name))
		if got := must[int](t)(p.First(parsed(t, c.smiles))); got != c.want {
			t.Errorf("%s: %s: %d, expected %d", c.name, c.smiles, got, c.want)
		}
	}
	if _, err := tk.Catalogue("none"); err == nil || !strings.Contains(err.Error(), "there are pains, brenk, nih") {
		t.Errorf("%v", err)
	}
}

func TestRings(t *testing.T) {
	for smiles, want := range map[string]chem.Rings{
		"CCC=C=C":         {},
		"c1ccc2ccccc2c1":  {Largest: 6, Aromatic: 2},
		"C1CCC2CCC=CC2C1": {Largest: 6},
		"C1=CC1":          {Largest: 3, SmallDoubles: 1},
		"C1CCC1=C1CCC1":   {Largest: 4, SmallDoubles: 1},
		"C1=C=CCCC1":      {Largest: 6, Allenes: 1},
		"C1CCCCCC1C=C":    {Largest: 7},
		"c1ccc2c(c1)CC2":  {Largest: 6, Aromatic: 1},
	} {
		if got := must[chem.Rings](t)(parsed(t, smiles).Rings()); got != want {
			t.Errorf("%s: %+v, expected %+v", smiles, got, want)
		}
	}
}

// The bounds of fingerprints of roles and of pairs.
func TestCountsBounds(t *testing.T) {
	m := parsed(t, "CCO")
	if _, err := m.FeatureCounts(-1); err == nil {
		t.Error("a radius of -1")
	}
	if _, err := m.PairCounts(0); err == nil {
		t.Error("pairs 0 bonds apart")
	}
	if pairs := must[[]chem.Count](t)(m.PairCounts(10)); len(pairs) != 3 {
		t.Errorf("%v, expected three pairs of atoms", pairs)
	}
}

func FuzzPatterns(f *testing.F) {
	for _, s := range []string{"[N,O]-[F,Cl]", "[$(C(=O)O)]", "c1ccccc1", "[#6;X3]~[R]", "C(", "[!#1"} {
		f.Add(s)
	}
	tk, err := Toolkit()
	if err != nil {
		f.Fatal(err)
	}
	m, err := tk.Parse("CC(=O)Oc1ccccc1C(=O)O")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, smarts string) {
		p, err := tk.Patterns(smarts)
		if err != nil {
			return
		}
		if first, err := p.First(m); err == nil && (first < -1 || first > 0) {
			t.Errorf("%q: pattern %d of one", smarts, first)
		}
	})
}
