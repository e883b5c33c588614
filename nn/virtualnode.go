package nn

import "github.com/ehgnn/ehgnn/tensor"

// VirtualNode is a node joined to all nodes of its graph (Gilmer et al., ICML 2017, section 5.2),
// in the form of the Open Graph Benchmark (Hu et al., NeurIPS 2020). It has a vector g for each
// graph. Between two layers
//
//	g = MLP(g + Σ x)    over the nodes of the graph
//	x = x + g           for each of them
//
// After one layer every node then depends on its whole graph. The MLP is two linear layers of width
// [d,2d] and [2d,d], each followed by layer norm and ReLU. The benchmark uses batch norm instead,
// which fails on a batch of one graph.
type VirtualNode struct{ Map Sequence }

// NewVirtualNode returns the update for nodes of width d.
func NewVirtualNode(in Init, d int) *VirtualNode {
	return &VirtualNode{Sequence{
		NewLinear(in.In(0), Dims{In: d, Out: 2 * d}), NewLayerNorm(in.In(1), 2*d), ReLU{},
		NewLinear(in.In(3), Dims{In: 2 * d, Out: d}), NewLayerNorm(in.In(4), d), ReLU{},
	}}
}

// Params lists the parameters of the MLP.
func (l *VirtualNode) Params() []*tensor.Param { return l.Map.Params() }

// Forward updates the nodes x [n,d] and the vectors g [graphs,d] of their graphs. of gives the
// graph of each node. g is nil before the first update.
func (l *VirtualNode) Forward(p *Pass, x, g *tensor.Tensor, of *tensor.Index) (nodes, graphs *tensor.Tensor) {
	sum := tensor.SegmentSum(x, of)
	if g != nil {
		sum = sum.Add(g)
	}
	g = l.Map.Forward(p, sum)
	return x.Add(tensor.Gather(g, of)), g
}
