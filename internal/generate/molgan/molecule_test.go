package molgan

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// graphOf returns a graph from letters of atoms, "." for a pad, and bonds such as "01:2".
func graphOf(t *testing.T, atoms, bonds string) Molecule {
	t.Helper()
	m := Molecule{Atoms: make([]uint8, QM9.Size), Bonds: make([]uint8, QM9.Pairs())}
	for i, a := range atoms {
		m.Atoms[i] = uint8(strings.IndexRune(".CNOF", a))
	}
	for _, b := range strings.Fields(bonds) {
		m.Bonds[QM9.pair(int(b[0]-'0'), int(b[1]-'0'))] = b[3] - '0'
	}
	return m
}

// Pads without a bond are left out. A pad with a bond, several parts or lone atoms make no
// molecule.
func TestPads(t *testing.T) {
	for _, c := range []struct {
		name, atoms, bonds string
		ok                 bool
		left               int // atoms
	}{
		{"pads at the end", "CCO", "01:1 12:1", true, 3},
		{"pads between", "C.O.N", "02:1 24:1", true, 3},
		{"a pad with a bond", "C.O", "01:1 12:1", false, 3},
		{"two parts", "CCOO", "01:1 23:1", false, 4},
		{"a lone atom", "CCO", "01:1", false, 3},
		{"one atom", "C", "", false, 1},
		{"nothing", "", "", false, 0},
		{"all rows", "CCCCCCCCC", "01:1 12:1 23:1 34:1 45:1 56:1 67:1 78:1", true, 9},
	} {
		s, ok := QM9.Structure(graphOf(t, c.atoms, c.bonds))
		if ok != c.ok || len(s.Atoms) != c.left {
			t.Errorf("%s: %v with %d atoms, want %v with %d", c.name, ok, len(s.Atoms), c.ok, c.left)
		}
		if ok && s.Check() != nil {
			t.Errorf("%s: %v", c.name, s.Check())
		}
	}
}

// A structure is equal after encoding and decoding, whatever the order of its bonds and their ends.
func TestEncode(t *testing.T) {
	s := &chem.Structure{Atoms: []chem.Atom{{Number: 7}, {Number: 6}, {Number: 9}, {Number: 8}},
		Bonds: []chem.Bond{{Begin: 3, End: 1, Type: chem.Double}, {Begin: 0, End: 1, Type: chem.Single}, {Begin: 1, End: 2, Type: chem.Single}}}
	m, err := QM9.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := graphOf(t, "NCFO", "01:1 12:1 13:2"); !slices.Equal(m.Atoms, want.Atoms) || !slices.Equal(m.Bonds, want.Bonds) {
		t.Errorf("%v, want %v", m, want)
	}
	back, ok := QM9.Structure(m)
	if !ok || len(back.Atoms) != 4 || len(back.Bonds) != 3 || back.Atoms[2].Number != 9 || back.Bonds[2] != (chem.Bond{Begin: 1, End: 3, Type: chem.Double}) {
		t.Errorf("%v %+v", ok, back)
	}
	for want, change := range map[string]func(*chem.Structure){
		"atomic number 16": func(s *chem.Structure) { s.Atoms[0].Number = 16 },
		"type 6":           func(s *chem.Structure) { s.Bonds[0].Type = chem.Dative },
		"atom 2 has no":    func(s *chem.Structure) { s.Bonds = s.Bonds[:2] },
		"10 atoms":         func(s *chem.Structure) { s.Atoms = make([]chem.Atom, 10) },
	} {
		c := &chem.Structure{Atoms: slices.Clone(s.Atoms), Bonds: slices.Clone(s.Bonds)}
		change(c)
		if _, err := QM9.Encode(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, s := range []Space{{}, {Size: 1, Elements: []uint8{6}}, {Size: 9}, {Size: 9, Elements: []uint8{7, 6}}, {Size: 9, Elements: []uint8{6, 6}}, {Size: 9, Elements: []uint8{0, 6}}} {
		if s.Validate() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

// The metrics equal those counted by hand.
func TestMeasure(t *testing.T) {
	j := &Judge{Toolkit: toy{}, Space: QM9, Threads: 1}
	known := graphOf(t, "CCO", "01:1 12:1")
	d := &Data{Space: QM9, Molecules: []Molecule{known}}
	j.with(known, func(_ chem.Molecule, smiles string) { d.SMILES = append(d.SMILES, smiles) })
	meter, err := newMeter(t.Context(), j, d, all32(1), 1)
	if err != nil {
		t.Fatal(err)
	}
	// 14 more molecules to compare with, which have no bit in common with the molecules below.
	for bit := range 14 {
		meter.near = append(meter.near, fingerprint{31: 1 << bit})
	}
	fresh := graphOf(t, "CCN", "01:1 12:2")
	got, err := meter.measure(t.Context(), []Molecule{
		known, known, fresh,
		graphOf(t, "CFC", "01:2 12:1"), // breaks a valence
		graphOf(t, "CC.C", "01:1"),     // a lone atom: valid only in the reference
	})
	if err != nil {
		t.Fatal(err)
	}
	score := func(m Molecule) Score {
		s, err := j.Scores(t.Context(), []Molecule{m})
		if err != nil {
			t.Fatal(err)
		}
		return s[0]
	}
	a, b := score(known), score(fresh)
	qed, sa := 2*a.QED+b.QED, 2*a.SA+b.SA
	nonzero := 0.0
	for _, v := range []float64{a.SA, a.SA, b.SA} {
		if v != 0 {
			nonzero++
		}
	}
	want := Metrics{Samples: 5, Valid: 60, ValidReference: 80, Unique: percent(2, 3), Novel: percent(1, 3),
		QED: Means{qed / 3, qed / 5, qed / 3}, SA: Means{sa / 3, sa / 5, sa / max(nonzero, 1)}, Diversity: got.Diversity}
	// The distances of known are 0 and 14 times 1, with mean 14/15, which maps to 20/27. The
	// distances of fresh, which has one of three bits in common with known, are 2/3 and 14 times 1;
	// the result is clipped to 1.
	if diversity := (20.0/27 + 20.0/27 + 1) / 3; math.Abs(got.Diversity-diversity) > 1e-12 {
		t.Errorf("diversity %v, want %v", got.Diversity, diversity)
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	none, err := meter.measure(t.Context(), []Molecule{graphOf(t, "", "")})
	if err != nil || none != (Metrics{Samples: 1, ValidReference: none.ValidReference}) {
		t.Errorf("%+v, %v, want zeros", none, err)
	}
}

// Rewards are the products of their terms, and 0 for invalid molecules.
func TestReward(t *testing.T) {
	s := Score{SMILES: "C", QED: 0.5, SA: 0.25}
	for want, terms := range map[float64][]string{1: {Validity}, 0.25: {Validity, SAS}, 0.5: {QED}, 0.125: {Validity, SAS, QED}} {
		if got := s.reward(terms); got != want {
			t.Errorf("%v: %v, want %v", terms, got, want)
		}
		if got := (Score{QED: 1, SA: 1}).reward(terms); got != 0 {
			t.Errorf("%v of an invalid molecule: %v, want 0", terms, got)
		}
	}
}
