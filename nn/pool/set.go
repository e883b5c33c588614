package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Pairs is the attention within ragged sets. Entry i is the weight, for each head, with which
// element Query[i] attends to element Key[i].
type Pairs struct {
	Query, Key *tensor.Index
	Weight     *tensor.Tensor // [pairs,heads]
}

// SAB is the set attention block MAB(X, X): every element attends to all elements of its own sample
// (Lee et al. 2019, equation 7).
//
// Input: vertices X [n,in]. Output: [n,out]. ForwardDense takes [G,k,in] and returns [G,k,out].
// Cost: one score per head and pair of elements of a sample, so n² of a sample's size. With Cluster
// the softmax is over the queries. There is no padding.
type SAB struct{ *MAB }

// NewSAB returns a block. It returns an error if the heads do not divide the output width.
func NewSAB(in nn.Init, d nn.Dims, c MABConfig) (*SAB, error) {
	mab, err := NewMAB(in.In("mab"), MABDims{Query: d.In, Key: d.In, Out: d.Out}, c)
	if err != nil {
		return nil, err
	}
	return &SAB{mab}, nil
}

// Forward lets the vertices of each sample attend to one another: [n,out].
func (s *SAB) Forward(p *nn.Pass, v graph.View) (*tensor.Tensor, Pairs) {
	return s.ForwardVertices(p, v.X, v.VertexOf, v)
}

// ForwardDense is Forward for samples of equal size. x [G,k,in] gives [G,k,out] and the attention,
// in which element j of sample g has row g·k+j.
func (s *SAB) ForwardDense(p *nn.Pass, x *tensor.Tensor) (*tensor.Tensor, Attention) {
	return s.MAB.Forward(p, x, setView(x))
}

// setView returns a view whose samples are the rows of x [G,k,d], without structure.
func setView(x *tensor.Tensor) graph.View {
	samples, k := x.Dim(0), x.Dim(1)
	of := make([]int32, samples*k)
	for i := range of {
		of[i] = int32(i / k)
	}
	return graph.View{X: x.Reshape(samples*k, x.Dim(2)), VertexOf: tensor.MustIndex(of, samples)}
}

// ForwardVertices is Forward with ragged queries: each row of q [n,query] attends to the vertices
// of v in its own sample. of gives the sample of each row and is sorted. The result is [n,out].
func (m *MAB) ForwardVertices(p *nn.Pass, q *tensor.Tensor, of *tensor.Index, v graph.View) (*tensor.Tensor, Pairs) {
	query := m.Q.Forward(p, p.Tape.Bind(q))
	keys, values := m.Keys.Forward(p, v), m.Values.Forward(p, v)
	all, pairs := newPairs(of, v.VertexOf)
	score := tensor.SDDMMHeads(all, query, keys, m.Heads).MulScalar(m.scale(query))
	if m.Cluster {
		pairs.Weight = tensor.SegmentSoftmax(score, pairs.Key)
	} else {
		pairs.Weight = tensor.SegmentSoftmax(score, pairs.Query)
	}
	return m.finish(p, query.Add(tensor.SpMMHeads(all, values, pairs.Weight))), pairs
}

// newPairs lists for each query the keys of its sample: a sparse matrix with a weight per entry,
// and the two ends of each entry.
func newPairs(queryOf, keyOf *tensor.Index) (*tensor.Sparse, Pairs) {
	if queryOf.Slots() != keyOf.Slots() {
		panic(&tensor.ShapeError{Op: "MAB", Shapes: [][]int{{queryOf.Slots()}, {keyOf.Slots()}}, Want: "queries and keys of as many samples"})
	}
	first, _ := keyOf.Segments()
	ptr := make([]int32, queryOf.Len()+1)
	for i, g := range queryOf.IDs() {
		ptr[i+1] = ptr[i] + first[g+1] - first[g]
	}
	query, key := make([]int32, 0, ptr[len(ptr)-1]), make([]int32, 0, ptr[len(ptr)-1])
	for i, g := range queryOf.IDs() {
		for j := first[g]; j < first[g+1]; j++ {
			query, key = append(query, int32(i)), append(key, j)
		}
	}
	all := tensor.NewSparse(tensor.SparseConfig{Rows: queryOf.Len(), Cols: keyOf.Len(), Ptr: ptr, Col: key})
	return all, Pairs{Query: tensor.IndexWithSegments(query, queryOf.Len(), ptr, nil), Key: tensor.MustIndex(key, keyOf.Len())}
}
