package operator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// graphOf returns a molecule of carbon with single bonds between pairs of atoms.
func graphOf(atoms int, ends ...int32) *Molecule {
	s := &chem.Structure{Atoms: make([]chem.Atom, atoms)}
	for i := range s.Atoms {
		s.Atoms[i].Number = 6
	}
	for i := 0; i < len(ends); i += 2 {
		s.Bonds = append(s.Bonds, chem.Bond{Begin: ends[i], End: ends[i+1], Type: chem.Single})
	}
	return newMolecule("", s)
}

func TestRings(t *testing.T) {
	for _, c := range []struct {
		name  string
		of    *Molecule
		rings []int
	}{
		{"atom", graphOf(1), nil},
		{"chain", graphOf(3, 0, 1, 1, 2), nil},
		{"triangle with a tail", graphOf(4, 0, 1, 1, 2, 2, 0, 2, 3), []int{0, 1, 2}},
		{"two triangles at a bond", graphOf(6, 0, 1, 1, 2, 2, 0, 2, 3, 3, 4, 4, 5, 5, 3), []int{0, 1, 2, 4, 5, 6}},
		{"spiro", graphOf(5, 0, 1, 1, 2, 2, 0, 2, 3, 3, 4, 4, 2), []int{0, 1, 2, 3, 4, 5}},
		{"fused squares", graphOf(6, 0, 1, 1, 2, 2, 3, 3, 0, 2, 4, 4, 5, 5, 3), []int{0, 1, 2, 3, 4, 5, 6}},
		{"two parts", graphOf(5, 0, 1, 2, 3, 3, 4, 4, 2), []int{1, 2, 3}},
	} {
		if !slices.Equal(c.of.rings, c.rings) || len(c.of.free)+len(c.rings) != len(c.of.bonds) {
			t.Errorf("%s: bonds %v are in rings, expected %v", c.name, c.of.rings, c.rings)
		}
	}
}

func TestSide(t *testing.T) {
	m := graphOf(4, 0, 1, 1, 2, 2, 3)
	if got := m.side(2, 1); !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("%v", got)
	}
	if got := largestPart(graphOf(5, 0, 1, 2, 3, 3, 4)); !slices.Equal(got, []bool{false, false, true, true, true}) {
		t.Errorf("largest part %v", got)
	}
}

// A ring is cut into two parts, and the ends belong to the returned part.
func TestCutRing(t *testing.T) {
	m := graphOf(8, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0, 6, 3, 7)
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		part, ends, of, ok := m.cutRing(r)
		if !ok {
			t.Fatal("a ring of six cannot be cut")
		}
		kept := m.bonds[of.End/2].a
		if of.End%2 == 1 {
			kept = m.bonds[of.End/2].b
		}
		if n := count(part); n == 0 || n == 8 || !part[ends[0]] || !part[ends[1]] || !part[kept] {
			t.Errorf("%d atoms, ends %v and choice %v in %v", n, ends, of, part)
		}
	}
	if _, _, _, ok := graphOf(3, 0, 1, 1, 2).cutRing(r); ok {
		t.Error("a chain has a ring")
	}
}

func TestNeutralise(t *testing.T) {
	for _, c := range []struct {
		name    string
		numbers []uint8
		charges []int8
		bonds   []bond
		want    []int8
		left    int
	}{
		{"ammonium", []uint8{6, 7}, []int8{0, 1}, []bond{{a: 0, b: 1, order: 1}}, []int8{0, 0}, 0},
		{"carboxylate", []uint8{6, 8, 8}, []int8{0, 0, -1}, []bond{{a: 0, b: 1, order: 2}, {a: 0, b: 2, order: 1}}, []int8{0, 0, 0}, 0},
		{"nitro", []uint8{6, 7, 8, 8}, []int8{0, 1, 0, -1}, []bond{{a: 0, b: 1, order: 1}, {a: 1, b: 2, order: 2}, {a: 1, b: 3, order: 1}}, []int8{0, 1, 0, -1}, 0},
		{"quaternary", []uint8{7, 6, 6, 6, 6}, []int8{1, 0, 0, 0, 0}, []bond{{a: 0, b: 1, order: 1}, {a: 0, b: 2, order: 1}, {a: 0, b: 3, order: 1}, {a: 0, b: 4, order: 1}}, []int8{1, 0, 0, 0, 0}, 1},
	} {
		e := edit{bonds: c.bonds}
		for i, n := range c.numbers {
			e.atoms = append(e.atoms, atom{number: n, charge: c.charges[i]})
		}
		left := e.neutralise()
		for i, a := range e.atoms {
			if a.charge != c.want[i] {
				t.Errorf("%s: atom %d has charge %d, expected %d", c.name, i+1, a.charge, c.want[i])
			}
		}
		if left != c.left || !e.possible() {
			t.Errorf("%s: %d charges are left, expected %d", c.name, left, c.left)
		}
	}
	five := edit{atoms: []atom{{number: 6}, {number: 6}}, bonds: []bond{{a: 0, b: 1, order: 3}, {a: 0, b: 1, order: 2}}}
	if five.possible() {
		t.Error("carbon has five bonds")
	}
}

// The percentages of mutations add up.
func TestMutations(t *testing.T) {
	sum := 0
	for _, m := range mutations {
		sum += m.percent
	}
	if sum != 100 {
		t.Errorf("%d %%", sum)
	}
}

// Bonds and their ends are drawn by their chances, and uniformly without them.
func TestChances(t *testing.T) {
	m := graphOf(4, 0, 1, 1, 2, 2, 3)
	share := func(among []int) (bonds [3]float64, first float64) {
		r := rand.New(rand.NewPCG(1, 1))
		const n = 4000
		for range n {
			i := m.drawBond(r, among)
			bonds[i] += 1.0 / n
			if m.draws(r, i, m.bonds[i].a) {
				first += 1.0 / n
			}
		}
		return bonds, first
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.03 }
	if b, first := share(nil); !near(b[0], 1.0/3) || !near(b[1], 1.0/3) || !near(first, 0.5) {
		t.Errorf("without chances %v, the first end %v", b, first)
	}
	m.Chances = []float64{1, 3, 0, 0, 3, 1}
	if b, first := share(nil); !near(b[0], 0.5) || b[1] != 0 || !near(b[2], 0.5) || !near(first, 0.5) {
		t.Errorf("with chances %v, the first end %v", b, first)
	}
	if b, first := share([]int{1, 2}); b[2] < 0.999 || !near(first, 0.75) {
		t.Errorf("among two %v, the first end %v", b, first)
	}
	if got, want := m.Shares(), []float64{0.25, 0.75, 0.5, 0.5, 0.75, 0.25}; !slices.Equal(got, want) {
		t.Errorf("shares %v, expected %v", got, want)
	}
}
