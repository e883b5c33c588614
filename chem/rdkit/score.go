//go:build rdkit

package rdkit

// #include "shim.h"
import "C"

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
)

// Bounds of a fingerprint: a larger radius finds nothing new, more bits are a mistake, and
// identifiers of atom pairs have no room for more bonds.
const (
	maxRadius   = 10
	maxBits     = 1 << 20
	maxDistance = 30
)

func (m *molecule) MorganBits(radius, bits int) ([]int32, error) {
	if radius < 0 || radius > maxRadius || bits < 1 || bits > maxBits {
		return nil, invalid("a fingerprint of radius %d and %d bits, expected at most %d and %d", radius, bits, maxRadius, maxBits)
	}
	var d C.rd_data
	if err := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_morgan_bits(c, C.uint(radius), C.uint(bits), &d) }); err != nil {
		return nil, err
	}
	return taken[int32](d), nil
}

func (m *molecule) MorganCounts(radius int) ([]chem.Count, error) { return m.morgan(radius, false) }

func (m *molecule) FeatureCounts(radius int) ([]chem.Count, error) { return m.morgan(radius, true) }

func (m *molecule) morgan(radius int, features bool) ([]chem.Count, error) {
	if radius < 0 || radius > maxRadius {
		return nil, invalid("a fingerprint of radius %d, expected at most %d", radius, maxRadius)
	}
	return m.counts(func(c *C.rd_mol, d *C.rd_data) C.rd_error {
		return C.rd_morgan_counts(c, C.uint(radius), C.int(truth(features)), d)
	})
}

func (m *molecule) PairCounts(distance int) ([]chem.Count, error) {
	if distance < 1 || distance > maxDistance {
		return nil, invalid("pairs of atoms up to %d bonds apart, expected 1 to %d", distance, maxDistance)
	}
	return m.counts(func(c *C.rd_mol, d *C.rd_data) C.rd_error { return C.rd_pair_counts(c, C.uint(distance), d) })
}

// counts returns an unfolded fingerprint.
func (m *molecule) counts(of func(c *C.rd_mol, d *C.rd_data) C.rd_error) ([]chem.Count, error) {
	var d C.rd_data
	if err := m.small(func(c *C.rd_mol) C.rd_error { return of(c, &d) }); err != nil {
		return nil, err
	}
	counts := make([]chem.Count, 0, int(d.size))
	for _, c := range taken[C.rd_count](d) {
		counts = append(counts, chem.Count{ID: uint32(c.id), N: int32(c.count)})
	}
	slices.SortFunc(counts, func(a, b chem.Count) int { return cmp.Compare(a.ID, b.ID) })
	return counts, nil
}

func (m *molecule) QED() (chem.QEDProperties, error) {
	var p [8]C.double
	if err := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_qed(c, &p[0]) }); err != nil {
		return chem.QEDProperties{}, err
	}
	return chem.QEDProperties{MW: float64(p[0]), LogP: float64(p[1]), HBA: float64(p[2]), HBD: float64(p[3]),
		PSA: float64(p[4]), RotB: float64(p[5]), Aromatic: float64(p[6]), Alerts: float64(p[7])}, nil
}

func (m *molecule) SA() (chem.SATerms, error) {
	counts, err := m.MorganCounts(2)
	if err != nil {
		return chem.SATerms{}, err
	}
	var t [4]C.int32_t
	if err := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_complexity(c, &t[0]) }); err != nil {
		return chem.SATerms{}, err
	}
	return chem.SATerms{Atoms: m.atoms, Fragments: counts, Centres: int(t[0]), Spiro: int(t[1]), Bridgeheads: int(t[2]), LargeRings: int(t[3])}, nil
}

func (m *molecule) LogP() (float64, error) {
	var logp C.double
	err := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_logp(c, &logp) })
	return float64(logp), err
}

func (m *molecule) Rings() (chem.Rings, error) {
	var t [4]C.int32_t
	err := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_rings(c, &t[0]) })
	return chem.Rings{Largest: int(t[0]), Aromatic: int(t[1]), SmallDoubles: int(t[2]), Allenes: int(t[3])}, err
}
