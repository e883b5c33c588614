package nn

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperAttentionForm is the set over which the weights of a HyperAttention sum to 1.
type HyperAttentionForm uint8

const (
	// AttendHyperedges: each vertex divides its attention over its hyperedges. This is the
	// definition of Bai et al. and mode "edge" of PyTorch Geometric.
	AttendHyperedges HyperAttentionForm = iota
	// AttendVertices: each hyperedge divides its attention over its vertices. This is mode "node"
	// of PyTorch Geometric.
	AttendVertices
	// AttendAuthors is AttendHyperedges with the mistake of the authors' code, for comparison with
	// it: instead of the features of hyperedge e it reads the features of vertex e. The result of a
	// sample then depends on its position in the batch. Forward panics if a hyperedge that is not
	// empty has a number for which there is no vertex.
	AttendAuthors
)

// HyperAttentionConfig describes a HyperAttention. The zero value concatenates heads and has a
// bias.
type HyperAttentionConfig struct {
	Form    HyperAttentionForm
	Average bool    // average heads of the full output width
	Dropout float64 // of attention weights, in training
	NoBias  bool
	// DegreeOnly is as in HyperConvConfig.
	DegreeOnly bool
}

// HyperAttention is the hypergraph convolution with attention, for each head
//
//	X' = D⁻¹·A·W·B⁻¹·Aᵀ·X·Θ + b
//
// A has a weight for each incidence of H. The weight of vertex i in hyperedge e is the softmax,
// over e or over i as Form says, of LeakyReLU(a·[Θᵀx_i ‖ Θᵀf_e]), where f_e are the features of the
// hyperedge. B and D count incidences although the weights sum to 1. So even with equal weights the
// result is smaller than that of HyperConv.
//
// Input: a view with X [n,in], E [m,in] of the width of X, and optional hyperedge weights W [m].
// Output: [n,out], made of heads as in GAT. Loops are the view's convention, as in HyperConv: the
// loop of a vertex is a hyperedge with the vertex's own features. With hyperedge weights there are
// no loops. On a dual, edges attend to nodes. It panics with *tensor.ShapeError on features of
// another width.
//
// Bai et al. 2021, equations 11 to 13. Parameters are named as in the authors' code, where weight
// is the transpose of PyTorch Geometric's lin.weight.
type HyperAttention struct {
	// weight is [in,heads·h] and att [1,heads,2·h], where h is the width of a head. bias is [out]
	// or nil.
	Weight, Att, Bias *tensor.Param
	Heads             int
	HyperAttentionConfig

	in, head int
}

// NewHyperAttention returns a layer with Glorot-uniform weights and zero bias. It returns an error
// if the heads do not divide the output width. d.Edge must be d.In, or 0 for the same.
func NewHyperAttention(in Init, d ConvDims, c HyperAttentionConfig) (*HyperAttention, error) {
	if d.Edge != 0 && d.Edge != d.In {
		return nil, fmt.Errorf("nn: HyperAttention: hyperedge features of width %d, expected that of the vertices, %d", d.Edge, d.In)
	}
	heads, head, err := d.heads("HyperAttention", c.Average)
	if err != nil {
		return nil, err
	}
	l := &HyperAttention{HyperAttentionConfig: c, Heads: heads, in: d.In, head: head,
		Weight: in.Glorot("weight", d.In, heads*head, d.In, heads*head),
		Att:    in.Glorot("att", heads, 2*head, 1, heads, 2*head)}
	if !c.NoBias {
		l.Bias = in.Zeros("bias", d.Out)
	}
	return l, nil
}

// Params lists weight, att and bias.
func (l *HyperAttention) Params() []*tensor.Param { return present(l.Weight, l.Att, l.Bias) }

// Forward is one convolution.
func (l *HyperAttention) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x, _ := l.ForwardAttention(p, v)
	return x
}

// Attention lists the incidences with their weights: Weight[k] belongs to vertex Vertex[k] in
// hyperedge Edge[k]. Hyperedge m+i is the loop of vertex i.
type Attention struct {
	Vertex, Edge []int32
	Weight       *tensor.Tensor // [k,heads]
}

// ForwardAttention is Forward with the attention weights.
func (l *HyperAttention) ForwardAttention(p *Pass, v graph.View) (*tensor.Tensor, Attention) {
	s := l.structure(v)
	n, h := v.H.NumVertices(), l.Heads
	w, att := p.Var(l.Weight), p.Var(l.Att)
	alpha := l.scores(p, v, s, w.Reshape(l.in, h, l.head), att).LeakyReLU(attentionSlope)
	if l.Form == AttendVertices {
		alpha = tensor.SegmentSoftmax(alpha, s.edge)
	} else {
		alpha = tensor.SegmentSoftmax(alpha, s.vertex)
	}
	a := Attention{Vertex: s.vertex.IDs(), Edge: s.edge.IDs(), Weight: alpha}

	by := tensor.SpMMConfig{W: Dropout(p, alpha, l.Dropout).Reshape(-1)}
	x := bind(p, v.X).MatMul(w).Reshape(n*h, l.head)
	x = tensor.SpMM(s.up, x, by)
	if v.W != nil && !l.DegreeOnly {
		x = x.Reshape(v.H.NumEdges(), h*l.head).Mul(v.W.Reshape(-1, 1)).Reshape(-1, l.head)
	}
	x = tensor.SpMM(s.down, x, by).Reshape(n, h*l.head)
	if v.W != nil {
		x = x.Mul(inverseWeightedDegree(v))
	}
	if l.Average {
		x = x.Reshape(n, h, l.head).MeanAxis(1).Reshape(n, l.head)
	}
	if l.Bias != nil {
		x = x.Add(p.Var(l.Bias))
	}
	return x, a
}

// scores is a·[Θᵀx_i ‖ Θᵀf_e] for every incidence [k,heads]: a score of the vertex plus a score of
// the hyperedge. It computes the small product of x·(Θ·a) first.
func (l *HyperAttention) scores(p *Pass, v graph.View, s *hyperEntries, theta, att *tensor.Tensor) *tensor.Tensor {
	half := func(i int) *tensor.Tensor { // [in,heads]
		return theta.Mul(att.Slice(2, i*l.head, (i+1)*l.head)).SumAxis(2).Reshape(l.in, l.Heads)
	}
	x := bind(p, v.X)
	features := x
	if l.Form != AttendAuthors {
		features = edgeMatrix("HyperAttention", p, v, l.in)
		if s.loops {
			features = tensor.Concat(0, features, x)
		}
	}
	return tensor.Gather(x.MatMul(half(0)), s.vertex).Add(tensor.Gather(features.MatMul(half(1)), s.feature))
}

type hyperEntriesKey struct {
	heads             int
	authors, weighted bool
}

// hyperEntries lists the incidences one by one, with those of loops at the end.
type hyperEntries struct {
	vertex, edge *tensor.Index
	feature      *tensor.Index // rows of the hyperedges' features
	up, down     *tensor.Sparse
	loops        bool
}

func (l *HyperAttention) structure(v graph.View) *hyperEntries {
	k := hyperEntriesKey{heads: l.Heads, authors: l.Form == AttendAuthors, weighted: v.W != nil}
	return graph.Derived(v.H, k, func() *hyperEntries { return newHyperEntries(v.H, k) })
}

func newHyperEntries(h *graph.Incidence, k hyperEntriesKey) *hyperEntries {
	n, m := h.NumVertices(), h.NumEdges()
	vertex, edge := h.List()
	s := &hyperEntries{loops: h.Loops() != graph.LoopsNone && !k.weighted}
	edges := m
	if s.loops {
		vertex, edge = withLoops(n, m, vertex, edge, h.Loops())
		edges += n
	}
	feature, rows := edge, edges
	if k.authors {
		feature, rows = authorsFeature(n, m, edge), n
	}
	s.vertex, s.edge = tensor.MustIndex(vertex, n), tensor.MustIndex(edge, edges)
	s.feature = tensor.MustIndex(feature, rows)

	up := tensor.SparseConfig{Rows: edges, Cols: n, Col: vertex}
	up.Ptr, up.Weight = s.edge.Segments()
	if up.Weight != nil {
		up.Col = make([]int32, len(vertex))
		for i, k := range up.Weight {
			up.Col[i] = vertex[k]
		}
		up.NumWeights = len(vertex)
	}
	plain := tensor.NewSparse(up)
	down := plain.T()
	if !k.weighted {
		down = meanOf(down)
	}
	s.up, s.down = channelled(meanOf(plain), k.heads, true, true), channelled(down, k.heads, true, true)
	return s
}

// withLoops appends the loop of every vertex to a list of incidences, as hyperedge m+i for vertex
// i. It leaves out other singletons if loops replace them.
func withLoops(n, m int, vertex, edge []int32, loops graph.Loops) (vs, es []int32) {
	size := make([]int32, m)
	for _, e := range edge {
		size[e]++
	}
	for i, e := range edge {
		if loops != graph.LoopsReplaceSingletons || size[e] > 1 {
			vs, es = append(vs, vertex[i]), append(es, e)
		}
	}
	for v := range n {
		vs, es = append(vs, int32(v)), append(es, int32(m+v))
	}
	return vs, es
}

// authorsFeature returns the vertex whose features the authors' code uses for each hyperedge: the
// vertex with the same number, and for a loop the vertex itself.
func authorsFeature(n, m int, edge []int32) []int32 {
	out := make([]int32, len(edge))
	for i, e := range edge {
		switch {
		case int(e) >= m:
			out[i] = e - int32(m)
		case int(e) < n:
			out[i] = e
		default:
			panic(&tensor.ShapeError{Op: "HyperAttention", Shapes: [][]int{{n, m}},
				Want: fmt.Sprintf("a vertex for every hyperedge's number in the authors' form, found hyperedge %d", e)})
		}
	}
	return out
}
