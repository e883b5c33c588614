package proposal

import (
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/tensor"
)

// Widths of the network's inputs.
const (
	atomWidth = 13
	bondWidth = 3 // single, double, triple
)

// elements have a column each. Other elements share the last column.
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

// molecule has the inputs of the network for a molecule.
type molecule struct {
	atoms, bonds []float32 // rows of 13; rows of 29: the sum and the difference of the rows of a bond's atoms, and its order
	ends         []float32 // rows of 27 for each end of a bond: its atom, the other atom, and its share
	pairs        []int32   // the atoms of each bond
}

func newMolecule(of *operator.Molecule) *molecule {
	s, shares := of.Structure(), of.Shares()
	m := &molecule{atoms: make([]float32, len(s.Atoms)*atomWidth)}
	atom := func(i int32) []float32 { return m.atoms[int(i)*atomWidth:][:atomWidth] }
	for i, a := range s.Atoms {
		row(a, atom(int32(i)))
	}
	for j, b := range s.Bonds {
		u, v, order := atom(b.Begin), atom(b.End), [bondWidth]float32{}
		for k := range u {
			m.bonds = append(m.bonds, u[k]+v[k])
		}
		for k := range u {
			m.bonds = append(m.bonds, max(u[k]-v[k], v[k]-u[k]))
		}
		order[b.Type-chem.Single] = 1
		m.bonds = append(m.bonds, order[:]...)
		m.ends = append(append(append(m.ends, u...), v...), float32(shares[2*j]))
		m.ends = append(append(append(m.ends, v...), u...), float32(shares[2*j+1]))
		m.pairs = append(m.pairs, b.Begin, b.End)
	}
	return m
}

// molecules is a batch of molecules, one after the other.
type molecules struct {
	atoms, bonds, ends *tensor.Tensor
	bondOfEnd          *tensor.Index
	incidence          *graph.Incidence
	atomOf, bondOf     *tensor.Index // the molecule of each atom and of each bond
}

func join(of []*molecule) *molecules {
	var x, e, d []float32
	var pairs, bondOfEnd, atomOf, bondOf []int32
	for i, m := range of {
		base := int32(len(atomOf))
		x, e, d = append(x, m.atoms...), append(e, m.bonds...), append(d, m.ends...)
		for _, a := range m.pairs {
			pairs, bondOfEnd = append(pairs, base+a), append(bondOfEnd, int32(len(bondOfEnd)/2))
		}
		atomOf = append(atomOf, slices.Repeat([]int32{int32(i)}, len(m.atoms)/atomWidth)...)
		bondOf = append(bondOf, slices.Repeat([]int32{int32(i)}, len(m.pairs)/2)...)
	}
	h, err := graph.NewPairs(len(atomOf), pairs, false)
	if err != nil {
		panic(err) // cannot happen: the ends of bonds are atoms
	}
	return &molecules{
		atoms: tensor.FromSlice(x, len(atomOf), atomWidth), bonds: tensor.FromSlice(e, len(bondOf), 2*atomWidth+bondWidth),
		ends: tensor.FromSlice(d, len(bondOfEnd), 2*atomWidth+1), bondOfEnd: tensor.MustIndex(bondOfEnd, len(bondOf)), incidence: h,
		atomOf: tensor.MustIndex(atomOf, len(of)), bondOf: tensor.MustIndex(bondOf, len(of)),
	}
}
