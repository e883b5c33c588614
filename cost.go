package ehgnn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
)

// The measured memory of a pass without gradients, rounded up: rows of the hidden width for each
// node, for each edge of a model with edge layers, and for each edge of another model.
const (
	costNodeRows = 16
	costEdgeRows = 6
	costPlain    = 2
)

// Cost estimates the peak memory in bytes of the model for a graph: features, rows of a layer, and
// terms that grow faster than the graph, such as the clusters of a dense pool or the line graph of
// a star. It reads only NumNodes and Ends, which must be in range. So a graph can be refused before
// its attributes are read.
func (m *Model) Cost(g *Graph) float64 {
	size := model.SizeOf(&graph.Graph{NumNodes: g.NumNodes, Ends: g.Ends, Directed: m.schema.Directed})
	return m.cost(size, m.load(size))
}

func (m *Model) cost(size model.GraphSize, l model.Load) float64 {
	return 4*(size.Nodes*m.nodeCost+size.Edges*m.edgeCost) + l.Least + l.Memory
}

// setCosts sets how many floats a node and an edge take.
func (m *Model) setCosts(spec model.Spec) {
	c := &m.settings.Model
	largest := func(names ...string) float64 {
		out := 0
		for _, name := range names {
			for _, at := range c.At(name) {
				out = max(out, *at.(*int))
			}
		}
		return float64(out)
	}
	hidden := largest("hidden")
	edge := max(hidden, largest("edge-hidden"))
	perEdge := costPlain * hidden
	if spec.Edges {
		perEdge = costEdgeRows * edge
	}
	times := max(spec.Cost, 1)
	m.nodeCost = 3*float64(c.Node) + times*costNodeRows*hidden
	m.edgeCost = 3*float64(c.Edge) + times*perEdge
}
