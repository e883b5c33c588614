package operator

import (
	"math/rand/v2"
	"slices"
)

// Elements that mutation inserts, by the order of their bond.
var (
	elements = []uint8{6, 7, 8, 9, 16, 17, 35}
	appended = [...][]uint8{1: elements, 2: {6, 7, 8}, 3: {6, 7}}
	inserted = [...][]uint8{1: {6, 7, 8, 16}, 2: {6, 7}, 3: {6}}
)

// mutation is an edit with its probability in percent. The edit reports whether it was possible.
type mutation struct {
	percent int
	edit    func(m *Molecule, r *rand.Rand, e *edit) bool
}

var mutations = [...]mutation{
	{15, (*Molecule).insertAtom},
	{14, (*Molecule).changeOrder},
	{14, (*Molecule).openRing},
	{14, (*Molecule).closeRing},
	{14, (*Molecule).deleteAtom},
	{14, (*Molecule).changeElement},
	{15, (*Molecule).appendAtom},
}

// mutate returns a molecule with one edit, or nil if several tries fail.
func (k *Maker) mutate(r *rand.Rand, m *Molecule) *built {
	for range tries {
		var e edit
		e.add(m, nil)
		if !draw(r).edit(m, r, &e) || !k.fits(r, len(e.atoms)) {
			continue
		}
		c := k.build(&e, true)
		if c == nil {
			continue
		}
		if c.smiles != m.SMILES {
			return c
		}
		c.Close()
	}
	return nil
}

func draw(r *rand.Rand) mutation {
	at := r.IntN(100)
	for _, m := range mutations {
		if at -= m.percent; at < 0 {
			return m
		}
	}
	return mutations[0] // the percentages add up to 100
}

// drawOrder draws the order of a new bond.
func drawOrder(r *rand.Rand) uint8 {
	switch v := r.Float64(); {
	case v < 0.6:
		return 1
	case v < 0.95:
		return 2
	}
	return 3
}

func oneOf(r *rand.Rand, of []uint8) uint8 { return of[r.IntN(len(of))] }

// insertAtom inserts an atom into a bond.
func (m *Molecule) insertAtom(r *rand.Rand, e *edit) bool {
	if len(m.bonds) == 0 {
		return false
	}
	i := m.drawBond(r, nil)
	a, b, old := m.bonds[i].a, m.bonds[i].b, m.bonds[i].order
	if m.draws(r, i, b) {
		a, b = b, a
	}
	e.choices = []Choice{m.choice(i, a)}
	order := drawOrder(r)
	number := oneOf(r, inserted[order])
	if m.atoms[a].hydrogens+old < order {
		return false
	}
	x := e.append(number)
	e.bonds[i] = bond{a: a, b: x, order: order}
	e.join(x, b, 1)
	return true
}

func (e *edit) append(number uint8) int32 {
	e.atoms = append(e.atoms, atom{number: number})
	return int32(len(e.atoms) - 1)
}

// changeOrder changes the order of a bond.
func (m *Molecule) changeOrder(r *rand.Rand, e *edit) bool {
	if len(m.bonds) == 0 {
		return false
	}
	i := m.drawBond(r, nil)
	b := &e.bonds[i]
	e.choices = []Choice{m.choice(i, b.a)}
	order := uint8(1)
	switch v := r.Float64(); {
	case v >= 0.95:
		order = 3
	case v >= 0.45:
		order = 2
	}
	free := min(m.atoms[b.a].hydrogens, m.atoms[b.b].hydrogens)
	if order == b.order || order > b.order+free {
		return false
	}
	b.order = order
	return true
}

// openRing deletes a bond in a ring.
func (m *Molecule) openRing(r *rand.Rand, e *edit) bool {
	if len(m.rings) == 0 {
		return false
	}
	i := m.drawBond(r, m.rings)
	e.choices = []Choice{m.choice(i, m.bonds[i].a)}
	e.bonds = append(e.bonds[:i], e.bonds[i+1:]...)
	return true
}

// closeRing joins the ends of a path of three to six atoms. Both ends are outside rings.
func (m *Molecule) closeRing(r *rand.Rand, e *edit) bool {
	size := 3
	switch v := r.Float64(); {
	case v >= 0.55:
		size = 6
	case v >= 0.1:
		size = 5
	case v >= 0.05:
		size = 4
	}
	start := int32(r.IntN(len(m.atoms)))
	if m.atoms[start].hydrogens == 0 {
		return false
	}
	path := []int32{start}
	for len(path) < size {
		var to []int32
		for _, h := range m.around[path[len(path)-1]] {
			if !slices.Contains(path, h.to) {
				to = append(to, h.to)
			}
		}
		if len(to) == 0 {
			return false
		}
		path = append(path, to[r.IntN(len(to))])
	}
	end := path[size-1]
	if m.atoms[end].hydrogens == 0 || m.bonded(start, end) || m.atoms[start].inRing || m.atoms[end].inRing {
		return false
	}
	e.join(start, end, 1)
	return true
}

// deleteAtom deletes an atom and joins its neighbours to one of them.
func (m *Molecule) deleteAtom(r *rand.Rand, e *edit) bool {
	x := int32(r.IntN(len(m.atoms)))
	around := append([]half{}, m.around[x]...)
	if len(around) == 0 || len(around) > 4 {
		return false
	}
	r.Shuffle(len(around), func(i, j int) { around[i], around[j] = around[j], around[i] })
	c := around[0]
	if int(m.atoms[c.to].hydrogens+m.bonds[c.bond].order) < len(around)-1 {
		return false
	}
	for _, h := range around[1:] {
		if m.bonded(c.to, h.to) {
			return false
		}
	}
	keep := make([]bool, len(m.atoms))
	for i := range keep {
		keep[i] = int32(i) != x
	}
	*e = edit{}
	at := e.add(m, keep)
	for _, h := range around[1:] {
		e.join(at[c.to], at[h.to], 1)
	}
	return true
}

// changeElement changes the element of an atom.
func (m *Molecule) changeElement(r *rand.Rand, e *edit) bool {
	a := &e.atoms[r.IntN(len(m.atoms))]
	number := oneOf(r, elements)
	for number == a.number {
		number = oneOf(r, elements)
	}
	a.number, a.charge = number, 0
	return true
}

// appendAtom appends an atom to another atom.
func (m *Molecule) appendAtom(r *rand.Rand, e *edit) bool {
	to := int32(r.IntN(len(m.atoms)))
	order := drawOrder(r)
	if m.atoms[to].hydrogens < order {
		return false
	}
	e.join(to, e.append(oneOf(r, appended[order])), order)
	return true
}
