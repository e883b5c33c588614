//go:build rdkit

package rdkit

import (
	"errors"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/golden"
)

// FuzzParse reads any text. What parses must be written, read again and scored; what does
// not must say why.
func FuzzParse(f *testing.F) {
	for _, g := range molecules(f) {
		f.Add(g.SMILES)
	}
	var doc struct{ Invalid []struct{ SMILES string } }
	golden.Document(f, "chem/testdata/invalid.json.gz", &doc)
	for _, g := range doc.Invalid {
		f.Add(g.SMILES)
	}
	f.Fuzz(func(t *testing.T, smiles string) {
		m, err := kit(t).Parse(smiles)
		if err != nil {
			var e *chem.Error
			if !errors.As(err, &e) || e.Text == "" || e.Class == chem.Internal {
				t.Fatalf("%q: %v", smiles, err)
			}
			return
		}
		defer m.Close()
		if m.NumAtoms() > 200 {
			return // right, but slow
		}
		examine(t, m)
	})
}

// examine asks a molecule for everything. Calls may fail, with a reason.
func examine(t *testing.T, m chem.Molecule) {
	if canonical, err := m.SMILES(); err == nil {
		if again, err := kit(t).Parse(canonical); err == nil {
			again.Close()
		}
	}
	if _, err := work(m); err != nil {
		explained(t, err)
	}
	s, err := m.Structure()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Atoms {
		within(t, chem.OGBAtom(a), chem.OGBAtomSizes)
	}
	for i, b := range s.Bonds {
		row, sizes := chem.OGBBond(b), chem.OGBBondSizes
		within(t, [9]int32(append(row[:], make([]int32, 6)...)), [9]int{sizes[0], sizes[1], sizes[2], 1, 1, 1, 1, 1, 1})
		if i < 5 {
			if a, c, err := m.Cut(int(b.Begin), int(b.End)); err == nil {
				if j, err := a.Join(a.Atom, c); err == nil {
					j.Close()
				}
				a.Close()
				c.Close()
			}
		}
	}
}

func within(t *testing.T, row [9]int32, sizes [9]int) {
	t.Helper()
	for i, v := range row {
		if v < 0 || int(v) >= sizes[i] {
			t.Fatalf("feature %d is %d of %d", i, v, sizes[i])
		}
	}
}

// explained fails on an error that is not of package chem.
func explained(t *testing.T, err error) {
	t.Helper()
	if !errors.As(err, new(*chem.Error)) {
		t.Fatal(err)
	}
}

// FuzzBuild builds molecules of any bytes: four an atom, three a bond.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{2, 6, 0, 0, 0, 8, 0, 0, 0, 0, 1, 2})
	f.Add([]byte{6, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 4, 4, 4, 5, 4, 5, 0, 4})
	f.Add([]byte{1, 7, 1, 4, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 600 {
			return
		}
		s := &chem.Structure{}
		n := int(data[0])
		for data = data[1:]; n > 0 && len(data) >= 4; n, data = n-1, data[4:] {
			s.Atoms = append(s.Atoms, chem.Atom{Number: data[0], Charge: int32(int8(data[1])), ExplicitHs: data[2], NoImplicit: data[3]&1 == 1, Isotope: int32(data[3] >> 1)})
		}
		for ; len(data) >= 3; data = data[3:] {
			s.Bonds = append(s.Bonds, chem.Bond{Begin: int32(data[0]), End: int32(data[1]), Type: chem.BondType(data[2])})
		}
		m, err := kit(t).Build(s)
		if err != nil {
			explained(t, err)
			return
		}
		defer m.Close()
		examine(t, m)
	})
}
