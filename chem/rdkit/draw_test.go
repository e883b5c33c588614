//go:build rdkit

package rdkit

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// A drawing has every atom inside, bonds of the length that was asked for, letters as areas, and is the same again.
func TestDraw(t *testing.T) {
	m := parsed(t, "CC(=O)Oc1ccccc1C(=O)O")
	d := must[*chem.Drawing](t)(m.Draw(24, nil))
	if again := must[*chem.Drawing](t)(m.Draw(24, nil)); !reflect.DeepEqual(d, again) {
		t.Error("the same drawing differs")
	}
	lines, areas := 0, 0
	for _, mark := range d.Marks {
		if mark.Line > 0 {
			lines++
		} else {
			areas++
		}
	}
	if len(d.Atoms) != 13 || lines < 13 || areas < 5 {
		t.Errorf("%d atoms, %d lines and %d letters, want 13, at least 13 and 5", len(d.Atoms), lines, areas)
	}
	for i, at := range d.Atoms {
		if at[0] < 0 || at[1] < 0 || at[0] > d.Width || at[1] > d.Height {
			t.Errorf("atom %d is at %v in %v by %v", i, at, d.Width, d.Height)
		}
	}
	sum := 0.0
	bonds := must[*chem.Structure](t)(m.Structure()).Bonds
	for _, b := range bonds {
		p, q := d.Atoms[b.Begin], d.Atoms[b.End]
		sum += math.Hypot(p[0]-q[0], p[1]-q[1])
	}
	if mean := sum / float64(len(bonds)); math.Abs(mean-24) > 0.5 {
		t.Errorf("bonds are %.1f pixels long, want 24", mean)
	}
	for _, bond := range []float64{0, math.NaN(), 101} {
		if _, err := m.Draw(bond, nil); err == nil || !strings.Contains(err.Error(), "pixels, expected 1 to 100") {
			t.Errorf("bonds of %v: %v", bond, err)
		}
	}
}

// The atoms that a molecule shares with the start stand as there.
func TestDrawAligned(t *testing.T) {
	start := parsed(t, "CCNC(=O)c1ccccc1")
	first := must[*chem.Drawing](t)(start.Draw(24, nil))
	for smiles, same := range map[string]int{"CCNC(=O)c1ccc(C#N)cc1F": 11, "O=C(NC1CC1)c1ccc(F)cc1": 9, "CC": 0} {
		d := must[*chem.Drawing](t)(parsed(t, smiles).Draw(24, start))
		shared := 0
		var by [2]float64
		for i, k := range d.Core {
			if k < 0 {
				continue
			}
			to := [2]float64{d.Atoms[i][0] - first.Atoms[k][0], d.Atoms[i][1] - first.Atoms[k][1]}
			if shared == 0 {
				by = to
			} else if math.Hypot(to[0]-by[0], to[1]-by[1]) > 1 {
				t.Errorf("%s: atom %d is moved by %v, another by %v", smiles, i, to, by)
			}
			shared++
		}
		if shared != same {
			t.Errorf("%s: %d atoms are those of the start, want %d", smiles, shared, same)
		}
	}
}

// Every golden molecule has a drawing.
func TestDrawAll(t *testing.T) {
	for i, g := range molecules(t) {
		if _, err := parsed(t, g.SMILES).Draw(float64(5+i%40), nil); err != nil {
			t.Errorf("%s: %v", g.SMILES, err)
		}
	}
}

// Atoms that are bonded lie a bond apart, whether the structure is a molecule or not.
func TestDrawStructure(t *testing.T) {
	ring := &chem.Structure{Atoms: make([]chem.Atom, 7)}
	for i := range ring.Atoms {
		ring.Atoms[i].Number = 6
	}
	for i := range int32(6) {
		ring.Bonds = append(ring.Bonds, chem.Bond{Begin: i, End: (i + 1) % 6, Type: chem.Triple}) // breaks every valence
	}
	ring.Bonds = append(ring.Bonds, chem.Bond{Begin: 0, End: 6, Type: chem.Aromatic}, chem.Bond{Begin: 1, End: 6, Type: chem.NoBond})
	if _, err := kit(t).Build(ring); err == nil {
		t.Fatal("the structure is a molecule")
	}
	if d := must[*chem.Drawing](t)(kit(t).DrawStructure(ring, 24, nil)); len(d.Atoms) != 7 || len(d.Marks) < 7 {
		t.Errorf("%d atoms and %d marks of what is no molecule", len(d.Atoms), len(d.Marks))
	}
	aspirin := must[*chem.Structure](t)(parsed(t, "CC(=O)Oc1ccccc1C(=O)O").KekuleStructure())
	for _, s := range []*chem.Structure{ring, aspirin} {
		d := must[*chem.Drawing](t)(kit(t).DrawStructure(s, 24, nil))
		if again := must[*chem.Drawing](t)(kit(t).DrawStructure(s, 24, nil)); !slices.Equal(d.Atoms, again.Atoms) {
			t.Error("the same structure has another layout")
		}
		other := &chem.Structure{Atoms: s.Atoms, Bonds: slices.Clone(s.Bonds)}
		other.Bonds[0].Type = chem.NoBond
		like := must[*chem.Drawing](t)(kit(t).DrawStructure(other, 24, s))
		for i, b := range s.Bonds {
			p, q := d.Atoms[b.Begin], d.Atoms[b.End]
			u, v := like.Atoms[b.Begin], like.Atoms[b.End]
			if l := math.Hypot(p[0]-q[0], p[1]-q[1]); b.Type != chem.NoBond && math.Abs(l-24) > 2 {
				t.Errorf("atoms %d and %d are %.2f apart, want 24", b.Begin, b.End, l)
			}
			if x, y := (p[0]-q[0])-(u[0]-v[0]), (p[1]-q[1])-(u[1]-v[1]); i > 0 && math.Hypot(x, y) > 1.5 {
				t.Errorf("bond %d of a structure like another is turned by %.1f, %.1f", i, x, y)
			}
		}
	}
	if _, err := kit(t).DrawStructure(ring, 24, aspirin); err == nil || !strings.Contains(err.Error(), "expected as many") {
		t.Errorf("like a structure of other size: %v", err)
	}
	for want, s := range map[string]*chem.Structure{"a molecule of 0 atoms": {}, "a molecule of 1001 atoms": {Atoms: make([]chem.Atom, 1001)}} {
		if _, err := kit(t).DrawStructure(s, 24, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
