package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// BothWays sends messages along the edges of a directed graph and against them, with
// weights of their own:
//
//	x' = ½·( Along(v) + Against(v with every edge turned around) )
//
// Without it a node learns nothing of the edges that leave it. Both convolutions read the
// same features of an edge. An undirected edge is two arcs in opposite directions,
// so both directions read the whole of an undirected graph.
//
// Input and output are those of the convolutions. Egressy et al. 2024 (Provably Powerful
// Graph Neural Networks for Directed Multigraphs), section 4.1, with the mean of their code.
type BothWays struct{ Along, Against Conv }

// NewBothWays builds both convolutions by one constructor, under along and against.
func NewBothWays(in Init, build func(in Init) Conv) *BothWays {
	return &BothWays{Along: build(in.In("along")), Against: build(in.In("against"))}
}

// Params lists those of both convolutions.
func (b *BothWays) Params() []*tensor.Param { return Params(b.Along, b.Against) }

// Forward is one round of message passing.
func (b *BothWays) Forward(p *Pass, v graph.View) *tensor.Tensor {
	return b.Along.Forward(p, v).Add(b.Against.Forward(p, v.Reversed())).MulScalar(0.5)
}
