package score

import "github.com/ehgnn/ehgnn/chem"

// Property computes a number of a parsed molecule. It is called from several goroutines, with
// different molecules.
type Property func(m *Molecule) (float64, error)

// Molecule is a parsed molecule with a fingerprint that several properties share.
type Molecule struct {
	chem.Molecule
	radius, size int
	bits         []int32
}

// MorganBits returns the bits of the molecule's fingerprint. The caller must not change them.
func (m *Molecule) MorganBits(radius, size int) ([]int32, error) {
	if m.bits == nil || m.radius != radius || m.size != size {
		bits, err := m.Molecule.MorganBits(radius, size)
		if err != nil {
			return nil, err
		}
		m.radius, m.size, m.bits = radius, size, bits
	}
	return m.bits, nil
}

// QED returns the drug-likeness of a molecule, in [0,1].
func QED(m *Molecule) (float64, error) {
	p, err := m.QED()
	if err != nil {
		return 0, err
	}
	return p.Score(), nil
}

// SA returns (10-s)/9 in [0,1], where s is the synthetic accessibility score: 1 is easy to make.
// MARS uses this form.
func SA(m *Molecule) (float64, error) {
	terms, err := m.SA()
	if err != nil {
		return 0, err
	}
	return (10 - terms.Score()) / 9, nil
}
