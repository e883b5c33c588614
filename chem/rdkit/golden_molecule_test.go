//go:build rdkit

package rdkit

import (
	"errors"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/golden"
)

func TestMolecules(t *testing.T) {
	all := molecules(t)
	if len(all) != 353 {
		t.Fatalf("%d molecules", len(all))
	}
	for _, g := range all {
		m := parsed(t, g.SMILES)
		if m.NumAtoms() != g.Atoms || m.NumBonds() != g.Bonds {
			t.Errorf("%s: %d atoms, %d bonds, want %d, %d", g.SMILES, m.NumAtoms(), m.NumBonds(), g.Atoms, g.Bonds)
		}
		canonical := smilesOf(t, m)
		if canonical != g.Canonical {
			t.Errorf("%s: canonical %s, want %s", g.SMILES, canonical, g.Canonical)
		}
		if again := smilesOf(t, parsed(t, canonical)); again != canonical {
			t.Errorf("%s: parsed again %s", canonical, again)
		}
		if s := must[string](t)(m.Scaffold(false)); s != g.Murcko {
			t.Errorf("%s: scaffold %s, want %s", g.SMILES, s, g.Murcko)
		}
		if s := must[string](t)(m.Scaffold(true)); s != g.MurckoChiral {
			t.Errorf("%s: chiral scaffold %s, want %s", g.SMILES, s, g.MurckoChiral)
		}
	}
}

func TestInvalid(t *testing.T) {
	var doc struct {
		Invalid []struct {
			SMILES, Reason string
			Message        string
		}
	}
	golden.Document(t, "chem/testdata/invalid.json.gz", &doc)
	if len(doc.Invalid) != 50 {
		t.Fatalf("%d rows", len(doc.Invalid))
	}
	for _, g := range doc.Invalid {
		m, err := kit(t).Parse(g.SMILES)
		var e *chem.Error
		if !errors.As(err, &e) || m != nil {
			t.Errorf("%s: molecule %v, error %v", g.SMILES, m, err)
			continue
		}
		if e.Class.String() != g.Reason || e.SMILES != g.SMILES || (g.Message != "" && e.Text != g.Message) {
			t.Errorf("%s: %v, want %s %s", g.SMILES, err, g.Reason, g.Message)
		}
	}
}

// A reason of a syntax error is one line without time stamp or input.
func TestReasons(t *testing.T) {
	for smiles, want := range map[string]string{
		"C1CC":           `chem: syntax: unclosed ring in SMILES "C1CC"`,
		"CC)":            `chem: syntax: extra close parentheses in SMILES "CC)"`,
		"C==C":           `chem: syntax: syntax error in SMILES "C==C"`,
		"C\nC":           `chem: syntax: character "\n" at position 2 in SMILES "C\nC"`,
		"C\xffC":         `chem: syntax: character "\xff" at position 2 in SMILES "C\xffC"`,
		"C\x00C":         `chem: syntax: character "\x00" at position 2 in SMILES "C\x00C"`,
		"":               "chem: invalid: 0 characters, expected 1 to 10000",
		"C(C)(C)(C)(C)C": `chem: valence: Explicit valence for atom # 0 C, 5, is greater than permitted in SMILES "C(C)(C)(C)(C)C"`,
	} {
		if _, err := kit(t).Parse(smiles); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", smiles, err, want)
		}
	}
}

func TestOGB(t *testing.T) {
	var doc struct {
		Graphs []struct {
			ID int
			X  [][9]int32
			E  [][5]int32
		}
	}
	golden.Document(t, "chem/testdata/ogb.json.gz", &doc)
	all := molecules(t)
	for _, g := range doc.Graphs {
		s := must[*chem.Structure](t)(parsed(t, all[g.ID].SMILES).Structure())
		for i, a := range s.Atoms {
			if row := chem.OGBAtom(a); row != g.X[i] {
				t.Errorf("%s: atom %d: %v, want %v", all[g.ID].SMILES, i, row, g.X[i])
			}
		}
		for i, b := range s.Bonds {
			f := chem.OGBBond(b)
			if row := [5]int32{b.Begin, b.End, f[0], f[1], f[2]}; row != g.E[i] {
				t.Errorf("%s: bond %d: %v, want %v", all[g.ID].SMILES, i, row, g.E[i])
			}
		}
		if len(s.Atoms) != len(g.X) || len(s.Bonds) != len(g.E) {
			t.Errorf("%s: %d atoms, %d bonds", all[g.ID].SMILES, len(s.Atoms), len(s.Bonds))
		}
	}
	if len(doc.Graphs) != len(all) {
		t.Errorf("%d graphs of %d", len(doc.Graphs), len(all))
	}
}

func TestZINCArrays(t *testing.T) {
	var doc struct {
		Graphs []struct {
			ID    int
			Z     []int
			Q     []int32
			H     []int
			Bonds [][3]int32
			Types []*int32
		}
	}
	golden.Document(t, "chem/testdata/zinc_arrays.json.gz", &doc)
	all := molecules(t)
	for _, g := range doc.Graphs {
		m := parsed(t, all[g.ID].SMILES)
		before := smilesOf(t, m)
		s := must[*chem.Structure](t)(m.KekuleStructure())
		for i, a := range s.Atoms {
			if int(a.Number) != g.Z[i] || a.Charge != g.Q[i] || int(a.ExplicitHs) != g.H[i] || a.Aromatic {
				t.Errorf("%s: atom %d: %+v, want %d %d %d", all[g.ID].SMILES, i, a, g.Z[i], g.Q[i], g.H[i])
			}
		}
		for i, b := range s.Bonds {
			if row := [3]int32{b.Begin, b.End, int32(b.Type)}; b.Type < chem.Quadruple && row != g.Bonds[i] {
				t.Errorf("%s: bond %d: %v, want %v", all[g.ID].SMILES, i, row, g.Bonds[i])
			}
		}
		var want []int32
		for _, p := range g.Types {
			want = append(want, *p)
		}
		labels, err := chem.ZINCLabels(s)
		if !slices.Equal(labels, want) || (err != nil) != (want == nil) {
			t.Errorf("%s: labels %v, %v, want %v", all[g.ID].SMILES, labels, err, want)
		}
		if after := smilesOf(t, m); after != before {
			t.Errorf("kekulised, %s became %s", before, after)
		}
	}
}
