package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GatedGCNConfig describes a GatedGCN. The zero value has no dropout.
type GatedGCNConfig struct {
	Dropout float64 // of both results, in training
}

// GatedGCN updates nodes and edges together. A gate for each edge and channel multiplies the
// message along the edge, and the logits of the gates become the new edge features.
//
//	ê_k = D·x_u + E·x_v + C·e_k                                  arc k from u to v
//	g_k = σ(ê_k) / (ε + Σ σ(ê_j))                                over arcs j into v
//	x'_v = x_v + dropout(ReLU(BN(A·x_v + Σ g_k ∘ B·x_u)))        over arcs k into v
//	e'_k = e_k + dropout(ReLU(BN(ê_k)))
//
// A to E are linear maps with bias, BN is a batch normalisation of nodes and another of edges, ε is
// 1e-6. x_v and e_k are added only if they have the width of the result.
//
// Input: a directed view with X [n,in] and E [m,edge]. Output: x' [n,out] and e' [m,out]. The two
// arcs of an undirected edge have features and gates of their own; View.Arcs makes them. An arc
// from a node to itself is treated like any other arc. Edge weights are not used. It panics with
// *tensor.ShapeError on an undirected view, on a dual, on features of another width, and, because
// of its norms, on a training batch with a single node or arc.
//
// Bresson and Laurent 2017 (Residual Gated Graph ConvNets), in the form and with the parameter
// names of the benchmark of Dwivedi et al. 2023 (Benchmarking Graph Neural Networks, JMLR), which
// normalises the gates and keeps edge features.
type GatedGCN struct {
	A, B, C, D, E      *Linear
	NormNode, NormEdge *BatchNorm // bn_node_h, bn_node_e
	GatedGCNConfig
}

// gateEps is added to the sum of a node's gates, which may be 0.
const gateEps = 1e-6

// NewGatedGCN returns a layer for nodes of width d.In and edges of width d.Edge. Both results have
// width d.Out.
func NewGatedGCN(in Init, d ConvDims, c GatedGCNConfig) *GatedGCN {
	nodes, edges := Dims{In: d.In, Out: d.Out}, Dims{In: d.Edge, Out: d.Out}
	return &GatedGCN{
		A: NewLinear(in.In("A"), nodes), B: NewLinear(in.In("B"), nodes), C: NewLinear(in.In("C"), edges),
		D: NewLinear(in.In("D"), nodes), E: NewLinear(in.In("E"), nodes),
		NormNode: NewBatchNorm(in.In("bn_node_h"), d.Out), NormEdge: NewBatchNorm(in.In("bn_node_e"), d.Out), GatedGCNConfig: c,
	}
}

// Params lists the maps A to E and the norms of nodes and edges.
func (g *GatedGCN) Params() []*tensor.Param {
	return Params(g.A, g.B, g.C, g.D, g.E, g.NormNode, g.NormEdge)
}

// Forward returns the new node and edge features.
func (g *GatedGCN) Forward(p *Pass, v graph.View) (x, e *tensor.Tensor) {
	src, dst, ok := v.H.Pairs()
	if !ok || !v.H.Directed() {
		panic(&tensor.ShapeError{Op: "GatedGCN", Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}}, Want: "a directed graph"})
	}
	x, e = bind(p, v.X), edgeMatrix("GatedGCN", p, v, g.C.Weight.Value.Dim(1))
	// One product with the ends of the arcs, D·x above E·x, is added to C·e.
	ends := tensor.Concat(0, g.D.Forward(p, x), g.E.Forward(p, x))
	logit := tensor.SpMM(sumOfEnds(v), ends, tensor.SpMMConfig{Self: g.C.Forward(p, e)})
	gate := logit.Sigmoid()
	sum := tensor.SegmentSum(tensor.Gather(g.B.Forward(p, x), src).Mul(gate), dst)
	sum = sum.Div(tensor.SegmentSum(gate, dst).AddScalar(gateEps))
	return g.update(p, x, g.A.Forward(p, x).Add(sum), g.NormNode), g.update(p, e, logit, g.NormEdge)
}

// update is x + dropout(ReLU(norm(y))), without x if its width differs.
func (g *GatedGCN) update(p *Pass, x, y *tensor.Tensor, norm *BatchNorm) *tensor.Tensor {
	y = norm.ForwardReLU(p, y)
	if x.Dim(1) != y.Dim(1) {
		return Dropout(p, y, g.Dropout)
	}
	return AddDropout(p, x, y, g.Dropout)
}
