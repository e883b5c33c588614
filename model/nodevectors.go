package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// NodeVectors puts a learned vector for each node beside a model of edges, and adds to what the
// model predicts of an edge uv,
//
//	y_uv + A·t_u + B·t_v + C·(10·t_u ⊙ t_v) + c,
//
// what is particular to both ends and to how they go together (Koren, Bell and Volinsky 2009). It
// is for graphs whose nodes are the same in training and in use, as users and what they rate.
// The model itself does not read the vectors: with them among its features it learns edges by
// heart, before it has learned what holds for others (docs/results/edge-tasks.md). The product
// of two vectors is small and grows slowly, since the gradient of one is the other, which the
// factor makes up for: a training of numbers that hang on such products ends before it has them.
//
// A node that training lacks (graph.Graph.NodeID below 0) has a vector of its own, the first
// row of the table. It is learned, too: every pass of training takes nodes for unknown ones at
// random, so that the model knows how to do without. Those with few edges are taken more often,
// since a vector that is learned from one edge says that edge's label and little else.
type NodeVectors struct {
	Model Model
	Table *tensor.Param  // [1+nodes,width]
	Ends  *nn.EndsLinear // of A ‖ B ‖ C and c, [out,3·width] and [out]

	config NodeVectorsConfig
}

// NodeVectorsConfig are the settings of NodeVectors.
type NodeVectorsConfig struct {
	Nodes int `json:"nodes"` // that have a vector
	Width int `json:"width"`
	// Drop is the share of the nodes with many edges that a training pass takes for unknown.
	Drop float64 `json:"drop"`
	// Half is the number of edges with which a node is taken for known half as often as one
	// with many: with d edges, in a share (1-Drop)·d/(d+Half) of the passes.
	Half float64 `json:"half"`
}

// vectorBound is the bound of the first vectors, which are uniform: small, so that they hardly
// count before they have learned. productGain is the factor of products.
const (
	vectorBound = 0.1
	productGain = 10
)

func newNodeVectors(s Spec, c Config, root func(seed uint64) nn.Init) (*NodeVectors, error) {
	of := *c.NodeVectors
	switch {
	case of.Nodes < 1 || of.Width < 1:
		return nil, fmt.Errorf("model: %s: node_vectors of %d nodes and width %d, expected 1 or more of both", s.Name, of.Nodes, of.Width)
	case !(of.Drop >= 0 && of.Drop < 1):
		return nil, fmt.Errorf("model: %s: node_vectors.drop is %v, expected 0 or more and below 1", s.Name, of.Drop)
	case !(of.Half >= 0 && of.Half <= math.MaxFloat64):
		return nil, fmt.Errorf("model: %s: node_vectors.half is %v, expected 0 or more edges", s.Name, of.Half)
	case !slices.Contains(s.Tasks, edgeClass):
		return nil, fmt.Errorf("model: %s does not predict labels of edges, for which node_vectors are", s.Name)
	}
	in := root(c.Seed).In("node_vectors")
	m := &NodeVectors{config: of, Table: in.Uniform("table", vectorBound, 1+of.Nodes, of.Width),
		Ends: nn.NewEndsLinear(in.In("ends"), nn.EndsDims{Node: of.Width, Edge: of.Width, Out: c.Out})}
	// Larger than those of other maps, which are divided among their inputs: vectors are small.
	m.Ends.Weight = in.In("ends").Uniform("weight", 1, c.Out, 3*of.Width)
	c.NodeVectors = nil
	var err error
	if m.Model, err = s.assemble(c, root); err != nil {
		return nil, err
	}
	return m, nil
}

// Params lists the table, the map of the ends and the parameters of the model.
func (m *NodeVectors) Params() []*tensor.Param {
	return append(append([]*tensor.Param{m.Table}, m.Ends.Params()...), m.Model.Params()...)
}

// Forward is the model's with what the vectors of both ends say added.
func (m *NodeVectors) Forward(p *nn.Pass, b *graph.Batch) *Output {
	t := tensor.Gather(p.Var(m.Table), p.Tape.Index(m.rows(p, b), 1+m.config.Nodes))
	src, dst, _ := b.H.Pairs()
	both := tensor.Gather(t.MulScalar(productGain), src).Mul(tensor.Gather(t, dst))
	out := *m.Model.Forward(p, b)
	out.Edge = out.Edge.Add(m.Ends.Forward(p, b.View.WithX(t).WithE(both)))
	return &out
}

// rows are the rows of the table that a pass takes for the nodes of a batch.
func (m *NodeVectors) rows(p *nn.Pass, b *graph.Batch) []int32 {
	rows := p.Tape.Ints(b.H.NumVertices())
	clear(rows)
	if b.NodeIDs == nil {
		return rows
	}
	if p.Train {
		for _, v := range b.H.Ends() { // degrees, until they are used
			rows[v]++
		}
	}
	for v, id := range b.NodeIDs {
		d := float64(rows[v])
		rows[v] = 0
		if p.Train && p.Rand.Float64() >= (1-m.config.Drop)*d/max(d+m.config.Half, 1) {
			continue
		}
		if id >= 0 && int(id) < m.config.Nodes {
			rows[v] = 1 + id
		}
	}
	return rows
}
