package chem_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/golden"
)

// The formulas of QED and the SA score, on the properties that RDKit found, without RDKit.
func TestScores(t *testing.T) {
	var doc struct {
		Properties []struct {
			ID      int
			QED, SA float64
			Props   [8]float64
			Terms   struct {
				Atoms, Chiral, Spiro, Bridgehead int
				LargeRings                       int `json:"large_rings"`
			} `json:"sa_terms"`
		}
	}
	golden.Document(t, "chem/testdata/properties.json.gz", &doc)
	var morgan struct {
		Counts []struct {
			ID     int
			Counts [][2]int64
		}
	}
	golden.Document(t, "chem/testdata/morgan_counts.json.gz", &morgan)
	counts := map[int][]chem.Count{}
	for _, m := range morgan.Counts {
		for _, c := range m.Counts {
			counts[m.ID] = append(counts[m.ID], chem.Count{ID: uint32(c[0]), N: int32(c[1])})
		}
	}
	scored := 0
	for _, g := range doc.Properties {
		p := g.Props
		q := chem.QEDProperties{MW: p[0], LogP: p[1], HBA: p[2], HBD: p[3], PSA: p[4], RotB: p[5], Aromatic: p[6], Alerts: p[7]}.Score()
		if math.Abs(q-g.QED) > 1e-12 {
			t.Errorf("molecule %d: QED %v, want %v", g.ID, q, g.QED)
		}
		if counts[g.ID] == nil {
			continue
		}
		scored++
		terms := chem.SATerms{Atoms: g.Terms.Atoms, Fragments: counts[g.ID], Centres: g.Terms.Chiral, Spiro: g.Terms.Spiro, Bridgeheads: g.Terms.Bridgehead, LargeRings: g.Terms.LargeRings}
		if sa := terms.Score(); math.Abs(sa-g.SA) > 1e-9 {
			t.Errorf("molecule %d: SA %v, want %v", g.ID, sa, g.SA)
		}
	}
	if len(doc.Properties) < 300 || scored < 100 {
		t.Errorf("%d and %d molecules", len(doc.Properties), scored)
	}
	if sa := (chem.SATerms{}).Score(); sa != 10 {
		t.Errorf("the SA score of nothing is %v", sa)
	}
}

// Labels of ZINC-12K from plain atoms, without RDKit, and back.
func TestZINC(t *testing.T) {
	var doc struct {
		Types        []string
		AtomicNumber []int `json:"atomic_number"`
	}
	golden.Document(t, "chem/testdata/zinc_arrays.json.gz", &doc)
	for i, z := range chem.ZINCTypes {
		if z.Name != doc.Types[i] || int(z.Number) != doc.AtomicNumber[i] {
			t.Errorf("type %d: %+v, want %s", i, z, doc.Types[i])
		}
	}
	all := make([]int32, len(chem.ZINCTypes))
	for i := range all {
		all[i] = int32(i)
	}
	strict, err := chem.FromZINC(all, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if labels, err := chem.ZINCLabels(strict); err != nil || !slices.Equal(labels, all) {
		t.Errorf("labels %v, %v", labels, err)
	}
	loose, _ := chem.FromZINC(all, nil, false)
	for i, a := range loose.Atoms {
		if a != (chem.Atom{Number: chem.ZINCTypes[i].Number}) {
			t.Errorf("type %d is rebuilt as %+v", i, a)
		}
	}
	if _, err := chem.FromZINC([]int32{0, 28}, nil, false); err == nil || !strings.Contains(err.Error(), "atom 1 has label 28") {
		t.Error(err)
	}
	boron := &chem.Structure{Atoms: []chem.Atom{{Number: 6}, {Number: 5}}}
	if _, err := chem.ZINCLabels(boron); err == nil || !strings.Contains(err.Error(), "atom 1 (atomic number 5") {
		t.Error(err)
	}
	charged := &chem.Structure{Atoms: []chem.Atom{{Number: 7, ExplicitHs: 4, Charge: 1}}}
	if _, err := chem.ZINCLabels(charged); err == nil {
		t.Error("an ion that the vocabulary does not have")
	}
}

// What OGB has no value for has the last index of its list.
func TestOGBMisc(t *testing.T) {
	odd := chem.Atom{Number: 0, Chirality: chem.HigherChirality, Degree: 11, Charge: -6, TotalHs: 9, Radicals: 5, Hybridization: chem.HybridS}
	if row := chem.OGBAtom(odd); row != [9]int32{118, 4, 11, 11, 9, 5, 5, 0, 0} {
		t.Error(row)
	}
	if row := chem.OGBAtom(chem.Atom{Number: 118, Degree: 10, Charge: 5, TotalHs: 8, Radicals: 4, Hybridization: chem.SP3D2, Aromatic: true, InRing: true}); row != [9]int32{117, 0, 10, 10, 8, 4, 4, 1, 1} {
		t.Error(row)
	}
	for kind, want := range map[chem.BondType]int32{chem.Single: 0, chem.Aromatic: 3, chem.Dative: 4, chem.OtherBond: 4, chem.NoBond: 4} {
		if row := chem.OGBBond(chem.Bond{Type: kind, Stereo: chem.StereoAny, Conjugated: true}); row != [3]int32{want, 5, 1} {
			t.Error(kind, row)
		}
	}
}

func TestError(t *testing.T) {
	err := error(&chem.Error{Class: chem.Valence, Text: "too many bonds", SMILES: strings.Repeat("C", 200)})
	if want := `chem: valence: too many bonds in SMILES "` + strings.Repeat("C", 80) + `..."`; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// fails refuses every molecule.
type fails struct{ chem.Toolkit }

func (fails) Parse(string) (chem.Molecule, error) { return nil, &chem.Error{Class: chem.Syntax} }

func TestMapStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	results, err := chem.Map(ctx, fails{}, 2, make([]string, 5), func(chem.Molecule) (int, error) { return 0, nil })
	if !errors.Is(err, context.Canceled) || len(results) != 5 {
		t.Error(results, err)
	}
	results, err = chem.Map(t.Context(), fails{}, 2, make([]string, 5), func(chem.Molecule) (int, error) { return 1, nil })
	for _, r := range results {
		if r.Err == nil || r.Value != 0 || err != nil {
			t.Error(r, err)
		}
	}
}

// Benzylamine with a chlorine in place of a hydrogen of the ring: NCc1ccc(Cl)cc1.
func TestComposition(t *testing.T) {
	ring := chem.Atom{Number: 6, Aromatic: true, InRing: true, TotalHs: 1, Hybridization: chem.SP2}
	joined := ring
	joined.TotalHs = 0
	s := &chem.Structure{
		Atoms: []chem.Atom{{Number: 7, TotalHs: 2, Hybridization: chem.SP3}, {Number: 6, TotalHs: 2, Hybridization: chem.SP3}, joined, ring, ring, joined, {Number: 17}, ring, ring},
		Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.Single}, {Begin: 1, End: 2, Type: chem.Single}, {Begin: 5, End: 6, Type: chem.Single}},
	}
	for _, b := range [][2]int32{{2, 3}, {3, 4}, {4, 5}, {5, 7}, {7, 8}, {8, 2}} {
		s.Bonds = append(s.Bonds, chem.Bond{Begin: b[0], End: b[1], Type: chem.Aromatic})
	}
	want := chem.Composition{7, 1, 0, 0, 0, 1, 0, 8, 2, 6, 1, 6, 1, 1}
	if got := s.Composition(); got != want {
		t.Errorf("%v, expected %v", got, want)
	}
}
