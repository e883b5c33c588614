package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// MPNNConfig describes an MPNN. The zero value is the layer of the paper, with a bias.
type MPNNConfig struct {
	Hidden int  // hidden width of the edge network; 0 means one linear map
	Mean   bool // mean over the incoming edges; otherwise their sum
	NoRoot bool // leave out the node's own term
	NoBias bool
}

// MPNN is message passing by edge-conditioned convolution: each message is multiplied by a matrix
// that is a function of the features of its edge,
//
//	X'_v = W·X_v + Σ_u X_u·Θ(E_uv) + b,   Θ(E_uv) = f(E_uv) as an [in,out] matrix
//
// f is a linear map, or linear, ReLU, linear. With Mean the sum is divided by the number of edges
// into v. A node without such edges keeps its own term.
//
// Input: a view with X [n,in], E [m,edge] and optional edge weights W [m], which multiply the
// messages. Output: [n,out]. A self-loop edge is treated like any other edge. It panics with
// *tensor.ShapeError on a dual and on features of another width.
//
// The last map of f is linear in its input h(E) of width c, so the matrices Θ are not stored:
// X_u·Θ(E_uv) = Σ_q h_q·(X_u·Θ_q) with constant Θ_q, and h = 1 for the bias of f. One sparse
// product computes Σ_u h_q·X_u for all q. A dense product is applied before or after it, so that
// the rows between them are narrow. Memory is n·(c+1)·min(in,out); the published code takes
// m·in·out. The structure of the sparse product, with arcs·(c+1) entries, is built once per batch.
//
// Gilmer et al. 2017 and Simonovsky and Komodakis 2017, equation 1; Jo et al. 2021, appendix A.1.
// Parameters are named as in PyTorch Geometric's NNConv.
type MPNN struct {
	Hidden *Linear       // nn.0 [hidden,edge]; nil when f is linear
	Edge   *Linear       // nn or nn.2 [in·out,c]; the row of Θ_ij is i·out+j
	Root   *tensor.Param // lin.weight [out,in] or nil
	Bias   *tensor.Param // bias [out] or nil
	Mean   bool

	in, out int
}

// NewMPNN returns a layer with PyTorch's initial weights: every linear map is uniform in ±1/sqrt of
// its input width, the bias is zero.
func NewMPNN(in Init, d ConvDims, c MPNNConfig) *MPNN {
	l := &MPNN{Mean: c.Mean, in: d.In, out: d.Out}
	if c.Hidden > 0 {
		l.Hidden = NewLinear(in.In("nn", 0), Dims{In: d.Edge, Out: c.Hidden})
		l.Edge = NewLinear(in.In("nn", 2), Dims{In: c.Hidden, Out: d.In * d.Out})
	} else {
		l.Edge = NewLinear(in.In("nn"), Dims{In: d.Edge, Out: d.In * d.Out})
	}
	if !c.NoRoot {
		l.Root = in.Uniform("lin.weight", 1/math.Sqrt(float64(max(d.In, 1))), d.Out, d.In)
	}
	if !c.NoBias {
		l.Bias = in.Zeros("bias", d.Out)
	}
	return l
}

// Params lists the edge network, the root weight and the bias.
func (l *MPNN) Params() []*tensor.Param {
	var out []*tensor.Param
	if l.Hidden != nil {
		out = l.Hidden.Params()
	}
	return append(append(out, l.Edge.Params()...), present(l.Root, l.Bias)...)
}

// Forward is one convolution.
func (l *MPNN) Forward(p *Pass, v graph.View) *tensor.Tensor {
	a := edgePairs("MPNN", v)
	h := l.channels(p, v)
	c := h.Dim(1)
	weights := tensor.SpMMConfig{W: h.Reshape(-1)}
	theta, shift := p.Var(l.Edge.Weight), p.Var(l.Edge.Bias)
	bias := p.VarOrNil(l.Bias)
	var root *tensor.Tensor
	if l.Root != nil {
		root = tensor.Affine(bind(p, v.X), p.Var(l.Root), nil, tensor.AffineConfig{TransW: true})
	}
	if l.in <= l.out {
		s := l.structure(v, a, mpnnKey{c: c, mean: l.Mean, gather: true})
		x := tensor.SpMM(s, bind(p, v.X), weights).Reshape(v.H.NumVertices(), c*l.in)
		theta = tensor.Concat(0, theta.Transpose(), shift.Reshape(1, -1)).Reshape(c*l.in, l.out)
		x = tensor.Affine(x, theta, bias, tensor.AffineConfig{})
		if root != nil {
			x = x.Add(root)
		}
		return x
	}
	s := l.structure(v, a, mpnnKey{c: c, mean: l.Mean})
	theta = tensor.Concat(1, theta.Reshape(l.in, l.out, c-1).Permute(0, 2, 1), shift.Reshape(l.in, 1, l.out))
	x := bind(p, v.X).MatMul(theta.Reshape(l.in, c*l.out))
	weights.Self, weights.Bias = root, bias
	return tensor.SpMM(s, x.Reshape(v.H.NumVertices()*c, l.out), weights)
}

// channels is h(E) with a column of ones, times the edge weights: [m,c].
func (l *MPNN) channels(p *Pass, v graph.View) *tensor.Tensor {
	first := l.Edge
	if l.Hidden != nil {
		first = l.Hidden
	}
	h := edgeMatrix("MPNN", p, v, first.Weight.Value.Dim(1))
	if l.Hidden != nil {
		h = l.Hidden.ForwardReLU(p, h)
	}
	h = tensor.Concat(1, h, tensor.Full(1, h.Dim(0), 1))
	if v.W != nil {
		h = h.Mul(v.W.Reshape(-1, 1))
	}
	return h
}

// mpnnKey is the key of an arrangement of the messages with c channels. They are gathered per
// channel before the dense product or summed after it.
type mpnnKey struct {
	c            int
	mean, gather bool
}

func (l *MPNN) structure(v graph.View, a *graph.Adjacency, k mpnnKey) *tensor.Sparse {
	return graph.Derived(v.H, k, func() *tensor.Sparse {
		m := a.Messages
		if k.mean {
			m = meanOf(m)
		}
		return channelled(m, k.c, k.gather, !k.gather)
	})
}
