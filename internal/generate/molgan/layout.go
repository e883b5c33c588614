package molgan

import (
	"github.com/ehgnn/ehgnn/tensor"
)

// layout is the constant structure of a batch of graphs: the pairs of each atom, and the positions
// of pairs in the matrix of a graph.
type layout struct {
	Space
	graphs int
	// touch [atoms, pairs] has the pairs of each atom. joined [pairs, atoms] has the atoms of each
	// pair with coefficient 1/3. Entries of touch have the weights of their pairs.
	touch, joined *tensor.Sparse
	third         *tensor.Tensor // [pairs], all 1/3
	sums          *tensor.Sparse // [graphs, pairs] has the pairs of each graph, each with its weight
	graphOf       *tensor.Index  // graph of each atom
	// dense has the positions in the matrices of the rows of pairs and of one more row, for the
	// diagonal.
	dense *tensor.Index
	// upper and lower are the positions of the pairs in the matrices, above and below the diagonal.
	upper, lower *tensor.Index
}

func newLayout(s Space, graphs int) *layout {
	n, pairs, ends := s.Size, s.Pairs(), s.ends()
	l := &layout{Space: s, graphs: graphs, third: tensor.Full(1./3, graphs*pairs)}
	var touch, joined, of, dense, upper, lower []int32
	var coef []float32
	ptr := []int32{0}
	for g := range graphs {
		for i := range n {
			of = append(of, int32(g))
			for j := range n {
				if i == j {
					dense = append(dense, int32(graphs*pairs))
					continue
				}
				p := int32(g*pairs + s.pair(i, j))
				touch, dense = append(touch, p), append(dense, p)
			}
		}
		for _, e := range ends {
			i, j := int32(g*n)+e[0], int32(g*n)+e[1]
			joined, coef = append(joined, i, j), append(coef, 1./3, 1./3)
			upper, lower = append(upper, i*int32(n)+e[1]), append(lower, j*int32(n)+e[0])
		}
		ptr = append(ptr, int32((g+1)*pairs))
	}
	l.touch = tensor.NewSparse(tensor.SparseConfig{Rows: graphs * n, Cols: graphs * pairs, Width: n - 1, Col: touch, Weight: touch, NumWeights: graphs * pairs})
	l.joined = tensor.NewSparse(tensor.SparseConfig{Rows: graphs * pairs, Cols: graphs * n, Width: 2, Col: joined, Coef: coef})
	l.sums = tensor.NewSparse(tensor.SparseConfig{Rows: graphs, Cols: graphs * pairs, Ptr: ptr, NumWeights: graphs * pairs})
	l.graphOf = tensor.MustIndex(of, graphs)
	l.dense = tensor.MustIndex(dense, graphs*pairs+1)
	l.upper, l.lower = tensor.MustIndex(upper, graphs*n*n), tensor.MustIndex(lower, graphs*n*n)
	return l
}

// matrices writes rows of pairs [graphs·pairs, d] into [graphs, Size, Size·d], with the row [1, d]
// on the diagonal.
func (l *layout) matrices(rows, diagonal *tensor.Tensor) *tensor.Tensor {
	return tensor.Gather(tensor.Concat(0, rows, diagonal), l.dense).Reshape(l.graphs, l.Size, -1)
}

// layouts are the layouts of a space by the number of graphs.
type layouts struct {
	Space
	of map[int]*layout
}

func newLayouts(s Space) *layouts { return &layouts{s, map[int]*layout{}} }

func (ls *layouts) get(graphs int) *layout {
	if ls.of[graphs] == nil {
		ls.of[graphs] = newLayout(ls.Space, graphs)
	}
	return ls.of[graphs]
}

// graphs is a batch as critics read it.
type graphs struct {
	*layout
	bonds *tensor.Tensor // [graphs·pairs, bondCodes], rows that sum to 1
	atoms *tensor.Tensor // [graphs·Size, atomCodes], rows that sum to 1
}

// oneHot returns a batch of molecules.
func (ls *layouts) oneHot(ms []Molecule) graphs {
	g := graphs{layout: ls.get(len(ms)), bonds: tensor.New(len(ms)*ls.Pairs(), bondCodes), atoms: tensor.New(len(ms)*ls.Size, ls.atomCodes())}
	for k, m := range ms {
		for p, code := range m.Bonds {
			g.bonds.Data()[(k*ls.Pairs()+p)*bondCodes+int(code)] = 1
		}
		for i, code := range m.Atoms {
			g.atoms.Data()[(k*ls.Size+i)*ls.atomCodes()+int(code)] = 1
		}
	}
	return g
}

// join returns two batches as one, on a tape.
func (ls *layouts) join(t *tensor.Tape, a, b graphs) graphs {
	return graphs{layout: ls.get(a.graphs + b.graphs), bonds: tensor.Concat(0, t.Bind(a.bonds), t.Bind(b.bonds)), atoms: tensor.Concat(0, t.Bind(a.atoms), t.Bind(b.atoms))}
}
