package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// EGCNForm is one of the formulas called edge-aware GCN. They use n_uv = w_uv/sqrt(d_u·d_v), d_v =
// 1 + Σ w over the edges into v, x = X·W_nᵀ + b_n and e = E·W_eᵀ + b_e.
type EGCNForm uint8

const (
	// EGCNOGB is the code of the Open Graph Benchmark, which the authors used: X'_v = Σ_u
	// n_uv·relu(x_u + e_uv) + relu(x_v + r)/d_v, where r is learned.
	EGCNOGB EGCNForm = iota
	// EGCNLinear is EGCNOGB without the two relu.
	EGCNLinear
	// EGCNPaper is the formula of the paper: X'_v = W·Σ_{u ∈ N(v)∪v} n_uv·(X_u + E_uv), with E_vv =
	// 0 and n_vv = 1/d_v. Edge features have the width of X and are not mapped. There is no bias.
	EGCNPaper
)

// EGCNConfig describes an EGCN.
type EGCNConfig struct {
	Form EGCNForm
}

// EGCN is the edge-aware graph convolution: a GCN whose messages include the features of their
// edge. EGCNForm has the formulas.
//
// Input: a view with X [n,in], E [m,edge] and optional edge weights W [m]. Output: [n,out]. Degrees
// are counted at the target and include the weights, through which gradients flow. Weights are 0 or
// more. A self-loop edge is treated like any other edge, in addition to the node's own term.
// Messages are not stored, forward or backward: memory is linear in nodes and edges. It panics with
// *tensor.ShapeError on a dual (use HyperConv there) and on edge features of another width.
//
// Hu et al. 2020 (OGB, the reference GCN) and Jo et al. 2021, appendix A.1. The appendix does not
// define n_uv and E_vv; the definitions above are those of the code.
type EGCN struct {
	Node, Edge *Linear       // linear_node [out,in], linear_edge [out,edge]; nil in EGCNPaper
	Root       *tensor.Param // root_emb.weight [1,out], r; nil in EGCNPaper
	Weight     *tensor.Param // weight [out,in] of EGCNPaper; nil otherwise
	EGCNConfig
}

// NewEGCN returns a layer with PyTorch's initial weights: linear maps uniform in ±1/sqrt(in), r
// standard normal. The weight of EGCNPaper is Glorot-uniform.
func NewEGCN(in Init, d ConvDims, c EGCNConfig) *EGCN {
	l := &EGCN{EGCNConfig: c}
	if c.Form == EGCNPaper {
		l.Weight = in.Glorot("weight", d.In, d.Out, d.Out, d.In)
		return l
	}
	l.Node = NewLinear(in.In("linear_node"), Dims{In: d.In, Out: d.Out})
	l.Edge = NewLinear(in.In("linear_edge"), Dims{In: d.Edge, Out: d.Out})
	l.Root = in.Normal("root_emb.weight", 1, 1, d.Out)
	return l
}

// Params lists the parameters of the form.
func (l *EGCN) Params() []*tensor.Param {
	if l.Form == EGCNPaper {
		return []*tensor.Param{l.Weight}
	}
	return append(Params(l.Node, l.Edge), l.Root)
}

// Forward is one convolution.
func (l *EGCN) Forward(p *Pass, v graph.View) *tensor.Tensor {
	a := edgePairs("EGCN", v)
	norm, own := egcnNorm(p, a, v)
	if l.Form == EGCNPaper {
		w := p.Var(l.Weight)
		x := bind(p, v.X)
		return egcnSum(a, x, edgeMatrix("EGCN", p, v, w.Dim(1)), x, norm, own).MatMulT(w)
	}
	x := l.Node.Forward(p, v.X)
	e := edgeMatrix("EGCN", p, v, l.Edge.Weight.Value.Dim(1))
	root := x.Add(p.Var(l.Root))
	if l.Form == EGCNLinear {
		return egcnSum(a, x, l.Edge.Forward(p, e), root, norm, own)
	}
	c := tensor.EdgeMessagesConfig{Self: root.ReLU(), SelfW: own}
	if k := edgeKindsOf(p, v); k != nil && v.W == nil {
		return tensor.EdgeMessages(k.messages(v, a, norm), x, l.Edge.Forward(p, bind(p, k.rows)), c)
	}
	c.W = norm
	return tensor.EdgeMessages(a.Messages, x, l.Edge.Forward(p, e), c)
}

// egcnSum is Σ_u norm_uv·(x_u + e_uv) + own_v·self_v, without messages.
func egcnSum(a *graph.Adjacency, x, e, self, norm, own *tensor.Tensor) *tensor.Tensor {
	nodes := tensor.SpMM(a.Messages, x, tensor.SpMMConfig{W: norm, Self: self, SelfW: own})
	return tensor.SpMM(a.InEdges, e.Mul(norm.Reshape(-1, 1)), tensor.SpMMConfig{Self: nodes})
}

type egcnOnesKey struct{}

// egcnNorm returns n_uv [m] of each edge, the same both ways, and 1/d_v [n].
func egcnNorm(p *Pass, a *graph.Adjacency, v graph.View) (norm, own *tensor.Tensor) {
	if v.W == nil {
		ones := graph.Derived(v.H, egcnOnesKey{}, func() [2]*tensor.Tensor { return egcnOnes(a) })
		return ones[0], ones[1]
	}
	w := bind(p, v.W).Reshape(-1, 1)
	degree := tensor.SpMM(a.InEdges, w, tensor.SpMMConfig{}).AddScalar(1)
	inv := tensor.Gather(inverseSqrt(degree), a.Ends).Reshape(-1, 2)
	norm = w.Mul(inv.Slice(1, 0, 1)).Mul(inv.Slice(1, 1, 2)).Reshape(-1)
	return norm, whereNonZero(degree, (*tensor.Tensor).Recip).Reshape(-1)
}

// egcnOnes is egcnNorm without weights. Ends of equal degree d give exactly the
// rounded 1/d, so that nodes which are equal in theory stay so.
func egcnOnes(a *graph.Adjacency) [2]*tensor.Tensor {
	n, ends := a.Messages.Rows, a.Ends.IDs()
	norm, own := tensor.New(len(ends)/2), tensor.New(n)
	degree := make([]float64, n)
	for i := range degree {
		degree[i] = float64(a.Messages.Ptr[i+1]-a.Messages.Ptr[i]) + 1
		own.Data()[i] = float32(1 / degree[i])
	}
	for e := range norm.Data() {
		norm.Data()[e] = float32(1 / math.Sqrt(degree[ends[2*e]]*degree[ends[2*e+1]]))
	}
	return [2]*tensor.Tensor{norm, own}
}
