package nn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// round is a convolution applied to nodes or to edges.
type round struct {
	name string
	conv nn.Conv
	dual bool
}

func (c round) apply(p *nn.Pass, v graph.View) *tensor.Tensor {
	if c.dual {
		v = v.Dual()
	}
	return c.conv.Forward(p, v)
}

const nodeWidth, edgeWidth = 3, 2

// rounds lists every convolution on every side it works on.
func rounds() []round {
	in := nn.NewInit(1)
	return append([]round{
		{"GCN", nn.NewGCN(in, nn.ConvDims{In: nodeWidth, Out: 4}, nn.GCNConfig{}), false},
		{"GCN without degrees", nn.NewGCN(in, nn.ConvDims{In: nodeWidth, Out: 4}, nn.GCNConfig{NoNormalize: true}), false},
		{"HyperConv on nodes", nn.NewHyperConv(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.HyperConvConfig{}), false},
		{"HyperConv on edges", nn.NewHyperConv(in, nn.ConvDims{In: edgeWidth, Out: 4}, nn.HyperConvConfig{}), true},
		{"Pointwise on edges", nn.NewPointwise(in, nn.ConvDims{In: edgeWidth, Out: 4}), true},
		{"LEConv", nn.NewLEConv(in, nn.ConvDims{In: nodeWidth, Out: 4}, nn.LEConvConfig{}), false},
		{"LEConv with loops", nn.NewLEConv(in, nn.ConvDims{In: nodeWidth, Out: 4}, nn.LEConvConfig{Loops: true}), false},
	}, neighbourRounds()...)
}

// permuted renames node i to nodes[i] and moves edge e to place edges[e].
func permuted(g *graph.Graph, nodes, edges []int) *graph.Graph {
	out := *g
	out.Ends = make([]int32, len(g.Ends))
	for e, to := range edges {
		out.Ends[2*to] = int32(nodes[g.Ends[2*e]])
		out.Ends[2*to+1] = int32(nodes[g.Ends[2*e+1]])
	}
	out.Node.Dense = movedRows(g.Node.Dense, nodes, nodeWidth)
	out.Edge.Dense = movedRows(g.Edge.Dense, edges, edgeWidth)
	return &out
}

// movedRows puts row i of x at place to[i].
func movedRows(x []float32, to []int, d int) []float32 {
	out := make([]float32, len(x))
	for i, j := range to {
		copy(out[j*d:(j+1)*d], x[i*d:(i+1)*d])
	}
	return out
}

// Renaming nodes and reordering edges reorders the results, and nothing else.
func TestEquivariance(t *testing.T) {
	r := rng.Stream(6, "equivariance")
	for trial := range 40 {
		g := sample(r, trial%2 == 0)
		if trial%3 == 0 {
			// With weights the last of several self-loops of a node counts for GCN, as
			// in the reference, which depends on their order.
			g = multigraph(r, 2+r.IntN(6), r.IntN(10), nodeWidth, edgeWidth, trial%2 == 0, false)
		}
		nodes, edges := r.Perm(g.NumNodes), r.Perm(g.NumEdges())
		a := must(graph.Collate([]*graph.Graph{g})).View
		b := must(graph.Collate([]*graph.Graph{permuted(g, nodes, edges)})).View
		if trial%3 == 0 {
			w := random(r, g.NumEdges()).Square()
			a, b = a.WithW(w), b.WithW(tensor.FromSlice(movedRows(w.Data(), edges, 1), g.NumEdges()))
		}
		for _, c := range rounds() {
			x, y := c.apply(pass(t, true), a), c.apply(pass(t, true), b)
			to := nodes
			if c.dual {
				to = edges
			}
			near(t, c.name, y.Data(), movedRows(x.Data(), to, x.Dim(1)), 1e-5)
		}
	}
}

func sample(r *rand.Rand, directed bool) *graph.Graph {
	return multigraph(r, 1+r.IntN(6), r.IntN(10), nodeWidth, edgeWidth, directed, true)
}

// A sample has the same result alone and in a batch, next to empty ones, too.
func TestBatchIndependence(t *testing.T) {
	r := rng.Stream(7, "batch")
	for trial := range 20 {
		directed := trial%2 == 0
		empty := &graph.Graph{Directed: directed, Node: graph.Features{Dim: nodeWidth}, Edge: graph.Features{Dim: edgeWidth}}
		gs := []*graph.Graph{empty, sample(r, directed), sample(r, directed), empty, sample(r, directed)}
		all := must(graph.Collate(gs)).View
		for _, c := range rounds() {
			got := c.apply(pass(t, true), all).Data()
			for _, g := range gs {
				want := c.apply(pass(t, true), must(graph.Collate([]*graph.Graph{g})).View).Data()
				near(t, c.name, got[:len(want)], want, 1e-5)
				got = got[len(want):]
			}
			if len(got) > 0 {
				t.Errorf("%s: %d elements too many", c.name, len(got))
			}
		}
	}
}

// HyperConv on the dual with one vertex per bond gives both arcs of the authors'
// form the same result, the reconstruction spec's "twins": each bond keeps its
// loop, while among arcs no hyperedge is a singleton. Self-loops are left out:
// as one arc they weigh half of what a bond does.
func TestHyperConvForms(t *testing.T) {
	r := rng.Stream(8, "forms")
	layer := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: edgeWidth, Out: 3}, nn.HyperConvConfig{})
	for range 40 {
		g := multigraph(r, 2+r.IntN(6), r.IntN(10), nodeWidth, edgeWidth, false, false)
		arcs := withArcs(g)
		u, d := must(graph.Collate([]*graph.Graph{g})).View, must(graph.Collate([]*graph.Graph{arcs})).View
		pu, pd := pass(t, true), pass(t, true)
		x, y := layer.Forward(pu, u.Dual()), layer.Forward(pd, d.Dual())
		near(t, "twin arcs", y.Data(), spread(x, arcs.EdgeLabel).Data(), 1e-6)
		// The mean over each node's hyperedge is the same, too.
		near(t, "hyperedge means", tensor.SpMM(d.Dual().H.Hyper().Up, d.E, tensor.SpMMConfig{}).Data(),
			tensor.SpMM(u.Dual().H.Hyper().Up, u.E, tensor.SpMMConfig{}).Data(), 1e-6)
		// Gradients of the parameters, the loss of a bond being that of its arcs.
		up := random(r, g.NumEdges(), 3)
		gu := gradients(pu, x, up.MulScalar(2), pu.Var(layer.Weight), pu.Var(layer.Bias))
		gd := gradients(pd, y, spread(up, arcs.EdgeLabel), pd.Var(layer.Weight), pd.Var(layer.Bias))
		near(t, "gradient of the weight", gd[0].Data(), gu[0].Data(), 1e-5)
		near(t, "gradient of the bias", gd[1].Data(), gu[1].Data(), 1e-5)
	}
}

// GCN sends along an undirected edge what it sends along its two arcs, weighted
// or not, self-loops included.
func TestGCNForms(t *testing.T) {
	r := rng.Stream(9, "forms")
	for trial := range 60 {
		g := multigraph(r, 2+r.IntN(6), r.IntN(10), nodeWidth, edgeWidth, false, true)
		arcs := withArcs(g)
		u, d := must(graph.Collate([]*graph.Graph{g})).View, must(graph.Collate([]*graph.Graph{arcs})).View
		if trial%2 == 0 {
			w := random(r, g.NumEdges()).Square()
			u, d = u.WithW(w), d.WithW(spread(w, arcs.EdgeLabel))
		}
		for _, c := range []nn.GCNConfig{{}, {NoNormalize: true}, {NoLoops: true}} {
			layer := nn.NewGCN(nn.NewInit(1), nn.ConvDims{In: nodeWidth, Out: 2}, c)
			near(t, "arcs", layer.Forward(pass(t, true), d).Data(), layer.Forward(pass(t, true), u).Data(), 1e-5)
		}
	}
}

// withArcs is g.Arcs() with the edge behind each arc as its label.
func withArcs(g *graph.Graph) *graph.Graph {
	h := *g
	h.EdgeLabel = make([]int32, g.NumEdges())
	for e := range h.EdgeLabel {
		h.EdgeLabel[e] = int32(e)
	}
	return h.Arcs()
}

// spread gives each arc the row of its edge.
func spread(x *tensor.Tensor, edge []int32) *tensor.Tensor {
	return tensor.Gather(x, tensor.MustIndex(edge, x.Dim(0)))
}

// Results are the same to the bit for any number of threads, forward and
// backward, on a graph large enough to be split.
func TestThreads(t *testing.T) {
	g := multigraph(rng.Stream(10, "threads"), 3000, 9000, nodeWidth, edgeWidth, false, true)
	v := must(graph.Collate([]*graph.Graph{g})).View
	for _, c := range rounds() {
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2, 3} {
			tape := tensor.NewArena(threads).Tape()
			p := &nn.Pass{Tape: tape, Train: true}
			y := c.apply(p, v)
			var wrt []*tensor.Tensor
			for _, w := range c.conv.Params() {
				if !w.Buffer {
					wrt = append(wrt, p.Var(w))
				}
			}
			got := append(tape.Grad(y.Square(), wrt...), y)
			for i, x := range got {
				if threads == 1 {
					first = append(first, x.Clone())
					continue
				}
				near(t, c.name, x.Data(), first[i].Data(), 0)
			}
			tape.Close()
		}
	}
}
