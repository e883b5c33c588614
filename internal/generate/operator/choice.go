package operator

import (
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/chem"
)

// Choice is a bond of a parent that an operator cut or changed. A crossover keeps the atoms on the
// side of one end of the bond. End 2·bond is its first atom, end 2·bond+1 its second.
type Choice struct {
	Parent string `json:"parent"` // SMILES
	End    int    `json:"end"`
}

// drawBond draws a bond of among, or of all bonds if it is nil. The probability of a bond is the
// sum of the chances of its ends.
func (m *Molecule) drawBond(r *rand.Rand, among []int) int {
	n := len(among)
	if among == nil {
		n = len(m.bonds)
	}
	at := func(i int) int {
		if among == nil {
			return i
		}
		return among[i]
	}
	if m.Chances == nil {
		return at(r.IntN(n))
	}
	sum := 0.0
	for i := range n {
		sum += m.chance(at(i))
	}
	left := r.Float64() * sum
	for i := range n - 1 {
		if left -= m.chance(at(i)); left < 0 {
			return at(i)
		}
	}
	return at(n - 1)
}

// chance returns the chance of a bond.
func (m *Molecule) chance(bond int) float64 { return m.Chances[2*bond] + m.Chances[2*bond+1] }

// draws reports whether this end of a bond, and not the other end, is drawn.
func (m *Molecule) draws(r *rand.Rand, bond int, end int32) bool {
	share := 0.5
	if m.Chances != nil {
		share = m.Chances[m.end(bond, end)] / m.chance(bond)
	}
	return r.Float64() < share
}

// end returns the number of an end of a bond.
func (m *Molecule) end(bond int, atom int32) int {
	if m.bonds[bond].a == atom {
		return 2 * bond
	}
	return 2*bond + 1
}

func (m *Molecule) choice(bond int, atom int32) Choice {
	return Choice{Parent: m.SMILES, End: m.end(bond, atom)}
}

// Ends returns the number of ends of all bonds.
func (m *Molecule) Ends() int { return 2 * len(m.bonds) }

// Structure returns the Kekule form: elements, charges, hydrogens and rings of the atoms, and the
// bonds.
func (m *Molecule) Structure() *chem.Structure {
	s := &chem.Structure{Atoms: make([]chem.Atom, len(m.atoms)), Bonds: make([]chem.Bond, len(m.bonds))}
	for i, a := range m.atoms {
		s.Atoms[i] = chem.Atom{Number: a.number, Charge: int32(a.charge), TotalHs: a.hydrogens, InRing: a.inRing, Degree: uint8(len(m.around[i]))}
	}
	for i, b := range m.bonds {
		s.Bonds[i] = chem.Bond{Begin: b.a, End: b.b, Type: bondTypes[b.order]}
	}
	return s
}

// Shares returns, for each end of a bond, the share of the atoms on its side after the bond is cut.
// It is 1 for a bond in a ring.
func (m *Molecule) Shares() []float64 {
	out := make([]float64, 2*len(m.bonds))
	for i, b := range m.bonds {
		out[2*i], out[2*i+1] = 1, 1
		if !b.inRing {
			out[2*i] = float64(count(m.side(b.a, i))) / float64(len(m.atoms))
			out[2*i+1] = 1 - out[2*i]
		}
	}
	return out
}
