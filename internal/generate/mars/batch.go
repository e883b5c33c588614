package mars

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Widths of the network's inputs.
const (
	atomWidth = 17
	bondWidth = 5 // the last column would mean no bond and is always 0
	bondKinds = 4 // single, double, triple, aromatic
)

// symbols are the elements with their own column, in this order.
var symbols = []uint8{1, 6, 7, 8, 16, 15, 9, 17, 35, 53} // H C N O S P F Cl Br I

// row writes the features of an atom: a column for its symbol, then its number, its charge, whether
// it is aromatic, a column for its hybridisation, and its hydrogens. For other symbols no symbol
// column is set.
func (a atom) row(to []float32) {
	for k, number := range symbols {
		if a.number == number {
			to[k] = 1
		}
	}
	to[10], to[11] = float32(a.number), float32(a.charge)
	if a.aromatic {
		to[12] = 1
	}
	if k := int(a.hybrid) - int(chem.SP); k >= 0 && k < 3 {
		to[13+k] = 1
	}
	to[16] = float32(a.hydrogens)
}

// kindOf returns the column of a bond type, or that of a single bond if the type has none.
func kindOf(b chem.BondType) int {
	if b >= chem.Single && b <= chem.Aromatic {
		return int(b) - 1
	}
	return 0
}

// batch has molecules as the network reads them, one after the other.
type batch struct {
	size       int
	x          *tensor.Tensor // [atoms,17]
	atomOf     *tensor.Index  // the molecule of each atom
	bondOf     *tensor.Index  // the molecule of each bond
	kinds      []int32        // of the bonds
	ends       []int32        // ends of the bonds, interleaved
	firstAtom  []int          // first atom of each molecule, and the total
	firstBond  []int
	mean, sum  *tensor.Sparse // see newMessages
	kindOfPair *tensor.Index
}

// newBatch returns a batch of molecules, on the heap.
func newBatch(of []*Molecule) *batch {
	b := &batch{size: len(of), firstAtom: []int{0}, firstBond: []int{0}}
	var atomOf, bondOf []int32
	for i, m := range of {
		base := int32(len(atomOf))
		for range m.atoms {
			atomOf = append(atomOf, int32(i))
		}
		for _, e := range m.bonds {
			b.ends = append(b.ends, base+e.u, base+e.v)
			b.kinds = append(b.kinds, int32(kindOf(e.kind)))
			bondOf = append(bondOf, int32(i))
		}
		b.firstAtom, b.firstBond = append(b.firstAtom, len(atomOf)), append(b.firstBond, len(bondOf))
	}
	rows := make([]float32, len(atomOf)*atomWidth)
	at := 0
	for _, m := range of {
		for _, a := range m.atoms {
			a.row(rows[at:][:atomWidth])
			at += atomWidth
		}
	}
	b.x = tensor.FromSlice(rows, len(atomOf), atomWidth)
	b.atomOf, b.bondOf = tensor.MustIndex(atomOf, b.size), tensor.MustIndex(bondOf, b.size)
	b.newMessages()
	return b
}

// newMessages divides the messages by the type of their bond. A pair is an atom and a bond type
// that the atom has. Pairs are sorted by type, then by atom. mean [pairs,atoms] gives for a pair
// the sum over the neighbours by bonds of this type, divided by the number of all neighbours. sum
// [atoms,pairs] adds the pairs of an atom.
func (b *batch) newMessages() {
	n := b.x.Dim(0)
	degree := make([]int32, n)
	for _, v := range b.ends {
		degree[v]++
	}
	type entry struct{ to, from int32 }
	var byKind [bondKinds][]entry
	for e, k := range b.kinds {
		u, v := b.ends[2*e], b.ends[2*e+1]
		byKind[k] = append(byKind[k], entry{v, u}, entry{u, v})
	}
	mean := tensor.SparseConfig{Cols: n, Ptr: []int32{0}}
	var kinds, atoms []int32
	count := make([]int32, n)
	for k, entries := range byKind {
		clear(count)
		for _, e := range entries {
			count[e.to]++
		}
		at := make([]int32, n) // position of the next entry of each atom
		next := int32(len(mean.Col))
		for v, c := range count {
			if c == 0 {
				continue
			}
			at[v] = next
			next += c
			kinds, atoms, mean.Ptr = append(kinds, int32(k)), append(atoms, int32(v)), append(mean.Ptr, next)
		}
		mean.Col = append(mean.Col, make([]int32, len(entries))...)
		mean.Coef = append(mean.Coef, make([]float32, len(entries))...)
		for _, e := range entries {
			mean.Col[at[e.to]], mean.Coef[at[e.to]] = e.from, 1/float32(degree[e.to])
			at[e.to]++
		}
	}
	mean.Rows = len(kinds)
	b.mean = tensor.NewSparse(mean)
	ofAtom := tensor.MustIndex(atoms, n)
	ptr, pairs := ofAtom.Segments()
	if pairs == nil { // the ids are sorted
		pairs = lists.Range[int32](len(atoms))
	}
	b.sum = tensor.NewSparse(tensor.SparseConfig{Rows: n, Cols: len(kinds), Ptr: ptr, Col: pairs})
	b.kindOfPair = tensor.MustIndex(kinds, bondKinds)
}

// bonds returns the features of the bonds, [bonds,5].
func (b *batch) bonds() *tensor.Tensor {
	x := tensor.New(len(b.kinds), bondWidth)
	for e, k := range b.kinds {
		x.Data()[e*bondWidth+int(k)] = 1
	}
	return x
}

// view returns the molecules as graphs with undirected bonds.
func (b *batch) view() graph.View {
	h, err := graph.NewPairs(b.x.Dim(0), b.ends, false)
	if err != nil {
		panic(err) // cannot happen: the ends of bonds are atoms
	}
	return graph.View{X: b.x, E: b.bonds(), H: h, VertexOf: b.atomOf, EdgeOf: b.bondOf}
}
