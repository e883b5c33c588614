package chem

// compositionSize is the number of values in a Composition.
const compositionSize = 14

// Composition describes a molecule by counts, without its structure: atoms of C, N, O, F, S, Cl and
// Br, hydrogens, hydrogens at N and O, aromatic atoms, sp³ carbons, atoms in rings, rotatable bonds
// and rings.
type Composition [compositionSize]float32

// elementPlace is the position of an element in a Composition.
var elementPlace = map[uint8]int{6: 0, 7: 1, 8: 2, 9: 3, 16: 4, 17: 5, 35: 6}

// Composition counts the atoms, bonds and rings of a structure that a toolkit has perceived, in its
// aromatic form.
func (s *Structure) Composition() (c Composition) {
	degree := make([]int, len(s.Atoms))
	for _, b := range s.Bonds {
		degree[b.Begin]++
		degree[b.End]++
	}
	when := func(place int, yes bool) {
		if yes {
			c[place]++
		}
	}
	for _, a := range s.Atoms {
		if place, known := elementPlace[a.Number]; known {
			c[place]++
		}
		c[7] += float32(a.TotalHs)
		if a.Number == 7 || a.Number == 8 {
			c[8] += float32(a.TotalHs)
		}
		when(9, a.Aromatic)
		when(10, a.Number == 6 && a.Hybridization == SP3)
		when(11, a.InRing)
	}
	for _, b := range s.Bonds {
		inRings := s.Atoms[b.Begin].InRing && s.Atoms[b.End].InRing
		when(12, b.Type == Single && !inRings && degree[b.Begin] > 1 && degree[b.End] > 1)
	}
	c[13] = float32(len(s.Bonds) - len(s.Atoms) + 1)
	return c
}
