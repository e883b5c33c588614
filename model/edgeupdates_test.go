package model

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// A layer of gin-edge is that of PyTorch Geometric's GINEConv along and against the arcs
// and the published update of edges: results and gradients.
func TestCaseEdgeUpdate(t *testing.T) {
	for _, c := range golden.Load(t, "layers/edge_update").Cases {
		t.Run(c.Name, func(t *testing.T) {
			width := c.Value("x").Shape[1]
			m := must(NewGINEdge(nn.NewInit(0), Dims{Node: 1, Edge: 1, Out: 1}, EdgeUpdatesConfig{Stack{Hidden: width, Layers: 1}}))
			layer := m.Layers[0]
			for _, w := range layer.Params() {
				w.Name = w.Name[len("layers.0."):]
			}
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			src, dst := c.Pair("edge_index")
			var ends []int32
			for e := range src {
				ends = append(ends, src[e], dst[e])
			}
			h := must(graph.NewPairs(c.Value("x").Shape[0], ends, true))
			v := layer.Forward(p, graph.View{X: vars["x"], E: vars["edge_attr"], H: h})
			out := map[string]*tensor.Tensor{"x": v.X, "e": v.E}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}
