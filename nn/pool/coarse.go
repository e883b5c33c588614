package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Coarse is the result of a dense pool.
type Coarse struct {
	Dense // [G,k,d] cluster features SᵀX and [G,k,k] coarsened adjacency
	// Assign is S [n,k], the share of each vertex of the input in each cluster. Rows sum to 1.
	Assign *tensor.Tensor
	// Losses are the pool's own losses, to be added to the task's loss with weight 1.
	Losses []Loss
}

// Loss is one auxiliary loss of a pool, of rank 0.
type Loss struct {
	Name  string
	Value *tensor.Tensor
}

// Aux is the sum of the pool's losses.
func (c Coarse) Aux() *tensor.Tensor {
	sum := c.Losses[0].Value
	for _, l := range c.Losses[1:] {
		sum = sum.Add(l.Value)
	}
	return sum
}

// level is the input of a dense pool, a sparse or an already coarsened graph: the vertices of all
// samples in one list, and an adjacency to multiply with. The same formulas serve both.
type level struct {
	x  *tensor.Tensor // [n,d]
	of *tensor.Index  // the sample of each vertex
	adjacency
}

// adjacency is A in blocks: A_g for sample g.
type adjacency interface {
	// times is A·x for x [n,c].
	times(x *tensor.Tensor) *tensor.Tensor
	// misfit is ‖A_g - S_g·S_gᵀ‖² of each sample [G], given SᵀAS and SᵀS.
	misfit(s, pooled, gram *tensor.Tensor, of *tensor.Index) *tensor.Tensor
}

// padded is the number of vertices per sample in the published code, which pads each sample to the
// size of the largest.
func (l level) padded() int {
	longest := int32(0)
	for _, c := range l.of.Counts() {
		longest = max(longest, c)
	}
	return int(longest)
}

// coarsen returns SᵀX, SᵀAS and SᵀS of each sample. No matrix of size n² is stored: A·S costs m·k.
func (l level) coarsen(s *tensor.Tensor) (x, a, gram *tensor.Tensor) {
	return tensor.RaggedTN(s, l.x, l.of), tensor.RaggedTN(s, l.times(s), l.of), tensor.RaggedTN(s, s, l.of)
}

// sparseLevel returns the level of a graph. It panics with the name of the layer if the hyperedges
// of the view are not edges.
func sparseLevel(layer string, v graph.View) level {
	a, ok := v.H.AdjacencyWithLoops()
	if !ok {
		panic(&tensor.ShapeError{Op: layer, Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}},
			Want: "a graph whose edges have two ends"})
	}
	return level{x: v.X, of: v.VertexOf, adjacency: sparseAdjacency{v: v, m: a.Messages.T()}}
}

// sparseAdjacency is the adjacency of a graph. Row u lists the targets of u, like the dense matrix
// of the published code, so it is the transpose of the messages. A self-loop is on the diagonal
// once. Weights of parallel edges are added.
type sparseAdjacency struct {
	v graph.View
	m *tensor.Sparse
}

func (a sparseAdjacency) times(x *tensor.Tensor) *tensor.Tensor {
	return tensor.SpMM(a.m, x, tensor.SpMMConfig{W: a.v.W})
}

// misfit is expanded to ‖A‖² - 2·tr(SᵀAS) + ‖SᵀS‖². If S·Sᵀ is close to A, the terms cancel. The
// error is then that of ‖A‖² in float32: relative to the result about 1e-7·‖A‖²/misfit. So a
// perfect fit can be slightly below 0. This is only possible with self-loops: without them the
// diagonal alone leaves 1 for each node that belongs to one cluster, so misfit/‖A‖² stays above one
// over the mean degree.
func (a sparseAdjacency) misfit(_, pooled, gram *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return a.squares(of).Sub(trace(pooled).MulScalar(2)).Add(squares(gram))
}

// squares is ‖A_g‖² of each sample [G].
func (a sparseAdjacency) squares(of *tensor.Index) *tensor.Tensor {
	e := graph.Derived(a.v.H, elementsKey{}, func() elements { return newElements(a.m) })
	if a.v.W == nil {
		return tensor.SegmentSum(e.rowSquares, of)
	}
	w := tensor.Gather(a.v.W.Reshape(-1), e.weight)
	if e.element != nil {
		w = tensor.SegmentSum(w, e.element)
	}
	return tensor.SegmentSum(tensor.SegmentSum(w.Square(), e.row), of)
}

type elementsKey struct{}

// elements groups the entries of a sparse matrix by element of the dense matrix: parallel edges
// share an element.
type elements struct {
	weight     *tensor.Index  // entry to the edge that has its weight
	element    *tensor.Index  // entry to element; nil if each entry has its own
	row        *tensor.Index  // element to row
	rowSquares *tensor.Tensor // [n] squared norm of each row if all edges have weight 1
}

func newElements(m *tensor.Sparse) elements {
	nnz := m.Entries()
	element, row := make([]int32, 0, nnz), make([]int32, 0, nnz)
	norms := tensor.New(m.Rows)
	at := make([]int32, m.Cols) // 1 + the element of each column; a value up to first is from an earlier row
	var count []int32
	for i := range m.Rows {
		first := int32(len(row))
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			j := m.Col[k]
			if at[j] <= first {
				row = append(row, int32(i))
				count = append(count, 0)
				at[j] = int32(len(row))
			}
			e := at[j] - 1
			element = append(element, e)
			count[e]++
		}
		for _, c := range count[first:] {
			norms.Data()[i] += float32(c) * float32(c)
		}
	}
	e := elements{weight: tensor.MustIndex(m.Weight, m.NumWeights), row: tensor.MustIndex(row, m.Rows), rowSquares: norms}
	if len(row) < nnz {
		e.element = tensor.MustIndex(element, len(row))
	}
	return e
}

// denseLevel returns the level of graphs that are already coarsened.
func denseLevel(layer string, d Dense) level {
	samples, k := d.check(layer)
	of := make([]int32, samples*k)
	for i := range of {
		of[i] = int32(i / k)
	}
	return level{x: d.X.Reshape(samples*k, d.X.Dim(2)), of: tensor.MustIndex(of, samples), adjacency: denseAdjacency{d.A}}
}

type denseAdjacency struct{ a *tensor.Tensor }

// blocks returns a matrix with k rows per sample as one matrix per sample.
func (a denseAdjacency) blocks(x *tensor.Tensor) *tensor.Tensor {
	return x.Reshape(a.a.Dim(0), a.a.Dim(1), x.Dim(1))
}

func (a denseAdjacency) times(x *tensor.Tensor) *tensor.Tensor {
	return tensor.BatchMatMul(a.a, a.blocks(x), false, false).Reshape(x.Dim(0), x.Dim(1))
}

func (a denseAdjacency) misfit(s, _, _ *tensor.Tensor, _ *tensor.Index) *tensor.Tensor {
	b := a.blocks(s)
	return squares(a.a.Sub(tensor.BatchMatMul(b, b, false, true)))
}
