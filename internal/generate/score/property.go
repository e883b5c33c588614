package score

import "github.com/ehgnn/ehgnn/chem"

// Property is a number of a parsed molecule. It is called from several goroutines, each with
// molecules of its own.
type Property func(m *Molecule) (float64, error)

// Molecule is a molecule whose fingerprint several properties share.
type Molecule struct {
	chem.Molecule
	radius, size int
	bits         []int32
}

// MorganBits are those of the molecule, which must not be changed.
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

// QED is the drug-likeness of a molecule, in [0,1].
func QED(m *Molecule) (float64, error) {
	p, err := m.QED()
	if err != nil {
		return 0, err
	}
	return p.Score(), nil
}

// SA is (10-s)/9 of the synthetic accessibility score s, in [0,1]: 1 is easy to make. It is
// the form of MARS.
func SA(m *Molecule) (float64, error) {
	terms, err := m.SA()
	if err != nil {
		return 0, err
	}
	return (10 - terms.Score()) / 9, nil
}
