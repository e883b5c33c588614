package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// AutoBeside predicts edges that are not in the graph whose known labels were fitted. The results are those of Auto for a graph
// that has these edges too, to the bit. No edge of a batch has a known label.
type AutoBeside struct {
	*Auto
	labels []*columns.Fitted // for each edge of the batch, the fitted labels that it may read
	node   []int32           // for each node of the batch, its number in the graph, or that of a node without edges
}

// ReadsNeighbours reports whether a learner passes messages between edges. AutoBeside has no such learners.
func (c *AutoConfig) ReadsNeighbours() bool {
	return slices.ContainsFunc(c.Learners, func(l Learner) bool { return l.Kind == LearnerDual })
}

// FitLabels fits the known labels of a graph, graph.Masked of other edges, or nil where no label is known. The graph gets
// another node, of the highest number, which has no edges.
func (m *Auto) FitLabels(ctx context.Context, nodes int, ends []int32, label []float32, directed bool, threads int) (*columns.Fitted, error) {
	g := m.Layout().graph()
	edges := len(ends) / 2
	g.Nodes, g.Ends, g.Directed, g.Label = nodes+1, ends, directed, make([]float32, edges, 2*edges)
	for e := range g.Label {
		g.Label[e] = graph.Masked
		if label != nil && knownLabel(label[e], g.Classes) {
			g.Label[e] = label[e]
		}
	}
	if !directed {
		g.Ends, g.Label = bothWays(ends), append(g.Label, g.Label...)
	}
	known := lists.Map(g.Label, func(v float32) bool { return !math.IsNaN(float64(v)) })
	return columns.Fit(ctx, g, known, threads)
}

// Beside returns a model for batches outside the graph. labels has for each edge of the batch the fitted labels that it may read,
// node has for each node of the batch its number in the graph of these labels.
func (m *Auto) Beside(labels []*columns.Fitted, node []int32) *AutoBeside {
	return &AutoBeside{m, labels, node}
}

// Forward predicts for all edges.
func (m *AutoBeside) Forward(p *nn.Pass, b *graph.Batch) *Output {
	rows := NewEdgeRows(b, m.Layout(), p.Tape.Threads())
	o := &Output{Edge: tensor.New(rows.edges, m.dims.Out)}
	reading := map[*columns.Fitted][]int32{}
	for e, l := range m.labels {
		reading[l] = append(reading[l], int32(e))
	}
	for labels, edges := range reading { // in any order: each writes outputs of its own
		of := rows.Rows(edges)
		ends := make([]int32, 0, 2*len(of))
		for _, row := range of {
			ends = append(ends, m.node[rows.ends[2*row]], m.node[rows.ends[2*row+1]])
		}
		l, err := labels.Rows(context.Background(), ends)
		if err == nil {
			err = m.learn(rows, edges, rows.Static(of).Beside(Block{l.Rows, l.Width, l.Data}), nil, o)
		}
		if err != nil {
			panic(fmt.Errorf("model: auto: %w", err)) // no learner reads neighbours
		}
	}
	return o
}
