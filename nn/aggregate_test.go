package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// neighbourRounds lists the layers that aggregate over neighbours, on every side
// they work on.
func neighbourRounds() []round {
	in := nn.NewInit(3)
	return []round{
		{"SAGE", nn.NewSAGE(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.SAGEConfig{}), false},
		{"SAGE, widening", nn.NewSAGE(in, nn.ConvDims{In: nodeWidth, Out: 5}, nn.SAGEConfig{Aggregate: nn.AggregateSum}), false},
		{"SAGE max", nn.NewSAGE(in, nn.ConvDims{In: nodeWidth, Out: 4}, nn.SAGEConfig{Aggregate: nn.AggregateMax, Normalize: true}), false},
		{"SAGE on edges", nn.NewSAGE(in, nn.ConvDims{In: edgeWidth, Out: 3}, nn.SAGEConfig{}), true},
		{"SAGE sum on edges", nn.NewSAGE(in, nn.ConvDims{In: edgeWidth, Out: 2}, nn.SAGEConfig{Aggregate: nn.AggregateSum, Normalize: true}), true},
		{"SAGE max on edges", nn.NewSAGE(in, nn.ConvDims{In: edgeWidth, Out: 3}, nn.SAGEConfig{Aggregate: nn.AggregateMax, NoRoot: true}), true},
		{"GIN", nn.NewGIN(in, nn.ConvDims{In: nodeWidth, Out: 4}, nn.GINConfig{TrainEps: true}), false},
		{"GIN, narrowing", nn.NewGIN(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.GINConfig{Eps: 0.5}), false},
		{"GIN on edges", nn.NewGIN(in, nn.ConvDims{In: edgeWidth, Out: 3}, nn.GINConfig{}), true},
		{"GINE", nn.NewGINE(in, nn.ConvDims{In: nodeWidth, Out: 3, Edge: edgeWidth}, nn.GINConfig{}), false},
		{"GINE on edges", nn.NewGINE(in, nn.ConvDims{In: edgeWidth, Out: 3, Edge: nodeWidth}, nn.GINConfig{TrainEps: true}), true},
		{"GAT", must(nn.NewGAT(in, nn.ConvDims{In: nodeWidth, Out: 6, Edge: edgeWidth, Heads: 3}, nn.GATConfig{})), false},
		{"GAT without loops", must(nn.NewGAT(in, nn.ConvDims{In: nodeWidth, Out: 4, Heads: 1}, nn.GATConfig{NoLoops: true})), false},
		{"GATv2", must(nn.NewGATv2(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: edgeWidth, Heads: 2}, nn.GATv2Config{GATConfig: nn.GATConfig{Average: true}})), false},
		{"GATv2 without loops", must(nn.NewGATv2(in, nn.ConvDims{In: nodeWidth, Out: 4, Heads: 2}, nn.GATv2Config{Shared: true, GATConfig: nn.GATConfig{NoLoops: true}})), false},
	}
}

// neighbourCaseView is the directed graph of a fixture case.
func neighbourCaseView(c golden.Case, vars map[string]*tensor.Tensor) graph.View {
	h := must(graph.NewPairs(c.Value("x").Shape[0], interleave(c.Pair("edge_index")), true))
	return graph.View{X: vars["x"], E: vars["edge_attr"], H: h}
}

// checkNeighbourCase runs a layer on the graph of a case and compares everything.
func checkNeighbourCase(t *testing.T, c golden.Case, layer nn.Conv) {
	t.Helper()
	p := pass(t, true)
	vars := c.Bind(t, p.Tape, layer.Params())
	out := map[string]*tensor.Tensor{"out": layer.Forward(p, neighbourCaseView(c, vars))}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
}

// sentRows lists what reaches each vertex, by the definition: on a graph what
// send makes of its neighbours' rows, on a hypergraph of its hyperedges' means.
// send gets a row and the edge it comes along.
func sentRows(h *graph.Incidence, x *tensor.Tensor, send func(row []float64, e int) []float64) [][][]float64 {
	d := x.Dim(1)
	row := func(v int32) []float64 {
		out := make([]float64, d)
		for j := range out {
			out[j] = float64(x.Data()[int(v)*d+j])
		}
		return out
	}
	got := make([][][]float64, h.NumVertices())
	if ends := h.Ends(); ends != nil {
		for e := range len(ends) / 2 {
			u, v := ends[2*e], ends[2*e+1]
			got[v] = append(got[v], send(row(u), e))
			if !h.Directed() && u != v {
				got[u] = append(got[u], send(row(v), e))
			}
		}
		return got
	}
	vertex, edge := h.List()
	for e := range h.NumEdges() {
		mean, size := make([]float64, d), 0.0
		for i, f := range edge {
			if int(f) == e {
				size++
				for j, a := range row(vertex[i]) {
					mean[j] += a
				}
			}
		}
		for j := range mean {
			mean[j] /= size
		}
		for i, f := range edge {
			if int(f) == e {
				got[vertex[i]] = append(got[vertex[i]], send(mean, e))
			}
		}
	}
	return got
}

// weigh multiplies by the weight of the edge, if there are weights.
func weigh(w *tensor.Tensor) func(row []float64, e int) []float64 {
	return func(row []float64, e int) []float64 {
		out := make([]float64, len(row))
		for j, a := range row {
			out[j] = a
			if w != nil {
				out[j] *= float64(w.Data()[e])
			}
		}
		return out
	}
}

func reduceRows(rows [][]float64, d int, how nn.Aggregator) []float64 {
	out := make([]float64, d)
	for i, row := range rows {
		for j, a := range row {
			switch {
			case how == nn.AggregateMax && i > 0:
				out[j] = math.Max(out[j], a)
			case how == nn.AggregateMax:
				out[j] = a
			case how == nn.AggregateMean:
				out[j] += a / float64(len(rows))
			default:
				out[j] += a
			}
		}
	}
	return out
}

// linear64 adds w·x + b to y, w being [out,in] and b nil for none.
func linear64(y []float64, x []float64, w, b *tensor.Tensor) {
	for i := range y {
		for j, a := range x {
			y[i] += float64(w.Data()[i*len(x)+j]) * a
		}
		if b != nil {
			y[i] += float64(b.Data()[i])
		}
	}
}

func row64(x *tensor.Tensor, i int) []float64 {
	d := x.Dim(1)
	out := make([]float64, d)
	for j := range out {
		out[j] = float64(x.Data()[i*d+j])
	}
	return out
}

func narrowed(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, a := range x {
		out[i] = float32(a)
	}
	return out
}

// structures are graphs of both kinds, their duals, and hypergraphs.
func structures(r *rand.Rand, trial int) *graph.Incidence {
	switch trial % 5 {
	case 0:
		return randomHypergraph(r)
	case 1:
		return randomHypergraph(r).Dual()
	}
	g := multigraph(r, 1+r.IntN(6), r.IntN(10), 1, 1, trial%2 == 0, true)
	h := must(graph.Collate([]*graph.Graph{g})).H
	if trial%5 == 4 {
		return h.Dual()
	}
	return h
}

// randomView has features of the given widths and, in one of three trials,
// weights of either sign.
func randomView(r *rand.Rand, trial, dx, de int) graph.View {
	h := structures(r, trial)
	v := graph.View{X: random(r, h.NumVertices(), dx), E: random(r, h.NumEdges(), de), H: h}
	if trial%3 == 0 {
		v.W = random(r, h.NumEdges())
	}
	return v
}

// Values are derivatives: along random directions, the gradients by features,
// weights and parameters agree with differences of the output.
func TestNeighbourGradients(t *testing.T) {
	r := rng.Stream(21, "directions")
	for _, c := range neighbourRounds() {
		for trial := range 6 {
			g := sample(r, trial%2 == 0)
			if g.NumEdges() == 0 {
				continue
			}
			v := must(graph.Collate([]*graph.Graph{g})).View
			if c.dual {
				v = v.Dual()
			}
			v.W = random(r, v.H.NumEdges())
			params := c.conv.Params()
			// value is the loss with every input moved, and its derivative there.
			points := []*tensor.Tensor{v.X, v.E, v.W}
			for _, w := range params {
				points = append(points, w.Value.Clone())
			}
			ways := make([]*tensor.Tensor, len(points))
			for i, x := range points {
				ways[i] = random(r, x.Shape()...)
			}
			var up *tensor.Tensor
			value := func(by float32) (loss, slope float64) {
				p := pass(t, true)
				at := make([]*tensor.Tensor, len(points))
				for i, x := range points {
					at[i] = x.Add(ways[i].MulScalar(by))
					if i >= 3 {
						params[i-3].Value = at[i]
						if !params[i-3].Buffer {
							at[i] = p.Var(params[i-3])
						} else {
							at[i], params[i-3].Value = nil, x
						}
						continue
					}
					at[i] = p.Tape.Variable(at[i])
				}
				y := c.conv.Forward(p, v.WithX(at[0]).WithE(at[1]).WithW(at[2]))
				if up == nil {
					up = random(r, y.Shape()...)
				}
				for i, a := range y.Data() {
					loss += float64(a) * float64(up.Data()[i])
				}
				for i, x := range at {
					if x == nil {
						continue
					}
					for k, d := range gradients(p, y, up, x)[0].Data() {
						slope += float64(d) * float64(ways[i].Data()[k])
					}
				}
				return loss, slope
			}
			const step = 3e-4
			lo, _ := value(-step)
			hi, _ := value(step)
			_, slope := value(0)
			if got := (hi - lo) / (2 * step); math.Abs(got-slope) > 1e-2*max(1, math.Abs(slope)) {
				t.Errorf("%s, trial %d: slope %v, gradients say %v", c.name, trial, got, slope)
			}
			for i, w := range params {
				w.Value = points[i+3]
			}
		}
	}
}

// An undirected graph gives the same as its arcs, edge features and weights
// included, forward and backward.
func TestNeighbourForms(t *testing.T) {
	r := rng.Stream(22, "forms")
	for trial := range 30 {
		g := multigraph(r, 2+r.IntN(6), r.IntN(10), nodeWidth, edgeWidth, false, true)
		arcs := withArcs(g)
		u, d := must(graph.Collate([]*graph.Graph{g})).View, must(graph.Collate([]*graph.Graph{arcs})).View
		if trial%2 == 0 {
			w := random(r, g.NumEdges())
			u, d = u.WithW(w), d.WithW(spread(w, arcs.EdgeLabel))
		}
		for _, c := range neighbourRounds() {
			if c.dual {
				continue
			}
			pu, pd := pass(t, true), pass(t, true)
			x, y := c.conv.Forward(pu, u), c.conv.Forward(pd, d)
			near(t, c.name, y.Data(), x.Data(), 1e-5)
			up := random(r, x.Shape()...)
			for _, w := range c.conv.Params() {
				if !w.Buffer {
					near(t, c.name+", gradient of "+w.Name, gradients(pd, y, up, pd.Var(w))[0].Data(),
						gradients(pu, x, up, pu.Var(w))[0].Data(), 5e-5)
				}
			}
		}
	}
}

// neighbourDegenerate are graphs at the edge of what is one.
func neighbourDegenerate() map[string]*graph.Graph {
	out := map[string]*graph.Graph{}
	for name, c := range map[string]struct {
		nodes int
		ends  []int32
	}{
		"nothing": {}, "one node": {nodes: 1}, "no edges": {nodes: 3}, "a self-loop": {1, []int32{0, 0}},
		"two self-loops of a node": {2, []int32{1, 1, 1, 1}}, "parallel edges": {2, []int32{0, 1, 0, 1, 1, 0}},
		"two parts": {5, []int32{0, 1, 3, 4}},
	} {
		g := graph.Graph{NumNodes: c.nodes, Ends: c.ends, Node: graph.Features{Dim: nodeWidth, Dense: make([]float32, c.nodes*nodeWidth)},
			Edge: graph.Features{Dim: edgeWidth, Dense: make([]float32, len(c.ends)/2*edgeWidth)}}
		out[name] = must(graph.New(g))
	}
	return out
}

// Features of zero are the worst case for norms, and equal ones for maxima.
func TestNeighbourDegenerate(t *testing.T) {
	for name, g := range neighbourDegenerate() {
		for _, directed := range []bool{false, true} {
			g := *g
			g.Directed = directed
			v := must(graph.Collate([]*graph.Graph{&g})).View
			for _, c := range neighbourRounds() {
				p := pass(t, true)
				x, e := p.Tape.Variable(v.X), p.Tape.Variable(v.E)
				y := c.apply(p, v.WithX(x).WithE(e))
				if n := map[bool]int{false: g.NumNodes, true: g.NumEdges()}[c.dual]; y.Dim(0) != n {
					t.Errorf("%s, %s: %d rows, want %d", c.name, name, y.Dim(0), n)
				}
				wrt := []*tensor.Tensor{x, e}
				for _, w := range c.conv.Params() {
					if !w.Buffer {
						wrt = append(wrt, p.Var(w))
					}
				}
				for i, got := range append(p.Tape.Grad(y.Square(), wrt...), y) {
					for _, a := range got.Data() {
						if a-a != 0 {
							t.Fatalf("%s, %s: result %d is %v", c.name, name, i, got)
						}
					}
				}
			}
		}
	}
}

func TestNeighbourLayersNeedPairs(t *testing.T) {
	g := multigraph(rng.Stream(23, "pairs"), 3, 4, nodeWidth, edgeWidth, false, true)
	v := must(graph.Collate([]*graph.Graph{g})).View
	in := nn.NewInit(0)
	for name, layer := range map[string]nn.Conv{
		"GAT":                 must(nn.NewGAT(in, nn.ConvDims{In: edgeWidth, Out: 2}, nn.GATConfig{})),
		"GAT without loops":   must(nn.NewGAT(in, nn.ConvDims{In: edgeWidth, Out: 2}, nn.GATConfig{NoLoops: true})),
		"GATv2":               must(nn.NewGATv2(in, nn.ConvDims{In: edgeWidth, Out: 2}, nn.GATv2Config{})),
		"GATv2 without loops": must(nn.NewGATv2(in, nn.ConvDims{In: edgeWidth, Out: 2}, nn.GATv2Config{GATConfig: nn.GATConfig{NoLoops: true}})),
	} {
		mustPanic(t, name+" on a dual", func() { layer.Forward(pass(t, false), v.Dual()) })
		mustPanic(t, name+" of another width", func() { layer.Forward(pass(t, false), v) })
	}
	for _, c := range neighbourRounds() {
		mustPanic(t, c.name+" of another width", func() { c.apply(pass(t, false), v.WithX(tensor.New(3, 7)).WithE(tensor.New(4, 7))) })
	}
	for name, layer := range map[string]nn.Conv{
		"GAT":              must(nn.NewGAT(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: 3}, nn.GATConfig{})),
		"GATv2":            must(nn.NewGATv2(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: 3}, nn.GATv2Config{})),
		"GINE":             nn.NewGINE(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: 3}, nn.GINConfig{}),
		"GINE of no width": nn.NewGINE(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.GINConfig{}),
	} {
		mustPanic(t, name+" with other edge features", func() { layer.Forward(pass(t, false), v) })
		mustPanic(t, name+" without edge features", func() { layer.Forward(pass(t, false), v.WithE(nil)) })
	}
}
