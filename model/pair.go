package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Pair is an autoencoder of nodes and one of edges, which together reconstruct a graph (paper,
// section 4.1). They share no parameters. A task trains each as if it were alone.
//
// Spec.New builds one of the registered models that Spec names. The output for nodes has the width
// of their features, that for edges has width Dims.Out. Parameters have the prefix nodes. or edges.
type Pair struct{ Nodes, Edges Model }

// Prefixes of the parameters of a Pair.
const (
	PairNodes = "nodes."
	PairEdges = "edges."
)

// newPair builds the models of two specs, of nodes and of edges. root gives their parameters.
func newPair(specs []Spec, c Config, root func(seed uint64) nn.Init) (*Pair, error) {
	if c.Members > 1 {
		return nil, fmt.Errorf("members is %d, expected 1, as its parts are trained apart", c.Members)
	}
	if err := firstError(atLeast("node_dim", c.Node, 1), c.Dims.validate()); err != nil {
		return nil, err
	}
	m := &Pair{}
	for k, to := range []struct {
		model  *Model
		prefix string
		out    int
	}{{&m.Nodes, PairNodes, c.Node}, {&m.Edges, PairEdges, c.Out}} {
		dims := c.Dims
		dims.Out = to.out
		one, err := specs[k].assemble(Config{Dims: dims, Seed: c.Seed, Encode: c.Encode, Parts: c.Parts[k : k+1]}, root)
		if err != nil {
			return nil, err
		}
		for _, p := range one.Params() {
			p.Name = to.prefix + p.Name
		}
		*to.model = one
	}
	return m, nil
}

// Params lists the parameters of both models.
func (m *Pair) Params() []*tensor.Param { return nn.Params(m.Nodes, m.Edges) }

// Forward reconstructs the nodes and the edges of a batch. The vector of a graph concatenates those
// of both models. Vectors of nodes are those of the autoencoder of nodes.
func (m *Pair) Forward(p *nn.Pass, b *graph.Batch) *Output {
	nodes, out := m.Nodes.Forward(p, b), m.Edges.Forward(p, b)
	return &Output{Node: nodes.Node, Edge: out.Edge, NodeVec: nodes.NodeVec, EdgeVecs: out.EdgeVecs, Assign: out.Assign,
		GraphVec: tensor.Concat(1, nodes.GraphVec, out.GraphVec), Attention: append(nodes.Attention, out.Attention...)}
}
