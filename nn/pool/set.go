package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// The blocks of the Set Transformer (Lee et al. 2019, section 3) as the GMT
// authors' code has them: every one is a MAB, and they differ in what asks what.
// Sets are the samples of a batch and never padded.

// PMA is pooling by multi-head attention: a fixed number of learned seeds asks
// the elements of each sample. It is GMPool with Linear keys, without the
// feed-forward map before it that the Set Transformer's paper has and GMT's code
// leaves out.
type PMA = GMPool

// Pairs is the attention within ragged sets: entry i says how much, head by
// head, element Query[i] takes of element Key[i].
type Pairs struct {
	Query, Key *tensor.Index
	Weight     *tensor.Tensor // [pairs,heads]
}

// SAB is the set attention block MAB(X, X): every element attends to all
// elements of its own sample (Lee et al. 2019, equation 7).
//
// Input: vertices X [n,in], output [n,out]; or, for ForwardDense, [G,k,in] and
// [G,k,out]. Cost: one score per pair of elements of a sample and head, so n² of
// a sample's size; ISAB is linear. With the cluster form the softmax is over the
// elements that ask.
type SAB struct{ *MAB }

// NewSAB returns a block from width dimIn to width dim. It panics unless the
// heads divide dim.
func NewSAB(in nn.Init, dimIn, dim int, c MABConfig) *SAB {
	return &SAB{NewMAB(in.In("mab"), dimIn, dimIn, dim, c)}
}

// Forward lets the vertices of each sample attend to one another: [n,out].
func (s *SAB) Forward(p *nn.Pass, v graph.View) (*tensor.Tensor, Pairs) {
	return s.ForwardVertices(p, v.X, v.VertexOf, v)
}

// ForwardDense is Forward for samples of equal size: x [G,k,in] gives [G,k,out]
// and the attention, in which element j of sample g has row g·k+j.
func (s *SAB) ForwardDense(p *nn.Pass, x *tensor.Tensor) (*tensor.Tensor, Attention) {
	return s.MAB.Forward(p, x, setView(x))
}

// setView is a view whose samples are the rows of x [G,k,d], without structure.
func setView(x *tensor.Tensor) graph.View {
	samples, k := x.Dim(0), x.Dim(1)
	of := make([]int32, samples*k)
	for i := range of {
		of[i] = int32(i / k)
	}
	return graph.View{X: x.Reshape(samples*k, x.Dim(2)), VertexOf: tensor.MustIndex(of, samples)}
}

// ISAB is the induced set attention block: k learned points ask the elements of a
// sample, and the elements ask the points (Lee et al. 2019, equations 9 and 10):
//
//	H = MAB0(I, X),  out = MAB1(X, H)
//
// Input: vertices X [n,in], output [n,out]. Cost n·k.
type ISAB struct {
	Points     *tensor.Param // I [1,k,out], Glorot uniform
	MAB0, MAB1 *MAB
}

// NewISAB returns a block with k points from width dimIn to width dim. MABConfig's
// Keys apply to the first MAB, whose keys are the vertices. It panics unless the
// heads divide dim.
func NewISAB(in nn.Init, k, dimIn, dim int, c MABConfig) *ISAB {
	first := NewMAB(in.In("mab0"), dim, dimIn, dim, c)
	c.Keys = nil
	return &ISAB{Points: in.Glorot("I", k, dim, 1, k, dim), MAB0: first, MAB1: NewMAB(in.In("mab1"), dimIn, dim, dim, c)}
}

// Params lists the points and both blocks' parameters.
func (s *ISAB) Params() []*tensor.Param {
	return append([]*tensor.Param{s.Points}, nn.Params(s.MAB0, s.MAB1)...)
}

// Forward lets the vertices of each sample attend to one another by way of the
// points: [n,out].
func (s *ISAB) Forward(p *nn.Pass, v graph.View) *tensor.Tensor {
	points := p.Var(s.Points)
	h, _ := s.MAB0.Forward(p, points, v)
	return s.MAB1.forwardSeeds(p, v.X, v.VertexOf, h)
}

// ForwardVertices is Forward with ragged queries: q [n,dimQ], of which of tells
// the samples, in order, attend to the vertices of v in the same sample, giving
// [n,dim].
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

// newPairs lists, query by query, the keys of its sample: a sparse matrix with a
// weight per entry, and the two ends of each entry.
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

// forwardSeeds attends from ragged queries q [n,dimQ] to equally many keys per
// sample [G,k,dimK], giving [n,dim].
func (m *MAB) forwardSeeds(p *nn.Pass, q *tensor.Tensor, of *tensor.Index, seeds *tensor.Tensor) *tensor.Tensor {
	query := m.Q.Forward(p, p.Tape.Bind(q))
	view := setView(seeds)
	samples, k, dim := seeds.Dim(0), seeds.Dim(1), query.Dim(1)
	keys := m.Keys.Forward(p, view).Reshape(samples, k, dim)
	values := m.Values.Forward(p, view).Reshape(samples, k, dim)
	return m.finish(p, m.eachHead(query, func(h head) *tensor.Tensor {
		score := tensor.RaggedNT(h.of(query), h.of(keys), of).MulScalar(m.scale(query))
		if m.Cluster {
			score = tensor.SegmentSoftmax(score, of)
		} else {
			score = score.Softmax()
		}
		return tensor.RaggedNN(score, h.of(values), of)
	}))
}
