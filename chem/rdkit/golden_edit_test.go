//go:build rdkit

package rdkit

import (
	"errors"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/golden"
)

func bondsOf(rows [][3]int32) []chem.Bond {
	bonds := make([]chem.Bond, len(rows))
	for i, r := range rows {
		bonds[i] = chem.Bond{Begin: r[0], End: r[1], Type: chem.BondType(r[2])}
	}
	return bonds
}

// rebuilt is the canonical SMILES of a structure, or why there is none.
func rebuilt(t testing.TB, s *chem.Structure) (string, *chem.Error) {
	t.Helper()
	m, err := kit(t).Build(s)
	if err != nil {
		var e *chem.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		return "", e
	}
	defer m.Close()
	return smilesOf(t, m), nil
}

func TestRebuild(t *testing.T) {
	var doc struct {
		Cases []struct {
			Note                   string
			Types                  []int32
			Bonds                  [][3]int32
			Valid                  bool
			SMILES, Error, Message string
		}
	}
	golden.Document(t, "chem/testdata/rebuild.json.gz", &doc)
	if len(doc.Cases) != 292 {
		t.Fatalf("%d cases", len(doc.Cases))
	}
	for _, g := range doc.Cases {
		smiles, e := rebuilt(t, must[*chem.Structure](t)(chem.FromZINC(g.Types, bondsOf(g.Bonds), false)))
		if smiles != g.SMILES || (e == nil) != g.Valid {
			t.Errorf("%s: %s, %v, want %s", g.Note, smiles, e, g.SMILES)
		}
		if len(g.Types) == 0 { // a molecule without atoms is not one: nothing to pin
			continue
		}
		if e != nil && (e.Class.String() != g.Error || e.Text != g.Message) {
			t.Errorf("%s: %v, want %s: %s", g.Note, e, g.Error, g.Message)
		}
	}
}

func TestMolGAN(t *testing.T) {
	var doc struct {
		Atoms []uint8
		Cases []struct {
			Note           string
			Nodes          []int
			Bonds          [][3]int32
			Valid, Counted bool
			SMILES         string
		}
	}
	golden.Document(t, "chem/testdata/molgan.json.gz", &doc)
	for _, g := range doc.Cases {
		s := &chem.Structure{Bonds: bondsOf(g.Bonds)}
		for _, n := range g.Nodes {
			s.Atoms = append(s.Atoms, chem.Atom{Number: doc.Atoms[n]})
		}
		smiles, e := rebuilt(t, s)
		if smiles != g.SMILES || (e == nil) != g.Valid {
			t.Errorf("%s: %s, %v, want %s, %v", g.Note, smiles, e, g.SMILES, g.Valid)
		}
		if counted := e == nil && !strings.ContainsAny(smiles, "*."); counted != g.Counted {
			t.Errorf("%s: counted %v", g.Note, counted)
		}
	}
}

func TestCuts(t *testing.T) {
	var doc struct {
		Molecules []struct {
			ID     int
			Breaks [][]any
		}
	}
	golden.Document(t, "chem/testdata/mars_breaks.json.gz", &doc)
	all := molecules(t)
	cuts := 0
	for _, g := range doc.Molecules {
		m := parsed(t, all[g.ID].SMILES)
		for _, row := range g.Breaks {
			cuts++
			u, v := int(row[0].(float64)), int(row[1].(float64))
			a, b, err := m.Cut(u, v)
			if row[2] == "sanitize" {
				if err == nil {
					t.Errorf("%s: cut %d-%d went through", all[g.ID].SMILES, u, v)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: cut %d-%d: %v", all[g.ID].SMILES, u, v, err)
				continue
			}
			for i, f := range []chem.Fragment{a, b} {
				if rooted := must[string](t)(f.RootedSMILES(f.Atom)); rooted != row[2+i] {
					t.Errorf("%s: cut %d-%d: side %d is %s, want %s", all[g.ID].SMILES, u, v, i, rooted, row[2+i])
				}
				f.Close()
			}
		}
	}
	if cuts != 372 {
		t.Errorf("%d cuts", cuts)
	}
}

// What is cut and joined again is the molecule, where neither end was a stereo centre.
func TestJoin(t *testing.T) {
	for _, smiles := range []string{"CCO", "c1ccccc1CCN", "CC(=O)Oc1ccccc1C(=O)O"} {
		m := parsed(t, smiles)
		a, b, err := m.Cut(0, 1)
		if smiles[0] == 'c' {
			a, b, err = m.Cut(5, 6)
		}
		if err != nil {
			t.Fatal(err)
		}
		joined := must[chem.Molecule](t)(a.Join(a.Atom, b))
		if got, want := smilesOf(t, joined), smilesOf(t, m); got != want {
			t.Errorf("%s joined is %s", want, got)
		}
		// A molecule may be joined to itself.
		twin := must[chem.Molecule](t)(m.Join(0, chem.Fragment{Molecule: m, Atom: 0}))
		if twin.NumAtoms() != 2*m.NumAtoms() || twin.NumBonds() != 2*m.NumBonds()+1 {
			t.Errorf("%s twice has %d atoms, %d bonds", smiles, twin.NumAtoms(), twin.NumBonds())
		}
		for _, c := range []chem.Molecule{a, b, joined, twin} {
			c.Close()
		}
	}
	ring := parsed(t, "C1CC1C")
	for _, c := range []struct {
		u, v int
		want string
	}{{0, 1, "in a ring"}, {0, 3, "not bonded"}, {0, 4, "atom 4 of 4"}, {-1, 0, "atom -1 of 4"}, {2, 2, "to itself"}} {
		if _, _, err := ring.Cut(c.u, c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("cut %d-%d: %v, want %s", c.u, c.v, err, c.want)
		}
	}
	if _, err := ring.Join(3, chem.Fragment{Molecule: ring, Atom: 9}); err == nil {
		t.Error("joined at an atom that is not there")
	}
	if m, err := ring.Join(3, chem.Fragment{Molecule: parsed(t, "[nH]1cccc1"), Atom: 0}); err == nil {
		t.Errorf("joined to a full atom: %s", smilesOf(t, m))
	}
}

// Plain data of a molecule builds the same molecule, stereo aside.
func TestBuildStructure(t *testing.T) {
	for _, g := range molecules(t) {
		s := must[*chem.Structure](t)(parsed(t, g.SMILES).Structure())
		m, err := kit(t).Build(s)
		if err != nil {
			t.Errorf("%s: %v", g.SMILES, err)
			continue
		}
		again := must[*chem.Structure](t)(m.Structure())
		m.Close()
		for i := range s.Atoms {
			s.Atoms[i].Chirality = 0
			s.Atoms[i].NoImplicit = again.Atoms[i].NoImplicit // says how the SMILES was written
			if again.Atoms[i] != s.Atoms[i] {
				t.Errorf("%s: atom %d: %+v, want %+v", g.SMILES, i, again.Atoms[i], s.Atoms[i])
			}
		}
		for i := range s.Bonds {
			s.Bonds[i].Stereo = 0
			if again.Bonds[i] != s.Bonds[i] {
				t.Errorf("%s: bond %d: %+v, want %+v", g.SMILES, i, again.Bonds[i], s.Bonds[i])
			}
		}
	}
}
