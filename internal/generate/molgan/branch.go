package molgan

import (
	"math"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// gmPool is GMPool with one seed q on dense graphs (Baek, Kang and Hwang 2021):
//
//	K = Â H W_K,  V = Â H W_V,  Â = D^-½ (S + I) D^-½,  D = diag(1 + row sums of S)
//	o = q W_q + softmax(q W_q Kᵀ / √64) V,  p = tanh( o + relu(o W_o) )
//
// The softmax is over the atoms of a graph. H is H₂, not X.
type gmPool struct {
	seed                      *tensor.Param // [1, 64]
	query, key, value, output *tensor.Param // [64, 64]
}

func newGMPool(in nn.Init) *gmPool {
	square := func(name string) *tensor.Param {
		return in.Uniform(name, 1/math.Sqrt(nodeWidth), nodeWidth, nodeWidth)
	}
	return &gmPool{seed: in.Glorot("seed", nodeWidth, 1, 1, nodeWidth), query: square("query"), key: square("key"), value: square("value"), output: square("output")}
}

// Params lists the parameters.
func (m *gmPool) Params() []*tensor.Param {
	return []*tensor.Param{m.seed, m.query, m.key, m.value, m.output}
}

// forward pools h [graphs·Size, 64] to [graphs, 64]. linked is S + I [graphs, Size, Size].
func (m *gmPool) forward(p *nn.Pass, linked, h *tensor.Tensor) *tensor.Tensor {
	n, size := linked.Dim(0), linked.Dim(1)
	root := linked.SumAxis(2).Rsqrt() // [graphs, Size, 1]
	smooth := tensor.BatchMatMul(linked, h.Reshape(n, size, -1).Mul(root), false, false).Mul(root).Reshape(-1, nodeWidth)
	query := p.Tape.Bind(p.Var(m.seed)).MatMul(p.Var(m.query)) // [1, 64]
	scores := smooth.MatMul(p.Var(m.key)).MatMulT(query).MulScalar(1. / 8)
	share := scores.Reshape(n, size).Softmax().Reshape(n, 1, size)
	value := smooth.MatMul(p.Var(m.value)).Reshape(n, size, nodeWidth)
	o := tensor.BatchMatMul(share, value, false, false).Reshape(n, nodeWidth).Add(query)
	return o.Add(o.MatMul(p.Var(m.output)).ReLU()).Tanh()
}

// edgeWidths are the widths of the two layers of EHGNN.
var edgeWidths = [2]int{32, 16}

// edges is EHGNN on dense graphs: two layers of hypergraph convolution on the dual, and the mean
// over its nodes. Every pair of atoms is a node of the dual. Its features e are the probabilities
// of the bond types, its weight w is their sum:
//
//	t = e Θ,  s_i = Σ_j w_ij,  z_i = Σ_j w_ij t_ij / max(s_i, 1)
//	e'_ij = relu( (z_i + z_j + t_ij)/3 + b )
//	g = Σ w e'' / max(Σ w, 1)
//
// A bond is in the hyperedges of its two atoms and in a hyperedge of its own, so there is a
// division by three. On a one-hot graph the weight of a pair without a bond is 0, and the result is
// that of nn.HyperConv on the dual of the graph. The maximum does not change whole degrees. It
// bounds the gradient of nearly empty graphs; its derivative is 0 up to 1.
type edges struct{ layers [2]*nn.HyperConv }

func newEdges(in nn.Init) *edges {
	e := &edges{}
	width := bondCodes - 1
	for i, out := range edgeWidths {
		e.layers[i] = nn.NewHyperConv(in.In(i), nn.ConvDims{In: width, Out: out}, nn.HyperConvConfig{})
		width = out
	}
	return e
}

// Params lists the parameters.
func (e *edges) Params() []*tensor.Param { return nn.Params(e.layers[0], e.layers[1]) }

// forward returns a vector of each graph, [graphs, 16], from features [graphs·pairs, 4] and weights
// [graphs·pairs, 1].
func (e *edges) forward(p *nn.Pass, l *layout, features, weight *tensor.Tensor) *tensor.Tensor {
	h := e.nodes(p, l, features, weight)
	total := atLeastOne(tensor.SpMM(l.sums, weight, tensor.SpMMConfig{}))
	return tensor.SpMM(l.sums, h, tensor.SpMMConfig{W: weight.Reshape(-1)}).Div(total)
}

// nodes returns the vectors of all pairs, [graphs·pairs, 16].
func (e *edges) nodes(p *nn.Pass, l *layout, features, weight *tensor.Tensor) *tensor.Tensor {
	flat := weight.Reshape(-1)
	degree := atLeastOne(tensor.SpMM(l.touch, weight, tensor.SpMMConfig{}))
	h := features
	for _, layer := range e.layers {
		t := h.MatMul(p.Var(layer.Weight))
		z := tensor.SpMM(l.touch, t, tensor.SpMMConfig{W: flat}).Div(degree)
		h = tensor.SpMM(l.joined, z, tensor.SpMMConfig{Self: t, SelfW: l.third, Bias: p.Var(layer.Bias), ReLU: true})
	}
	return h
}

// atLeastOne returns max(x, 1), with derivative 0 at 1.
func atLeastOne(x *tensor.Tensor) *tensor.Tensor { return x.AddScalar(-1).ReLU().AddScalar(1) }
