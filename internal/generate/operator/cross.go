package operator

import (
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// cross returns a child of two molecules that differs from both.
func (k *Maker) cross(r *rand.Rand, a, b *Molecule) *built {
	for range tries {
		var c *built
		if r.Float64() <= 0.5 {
			c = k.crossFree(r, a, b)
		} else {
			c = k.crossRing(r, a, b)
		}
		if c == nil {
			continue
		}
		if c.smiles != a.SMILES && c.smiles != b.SMILES {
			return c
		}
		c.Close()
	}
	return nil
}

// crossFree joins a side of each molecule after cutting an acyclic single bond in both.
func (k *Maker) crossFree(r *rand.Rand, a, b *Molecule) *built {
	if len(a.free) == 0 || len(b.free) == 0 {
		return nil
	}
	for range tries {
		atomA, bondA, sideA := a.cutFree(r)
		atomB, bondB, sideB := b.cutFree(r)
		if !k.fits(r, count(sideA)+count(sideB)) {
			continue
		}
		e := edit{choices: []Choice{a.choice(bondA, atomA), b.choice(bondB, atomB)}}
		inA := e.add(a, sideA)
		inB := e.add(b, sideB)
		e.join(inA[atomA], inB[atomB], 1)
		if c := k.build(&e, false); c != nil {
			return c
		}
	}
	return nil
}

// cutFree cuts an acyclic single bond. It returns an end, the bond and the atoms on the side of the
// end.
func (m *Molecule) cutFree(r *rand.Rand) (end int32, bond int, side []bool) {
	i := m.drawBond(r, m.free)
	end = m.bonds[i].a
	if m.draws(r, i, m.bonds[i].b) {
		end = m.bonds[i].b
	}
	return end, i, m.side(end, i)
}

func count(in []bool) int { return lists.Count(in, func(yes bool) bool { return yes }) }

// ringOrders are the orders of the two bonds that join parts of rings.
var ringOrders = [...][2]uint8{{2, 1}, {2, 2}, {1, 2}, {1, 1}}

// crossRing joins a part of a ring of each molecule, cut at two bonds.
func (k *Maker) crossRing(r *rand.Rand, a, b *Molecule) *built {
	for range tries {
		partA, endsA, choiceA, ok := a.cutRing(r)
		if !ok {
			return nil
		}
		partB, endsB, choiceB, ok := b.cutRing(r)
		if !ok {
			return nil
		}
		if r.Float64() < 0.5 {
			endsB[0], endsB[1] = endsB[1], endsB[0]
		}
		if !k.fits(r, count(partA)+count(partB)) || endsA[0] == endsA[1] && endsB[0] == endsB[1] {
			continue
		}
		orders := ringOrders[r.IntN(len(ringOrders))]
		e := edit{choices: []Choice{choiceA, choiceB}}
		inA := e.add(a, partA)
		inB := e.add(b, partB)
		for i, o := range orders {
			e.join(inA[endsA[i]], inB[endsB[i]], o)
		}
		if c := k.build(&e, true); c != nil {
			return c
		}
	}
	return nil
}

// cutRing cuts two bonds of a ring so that there are two parts. It returns one part with its atoms
// at the cuts. The bonds are a-b and c-d of a path a-b-c-d in a ring, or a-b and b-c at an atom b
// with further bonds.
func (m *Molecule) cutRing(r *rand.Rand) (part []bool, ends [2]int32, of Choice, ok bool) {
	if len(m.rings) == 0 {
		return nil, ends, of, false
	}
	for range tries {
		i := m.drawBond(r, m.rings)
		a, b := m.bonds[i].a, m.bonds[i].b
		if r.Float64() < 0.5 {
			a, b = b, a
		}
		path := r.Float64() < 0.5
		if !path && len(m.around[b]) == 2 {
			continue
		}
		next, found := m.alongRing(r, b, a, a)
		if !found {
			continue
		}
		here, there, second := [2]int32{a, next.to}, [2]int32{b, b}, next.bond
		if path {
			last, found := m.alongRing(r, next.to, a, b)
			if !found {
				continue
			}
			here, there, second = [2]int32{a, last.to}, [2]int32{b, next.to}, last.bond
		}
		in := m.side(here[0], i, second)
		if in[there[0]] || !in[here[1]] || in[there[1]] {
			continue
		}
		if m.draws(r, i, a) {
			return in, here, m.choice(i, a), true
		}
		for j := range in {
			in[j] = !in[j]
		}
		return in, there, m.choice(i, b), true
	}
	return nil, ends, of, false
}

// alongRing draws a bond of a ring from an atom to an atom other than not and nor.
func (m *Molecule) alongRing(r *rand.Rand, from, not, nor int32) (half, bool) {
	to := lists.Filter(m.around[from], func(h half) bool { return m.bonds[h.bond].inRing && h.to != not && h.to != nor })
	if len(to) == 0 {
		return half{}, false
	}
	return to[r.IntN(len(to))], true
}
