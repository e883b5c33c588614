package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// BothWays sends messages along the edges of a directed graph and against them, with separate
// weights:
//
//	x' = ½·( Along(v) + Against(v with every edge reversed) )
//
// Otherwise a node reads nothing of the edges that leave it. Both convolutions read the same
// features of an edge. An undirected edge is two arcs in opposite directions, so in an undirected
// graph both convolutions read all arcs.
//
// Input and output are those of the convolutions. Egressy et al. 2024 (Provably Powerful Graph
// Neural Networks for Directed Multigraphs), section 4.1, with the mean of their code.
type BothWays struct{ Along, Against Conv }

// NewBothWays builds both convolutions with one constructor, in the scopes along and against.
func NewBothWays(in Init, build func(in Init) Conv) *BothWays {
	return &BothWays{Along: build(in.In("along")), Against: build(in.In("against"))}
}

// Params lists the parameters of both convolutions.
func (b *BothWays) Params() []*tensor.Param { return Params(b.Along, b.Against) }

// Forward is one round of message passing.
func (b *BothWays) Forward(p *Pass, v graph.View) *tensor.Tensor {
	return b.Along.Forward(p, v).Add(b.Against.Forward(p, v.Reversed())).MulScalar(0.5)
}
