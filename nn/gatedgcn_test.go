package nn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// The formula in PyTorch, arc by arc: results, gradients, running statistics.
func TestCaseGatedGCN(t *testing.T) {
	for _, c := range golden.Load(t, "layers/gated_gcn").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "training")
			layer := nn.NewGatedGCN(nn.NewInit(0), nn.ConvDims{In: c.Value("x").Shape[1], Out: c.Value("params.A.weight").Shape[0], Edge: c.Value("e").Shape[1]}, nn.GatedGCNConfig{})
			p := pass(t, c.Config.Bool("training", true))
			vars := c.Bind(t, p.Tape, layer.Params())
			if !p.Train { // where parameters are constants
				for name := range vars {
					if strings.HasPrefix(name, "params.") {
						vars[name] = nil
					}
				}
			}
			h := must(graph.NewPairs(c.Value("x").Shape[0], interleave(c.Pair("edge_index")), true))
			x, e := layer.Forward(p, graph.View{X: vars["x"], E: vars["e"], H: h})
			out := map[string]*tensor.Tensor{"x": x, "e": e}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
			for _, w := range layer.Params() {
				if w.Buffer {
					golden.Close(t, w.Name+" after the call", w.Value.Data(), w.Value.Shape(), c.Outputs["after."+w.Name], 1e-5)
				}
			}
		})
	}
}

// The order of nodes and arcs is the caller's, dropout hits both results in
// training only, and threads make no difference.
func TestGatedGCNProperties(t *testing.T) {
	r := rng.Stream(7, "gated")
	g := multigraph(r, 300, 900, 4, 4, true, true)
	b := must(graph.Collate([]*graph.Graph{g}))
	layer := nn.NewGatedGCN(nn.NewInit(2), nn.ConvDims{In: 4, Out: 4, Edge: 4}, nn.GatedGCNConfig{Dropout: 0.5})
	run := func(v graph.View, training bool, threads int) (x, e []float32) {
		tape := tensor.NewArena(threads).Tape()
		defer tape.Close()
		tx, te := layer.Forward(&nn.Pass{Tape: tape, Train: training, Rand: rng.Stream(1, "dropout")}, v)
		return slices.Clone(tx.Data()), slices.Clone(te.Data())
	}
	x, e := run(b.View, false, 1)
	for _, threads := range []int{1, 2, 3} {
		if x2, e2 := run(b.View, false, threads); !slices.Equal(x, x2) || !slices.Equal(e, e2) {
			t.Errorf("results differ on %d threads", threads)
		}
	}
	for name, pair := range map[string][2][]float32{"nodes": {b.X.Data(), x}, "arcs": {b.E.Data(), e}} {
		if slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: the layer does nothing", name)
		}
	}
	// Where dropout or ReLU gives 0 the features stay as they came, which is more
	// often with dropout.
	kept := func(before, after []float32) (n int) {
		for i := range before {
			if before[i] == after[i] {
				n++
			}
		}
		return n
	}
	dx, de := run(b.View, true, 1)
	layer.Dropout = 0
	px, pe := run(b.View, true, 1)
	if a, b := kept(b.X.Data(), dx), kept(b.X.Data(), px); a <= b {
		t.Errorf("%d entries of nodes stay with dropout, %d without", a, b)
	}
	if a, b := kept(b.E.Data(), de), kept(b.E.Data(), pe); a <= b {
		t.Errorf("%d entries of arcs stay with dropout, %d without", a, b)
	}

	// Nodes and arcs in another order, results with them.
	nodes, arcs := r.Perm(g.NumNodes), r.Perm(g.NumEdges())
	h := graph.Graph{NumNodes: g.NumNodes, Directed: true, Ends: make([]int32, len(g.Ends)),
		Node: graph.Features{Dim: 4, Dense: make([]float32, len(g.Node.Dense))}, Edge: graph.Features{Dim: 4, Dense: make([]float32, len(g.Edge.Dense))}}
	for v, to := range nodes {
		copy(h.Node.Dense[4*to:4*to+4], g.Node.Dense[4*v:])
	}
	for k, to := range arcs {
		h.Ends[2*to], h.Ends[2*to+1] = int32(nodes[g.Ends[2*k]]), int32(nodes[g.Ends[2*k+1]])
		copy(h.Edge.Dense[4*to:4*to+4], g.Edge.Dense[4*k:])
	}
	x, e = run(b.View, false, 1)
	mx, me := run(must(graph.Collate([]*graph.Graph{must(graph.New(h))})).View, false, 1)
	for v, to := range nodes {
		near(t, "node in another place", mx[4*to:4*to+4], x[4*v:4*v+4], 1e-5)
	}
	for k, to := range arcs {
		near(t, "arc in another place", me[4*to:4*to+4], e[4*k:4*k+4], 1e-5)
	}
}

// Views for which the layer is not defined are shape errors.
func TestGatedGCNRefuses(t *testing.T) {
	layer := nn.NewGatedGCN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Edge: 2}, nn.GatedGCNConfig{})
	g := multigraph(rng.Stream(8, "gated"), 4, 5, 3, 2, false, false)
	v := must(graph.Collate([]*graph.Graph{g})).View
	arcs, _ := v.Arcs()
	mustPanic(t, "undirected", func() { layer.Forward(pass(t, false), v) })
	mustPanic(t, "dual", func() { layer.Forward(pass(t, false), arcs.Dual()) })
	mustPanic(t, "no edge features", func() { layer.Forward(pass(t, false), arcs.WithE(nil)) })
	mustPanic(t, "edge features of another width", func() { layer.Forward(pass(t, false), arcs.WithE(tensor.New(10, 3))) })
	mustPanic(t, "node features of another width", func() { layer.Forward(pass(t, false), arcs.WithX(tensor.New(4, 2))) })
	if x, e := layer.Forward(pass(t, false), arcs); x.Dim(0) != 4 || e.Dim(0) != 10 {
		t.Errorf("results of shape %v and %v", x.Shape(), e.Shape())
	}
}
