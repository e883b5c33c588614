package proposal

import (
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/tensor"
)

// Widths of what the network reads.
const (
	atomWidth = 13
	bondWidth = 3 // single, double, triple
)

// elements have a column each; others share the last.
var elements = []uint8{6, 7, 8, 9, 16, 17, 35, 0}

// row writes the features of an atom: its element, charge, hydrogens, bonds, and whether it is in a ring.
func row(a chem.Atom, to []float32) {
	k := slices.Index(elements, a.Number)
	if k < 0 {
		k = len(elements) - 1
	}
	to[k] = 1
	to[8], to[9], to[10] = float32(a.Charge), float32(a.TotalHs)/2, float32(a.Degree)/2
	if a.InRing {
		to[11] = 1
	}
	to[12] = 1
}

// molecules are several as a network sees them, one after the other.
type molecules struct {
	atoms, bonds   *tensor.Tensor // [atoms,13]; [bonds,29]: of the atoms of a bond the sum and the difference, and its order
	ends           *tensor.Tensor // [ends,27]: the atoms of an end, and its share
	bondOfEnd      *tensor.Index
	incidence      *graph.Incidence
	atomOf, bondOf *tensor.Index // the molecule of each
}

func newMolecules(of []*operator.Molecule) *molecules {
	var x, e, d []float32
	var ends, bondOfEnd, atomOf, bondOf []int32
	for i, m := range of {
		s, shares, base := m.Structure(), m.Shares(), int32(len(atomOf))
		for _, a := range s.Atoms {
			x = append(x, make([]float32, atomWidth)...)
			row(a, x[len(x)-atomWidth:])
			atomOf = append(atomOf, int32(i))
		}
		atom := func(i int32) []float32 { return x[int(base+i)*atomWidth:][:atomWidth] }
		for j, b := range s.Bonds {
			u, v, order := atom(b.Begin), atom(b.End), [bondWidth]float32{}
			for k := range u {
				e = append(e, u[k]+v[k])
			}
			for k := range u {
				e = append(e, max(u[k]-v[k], v[k]-u[k]))
			}
			order[b.Type-chem.Single] = 1
			e = append(e, order[:]...)
			d = append(append(append(d, u...), v...), float32(shares[2*j]))
			d = append(append(append(d, v...), u...), float32(shares[2*j+1]))
			bondOfEnd = append(bondOfEnd, int32(len(bondOf)), int32(len(bondOf)))
			ends, bondOf = append(ends, base+b.Begin, base+b.End), append(bondOf, int32(i))
		}
	}
	h, err := graph.NewPairs(len(atomOf), ends, false)
	if err != nil {
		panic(err) // the ends of bonds are atoms
	}
	return &molecules{
		atoms: tensor.FromSlice(x, len(atomOf), atomWidth), bonds: tensor.FromSlice(e, len(bondOf), 2*atomWidth+bondWidth),
		ends: tensor.FromSlice(d, len(bondOfEnd), 2*atomWidth+1), bondOfEnd: tensor.MustIndex(bondOfEnd, len(bondOf)), incidence: h,
		atomOf: tensor.MustIndex(atomOf, len(of)), bondOf: tensor.MustIndex(bondOf, len(of)),
	}
}
