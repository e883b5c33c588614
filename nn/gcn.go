package nn

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GCNConfig describes a GCN. The zero value normalises, adds self-loops of weight 1 and has a bias.
type GCNConfig struct {
	NoNormalize bool    // sum neighbours without degrees
	NoLoops     bool    // add no self-loops
	NoBias      bool    //
	LoopWeight  float32 // weight of an added self-loop, 1 when zero; 2 is "improved"
}

// GCN is the graph convolution X' = D^-1/2·(A+I)·D^-1/2·X·Wᵀ + b. Degrees are counted at the target
// and include edge weights.
//
// Input: a view with X [n,in] and optional edge weights W [m]. Output: [n,out]. A node's own
// self-loop edge replaces the added loop and keeps its weight, as in PyTorch Geometric. It needs
// pairwise edges: on a dual, use HyperConv, its counterpart for hypergraphs. Kipf and Welling 2017,
// equation 2.
type GCN struct {
	Weight, Bias *tensor.Param // lin.weight [out,in], bias [out] or nil
	GCNConfig
}

// NewGCN returns a GCN with Glorot-uniform weight and zero bias.
func NewGCN(in Init, d ConvDims, c GCNConfig) *GCN {
	c.LoopWeight = cmp.Or(c.LoopWeight, 1)
	g := &GCN{GCNConfig: c, Weight: in.Glorot("lin.weight", d.In, d.Out, d.Out, d.In)}
	if !c.NoBias {
		g.Bias = in.Zeros("bias", d.Out)
	}
	return g
}

// Params lists bias and weight.
func (g *GCN) Params() []*tensor.Param { return present(g.Bias, g.Weight) }

// Forward is one convolution.
func (g *GCN) Forward(p *Pass, v graph.View) *tensor.Tensor { return g.forward(p, v, false) }

// ForwardReLU is Forward followed by ReLU, in one pass over the result.
func (g *GCN) ForwardReLU(p *Pass, v graph.View) *tensor.Tensor { return g.forward(p, v, true) }

func (g *GCN) forward(p *Pass, v graph.View, relu bool) *tensor.Tensor {
	w, bias := p.Var(g.Weight), p.VarOrNil(g.Bias)
	// The product with W and the sum over neighbours commute: the narrower rows are sent along
	// edges.
	if v.X.Dim(1) < w.Dim(0) {
		return tensor.Affine(g.mix(p, v, nil, false)(v.X), w, bias, tensor.AffineConfig{TransW: true, ReLU: relu})
	}
	return g.mix(p, v, bias, relu)(tensor.Affine(v.X, w, nil, tensor.AffineConfig{TransW: true}))
}

// mix returns the sum over neighbours of any rows, with bias, and with ReLU if relu is set.
func (g *GCN) mix(p *Pass, v graph.View, bias *tensor.Tensor, relu bool) func(x *tensor.Tensor) *tensor.Tensor {
	m, c := g.mixing(p, adjacency("GCN", v), v)
	c.Bias, c.ReLU = bias, relu
	return func(x *tensor.Tensor) *tensor.Tensor {
		c := c
		if c.SelfW != nil {
			c.Self = x
		}
		return tensor.SpMM(m, bind(p, x), c)
	}
}

// bind gives a constant the pass's arena, so that results computed only from constants also use the
// arena.
func bind(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	return p.Tape.Bind(x)
}

// mixing returns the matrix that multiplies X·Wᵀ: structure, weights and diagonal.
func (g *GCN) mixing(p *Pass, a *graph.Adjacency, v graph.View) (*tensor.Sparse, tensor.SpMMConfig) {
	if v.W == nil && !g.NoNormalize && !g.NoLoops && g.LoopWeight == 1 { // a self-loop edge also has weight 1
		m, self, _ := v.H.GCN()
		return m, tensor.SpMMConfig{SelfW: self}
	}
	n := v.H.NumVertices()
	w := v.W
	if w == nil {
		w = tensor.Full(1, v.H.NumEdges())
	}
	loop := g.loopWeights(p, a, w, n)
	if g.NoNormalize {
		return a.Messages, tensor.SpMMConfig{W: w, SelfW: loop}
	}
	norm, inv := symmetric(a, w, loop)
	mix := tensor.SpMMConfig{W: norm}
	if loop != nil {
		mix.SelfW = loop.Mul(inv.Square().Reshape(-1))
	}
	return a.Messages, mix
}

// SymmetricWeights returns the edge weights [m] with which a plain weighted sum over neighbours
// equals GCN without added self-loops,
//
//	w'_e = w_e / sqrt(d_u·d_v),  d_v = Σ of w over the edges that reach v,
//
// for an edge e from u to v: D^-1/2·W·D^-1/2, or 0 if a degree is 0. w are the weights of the view,
// ones if it has none. Self-loop edges are treated like other edges. Use it with GCNs that have
// NoNormalize and NoLoops, if several layers share the weights. Like GCN it needs pairwise edges.
// Kipf and Welling 2017, equation 2.
func SymmetricWeights(v graph.View) *tensor.Tensor {
	a := adjacency("SymmetricWeights", v)
	n, w := v.H.NumVertices(), v.W
	if w == nil {
		w = tensor.Full(1, v.H.NumEdges())
	}
	var loop *tensor.Tensor
	if a.LoopEdge != nil {
		loop = sumLoops(a.Ends.IDs(), w, n)
	}
	norm, _ := symmetric(a, w, loop)
	return norm
}

// adjacency returns the pairwise structure of v. It panics with the name op if v has none.
func adjacency(op string, v graph.View) *graph.Adjacency {
	a, ok := v.H.Adjacency()
	if !ok {
		panic(notPairs(op, v))
	}
	return a
}

// symmetric returns w [m] divided by the roots of the degrees of both ends, and the inverse of
// these roots [n,1]. loop [n] is what self-loops add to the degrees, or nil.
func symmetric(a *graph.Adjacency, w, loop *tensor.Tensor) (norm, inv *tensor.Tensor) {
	column := w.Reshape(-1, 1)
	degree := tensor.SpMM(a.InEdges, column, tensor.SpMMConfig{})
	if loop != nil {
		degree = degree.Add(loop.Reshape(-1, 1))
	}
	inv = inverseSqrt(degree)
	ends := tensor.Gather(inv, a.Ends).Reshape(-1, 2)
	return column.Mul(ends.Slice(1, 0, 1)).Mul(ends.Slice(1, 1, 2)).Reshape(-1), inv
}

// loopWeights returns the weight of each node's loop [n]: the weight of its own self-loop edge, or
// else that of the added loop. It is nil if there are no loops. If no loops are added, self-loop
// edges are treated like other edges and all of them count.
func (g *GCN) loopWeights(p *Pass, a *graph.Adjacency, w *tensor.Tensor, n int) *tensor.Tensor {
	switch {
	case a.LoopEdge == nil && g.NoLoops:
		return nil
	case a.LoopEdge == nil:
		return p.Tape.Full(g.LoopWeight, n)
	case g.NoLoops:
		return sumLoops(a.Ends.IDs(), w, n)
	}
	// Slot m of the extended weights is that of the added loop.
	m := w.Size()
	ids := make([]int32, n)
	for i, e := range a.LoopEdge {
		ids[i] = e
		if e < 0 {
			ids[i] = int32(m)
		}
	}
	return tensor.Gather(tensor.Concat(0, w, p.Tape.Full(g.LoopWeight, 1)), tensor.MustIndex(ids, m+1))
}

// sumLoops sums the weights of each node's self-loop edges [n].
func sumLoops(ends []int32, w *tensor.Tensor, n int) *tensor.Tensor {
	var edges, nodes []int32
	for e := range len(ends) / 2 {
		if ends[2*e] == ends[2*e+1] {
			edges, nodes = append(edges, int32(e)), append(nodes, ends[2*e])
		}
	}
	return tensor.SegmentSum(tensor.Gather(w, tensor.MustIndex(edges, w.Size())), tensor.MustIndex(nodes, n))
}

// inverseSqrt is 1/sqrt(degree), and 0 where the degree is 0.
func inverseSqrt(degree *tensor.Tensor) *tensor.Tensor {
	return whereNonZero(degree, (*tensor.Tensor).Rsqrt)
}

// whereNonZero is f(degree), and 0 where the degree is 0.
func whereNonZero(degree *tensor.Tensor, f func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	return whereAbove(0, degree, f)
}

// whereAbove is f(x), and 0 where the magnitude of x is at most least.
func whereAbove(least float32, x *tensor.Tensor, f func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	small := func(v float32) bool { return max(v, -v) <= least }
	if !slices.ContainsFunc(x.Data(), small) {
		return f(x)
	}
	// The value and the gradient are 0 there: set x to 1 and mask the result.
	shift, mask := tensor.New(x.Shape()...), tensor.New(x.Shape()...)
	for i, v := range x.Data() {
		if small(v) {
			shift.Data()[i] = 1
		} else {
			mask.Data()[i] = 1
		}
	}
	return f(x.Add(shift)).Mul(mask)
}
