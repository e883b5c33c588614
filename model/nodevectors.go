package model

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// NodeVectors puts a learned vector for each node before a model of edges, beside the node's
// features, and adds a factorisation to what the model predicts of an edge uv,
//
//	y_uv + (t_u ⊙ t_v)·W,
//
// which a model that is fed vectors alone hardly finds (Koren, Bell and Volinsky 2009). It is for
// graphs whose nodes are the same in training and in use, as users and what they rate.
//
// A node that training lacks (graph.Graph.NodeID below 0) has a vector of its own, the first
// row of the table. It is learned, too: every pass of training takes a share of the nodes for
// unknown ones, so that the model knows how to do without.
type NodeVectors struct {
	Model  Model
	Config NodeVectorsConfig
	Table  *tensor.Param // [1+nodes,width]
	Weight *tensor.Param // [width,out]
}

// NodeVectorsConfig are the settings of NodeVectors.
type NodeVectorsConfig struct {
	Nodes int     `json:"nodes"` // that have a vector
	Width int     `json:"width"`
	Drop  float64 `json:"drop"` // share of the nodes that a training pass takes for unknown
}

// vectorBound is the bound of the first vectors, which are uniform: small, so that they hardly
// count before they have learned.
const vectorBound = 0.1

func newNodeVectors(s Spec, c Config, root func(seed uint64) nn.Init) (*NodeVectors, error) {
	of := *c.NodeVectors
	switch {
	case of.Nodes < 1 || of.Width < 1:
		return nil, fmt.Errorf("model: %s: node_vectors of %d nodes and width %d, expected 1 or more of both", s.Name, of.Nodes, of.Width)
	case !(of.Drop >= 0 && of.Drop < 1):
		return nil, fmt.Errorf("model: %s: node_vectors.drop is %v, expected 0 or more and below 1", s.Name, of.Drop)
	case !slices.Contains(s.Tasks, edgeClass):
		return nil, fmt.Errorf("model: %s does not predict labels of edges, for which node_vectors are", s.Name)
	}
	in := root(c.Seed).In("node_vectors")
	m := &NodeVectors{Config: of, Table: in.Uniform("table", vectorBound, 1+of.Nodes, of.Width), Weight: in.Uniform("weight", 1, of.Width, c.Out)}
	if c.NodeBlocks != nil {
		c.NodeBlocks = append(slices.Clone(c.NodeBlocks), of.Width)
	}
	c.NodeVectors = nil
	c.Node += of.Width
	var err error
	if m.Model, err = s.assemble(c, root); err != nil {
		return nil, err
	}
	return m, nil
}

// Params lists the table, the weights of the factorisation and the parameters of the model.
func (m *NodeVectors) Params() []*tensor.Param {
	return append([]*tensor.Param{m.Table, m.Weight}, m.Model.Params()...)
}

// Forward is the model's with the vectors of nodes among their features, and the factorisation
// added.
func (m *NodeVectors) Forward(p *nn.Pass, b *graph.Batch) *Output {
	rows := p.Tape.Ints(b.H.NumVertices())
	for v := range rows {
		rows[v] = 0
		if b.NodeIDs == nil || p.Train && p.Rand.Float64() < m.Config.Drop {
			continue
		}
		if id := b.NodeIDs[v]; id >= 0 && int(id) < m.Config.Nodes {
			rows[v] = 1 + id
		}
	}
	table, slots := p.Var(m.Table), 1+m.Config.Nodes
	at := [2][]int32{p.Tape.Ints(b.H.NumEdges()), p.Tape.Ints(b.H.NumEdges())}
	for i, v := range b.H.Ends() {
		at[i%2][i/2] = rows[v]
	}
	with := *b
	with.X = tensor.Concat(1, p.Tape.Bind(b.X), tensor.Gather(table, p.Tape.Index(rows, slots)))
	out := *m.Model.Forward(p, &with)
	both := tensor.Gather(table, p.Tape.Index(at[0], slots)).Mul(tensor.Gather(table, p.Tape.Index(at[1], slots)))
	out.Edge = out.Edge.Add(both.MatMul(p.Var(m.Weight)))
	return &out
}
