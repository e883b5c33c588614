package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Encoded adds encoders of categorical features to a model. The model then reads node and edge
// features of width hidden. With HyperDrop and conv egcn this is the authors' Model_HyperDrop_OGB.
// Their embedding tables, one per column, are concatenated here:
// atom_encoder.atom_embedding_list.*.weight is node_encoder.weight, and the tables of bond_encoder
// are edge_encoder.weight.
//
// Spec.New builds it for every registered model with Config.Encode.
type Encoded struct {
	Node, Edge *nn.Encoder // nil if there are no such features or the model cannot send gradients to them
	Model      Model
}

// newEncoded builds a model with its encoders. The model is not a committee.
func newEncoded(s Spec, c Config, root func(seed uint64) nn.Init) (*Encoded, error) {
	part, ok := c.Parts[0].(interface{ Validate() error })
	width := c.At("hidden")
	if !ok || len(width) == 0 {
		return nil, fmt.Errorf("model: %s: the config is a %T, expected one with a width", s.Name, c.Parts[0])
	}
	if err := check(s.Name, c.Dims, part); err != nil {
		return nil, err
	}
	hidden := *width[0].(*int)
	nodes, err := blocksOf(s.Name, "node", c.NodeBlocks, c.Node)
	if err != nil {
		return nil, err
	}
	edges, err := blocksOf(s.Name, "edge", c.EdgeBlocks, c.Edge)
	if err != nil {
		return nil, err
	}
	in := root(c.Seed)
	m := &Encoded{}
	if c.Node > 0 && !s.EdgesOnly {
		m.Node, c.Node = nn.NewEncoder(in.In("node_encoder"), nodes, hidden), hidden
	}
	if c.Edge > 0 && s.encodesEdges(part) {
		m.Edge, c.Edge = nn.NewEncoder(in.In("edge_encoder"), edges, hidden), hidden
	}
	m.Model, err = s.build(in, c.Dims, part)
	return m, err
}

// blocksOf returns the given blocks after checking that they fill the width, or one block of that
// width.
func blocksOf(model, what string, blocks []int, width int) ([]int, error) {
	if blocks == nil {
		return []int{width}, nil
	}
	left := width
	for _, k := range blocks {
		if k < 1 || k > left { // a sum could overflow
			left = -1
			break
		}
		left -= k
	}
	if left != 0 {
		return nil, fmt.Errorf("model: %s: %s_blocks are %v, expected widths of 1 or more that add up to %s_dim, %d", model, what, blocks, what, width)
	}
	return blocks, nil
}

// encodesEdges reports whether there is an encoder for edges: if the model or its convolution reads
// edge features. A convolution that reads them as types gives no gradient to an encoder, so the
// codes are kept.
func (s Spec) encodesEdges(part any) bool {
	if typed, ok := part.(interface{ edgeTypes() bool }); s.Edges && !(ok && typed.edgeTypes()) {
		return true
	}
	chosen, ok := part.(interface{ convolution() string })
	if !ok {
		return false
	}
	conv, err := nn.FindConv(chosen.convolution())
	return err == nil && conv.Edges && !conv.Types
}

// Params lists the parameters of the encoders and the model.
func (m *Encoded) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, e := range []*nn.Encoder{m.Node, m.Edge} {
		if e != nil {
			out = append(out, e.Params()...)
		}
	}
	return append(out, m.Model.Params()...)
}

// Forward runs the model on encoded features. It does not change the batch.
func (m *Encoded) Forward(p *nn.Pass, b *graph.Batch) *Output {
	if to, ok := m.Model.(exactModel); ok && to.exact() {
		p, b = exactly(p, b)
	}
	encoded := *b
	if m.Node != nil {
		encoded.X = m.Node.Forward(p, b.X)
	}
	if m.Edge != nil {
		encoded.E = m.Edge.Forward(p, b.E)
	}
	return m.Model.Forward(p, &encoded)
}
