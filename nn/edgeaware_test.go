package nn_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// renamed is the case with parameters under other names, for fixtures of a
// formula or of another library.
func renamed(c golden.Case, names map[string]string) golden.Case {
	params, grads := map[string]golden.Value{}, map[string]golden.Value{}
	name := func(old string) string {
		if to, ok := names[old]; ok {
			return to
		}
		return old
	}
	for k, v := range c.Params {
		params[name(k)] = v
	}
	for k, v := range c.Grads {
		if rest, ok := strings.CutPrefix(k, "params."); ok {
			k = "params." + name(rest)
		}
		grads[k] = v
	}
	c.Params, c.Grads = params, grads
	return c
}

// transposed is the case with one parameter, a matrix, transposed.
func transposed(c golden.Case, name string) golden.Case {
	c = renamed(c, nil)
	flip := func(v golden.Value) golden.Value {
		n, d := v.Shape[0], v.Shape[1]
		out := golden.Value{Dtype: v.Dtype, Shape: []int{d, n}, Floats: make([]float32, n*d)}
		for i := range n {
			for j := range d {
				out.Floats[j*n+i] = v.Floats[i*d+j]
			}
		}
		return out
	}
	c.Params[name] = flip(c.Params[name])
	c.Grads["params."+name] = flip(c.Grads["params."+name])
	return c
}

// checkCase compares a convolution on the graph of a case, its edge features
// and edge weights included, with the case.
func checkCase(t *testing.T, c golden.Case, layer nn.Conv, forward func(*nn.Pass, graph.View) *tensor.Tensor) {
	t.Helper()
	p := pass(t, true)
	vars := c.Bind(t, p.Tape, layer.Params())
	h := must(graph.NewPairs(c.Value("x").Shape[0], interleave(c.Pair("edge_index")), true))
	out := map[string]*tensor.Tensor{"out": forward(p, graph.View{X: vars["x"], E: vars["edge_attr"], W: vars["edge_weight"], H: h})}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
}

// edgeAware lists the edge-aware layers in their forms, on the side of the graph
// that they work on. E has edgeWidth columns of any sign.
func edgeAware() []round {
	in := nn.NewInit(1)
	positive := func(c nn.EGNNConfig) nn.Conv {
		return positiveEdges{must(nn.NewEGNN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, c))}
	}
	alike := func(out, heads int, c nn.HyperAttentionConfig) nn.Conv {
		return evenWidths{must(nn.NewHyperAttention(in, nn.ConvDims{In: nodeWidth, Out: out, Heads: heads}, c))}
	}
	line := func(c nn.Conv) nn.Conv { return &nn.LineGraph{Conv: c} }
	return []round{
		{"EGCN", nn.NewEGCN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.EGCNConfig{}), false},
		{"linear EGCN", nn.NewEGCN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.EGCNConfig{Form: nn.EGCNLinear}), false},
		{"EGCN of the paper", evenWidths{nn.NewEGCN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: nodeWidth}, nn.EGCNConfig{Form: nn.EGCNPaper})}, false},
		{"MPNN", nn.NewMPNN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.MPNNConfig{}), false},
		{"narrowing MPNN", nn.NewMPNN(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: edgeWidth}, nn.MPNNConfig{Mean: true}), false},
		{"deep MPNN", nn.NewMPNN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.MPNNConfig{Hidden: 5, Mean: true, NoRoot: true, NoBias: true}), false},
		{"RGCN", must(nn.NewRGCN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.RGCNConfig{})), false},
		{"RGCN with bases", must(nn.NewRGCN(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.RGCNConfig{Bases: 3, Sum: true})), false},
		{"EGNN", positive(nn.EGNNConfig{}), false},
		{"EGNN with attention", positive(nn.EGNNConfig{Attention: true}), false},
		{"EGNN on neighbours", positive(nn.EGNNConfig{Attention: true, Neighbours: true, Concat: true}), false},
		{"HyperAttention on nodes", alike(4, 1, nn.HyperAttentionConfig{}), false},
		{"HyperAttention on edges", alike(8, 2, nn.HyperAttentionConfig{Form: nn.AttendVertices}), true},
		{"averaged HyperAttention on edges", alike(4, 3, nn.HyperAttentionConfig{Average: true}), true},
		{"GCN on the line graph", line(nn.NewGCN(in, nn.ConvDims{In: edgeWidth, Out: 4}, nn.GCNConfig{})), true},
		{"MPNN on the line graph", &nn.LineGraph{NodeFeatures: true,
			Conv: nn.NewMPNN(in, nn.ConvDims{In: edgeWidth, Out: 4, Edge: nodeWidth}, nn.MPNNConfig{Mean: true})}, true},
	}
}

// positiveEdges makes edge features positive, as EGNN wants them.
type positiveEdges struct{ nn.Conv }

func (c positiveEdges) Forward(p *nn.Pass, v graph.View) *tensor.Tensor {
	return c.Conv.Forward(p, v.WithE(v.E.Square().AddScalar(0.1)))
}

// evenWidths pads the narrower of vertex and hyperedge features.
type evenWidths struct{ nn.Conv }

func (c evenWidths) Forward(p *nn.Pass, v graph.View) *tensor.Tensor {
	d := max(v.X.Dim(1), v.E.Dim(1))
	pad := func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.Concat(1, x, tensor.New(x.Dim(0), d-x.Dim(1)))
	}
	return c.Conv.Forward(p, v.WithX(pad(v.X)).WithE(pad(v.E)))
}

// Renaming nodes and reordering edges reorders the results, and nothing else.
func TestEdgeAwareEquivariance(t *testing.T) {
	r := rng.Stream(21, "equivariance")
	for trial := range 40 {
		g := sample(r, trial%2 == 0)
		nodes, edges := r.Perm(g.NumNodes), r.Perm(g.NumEdges())
		a := must(graph.Collate([]*graph.Graph{g})).View
		b := must(graph.Collate([]*graph.Graph{permuted(g, nodes, edges)})).View
		if trial%3 == 0 {
			w := random(r, g.NumEdges()).Square()
			a, b = a.WithW(w), b.WithW(tensor.FromSlice(movedRows(w.Data(), edges, 1), g.NumEdges()))
		}
		for _, c := range edgeAware() {
			x, y := c.apply(pass(t, true), a), c.apply(pass(t, true), b)
			to := nodes
			if c.dual {
				to = edges
			}
			near(t, c.name, y.Data(), movedRows(x.Data(), to, x.Dim(1)), 1e-5)
		}
	}
}

// A sample has the same result alone and in a batch, next to empty ones, too.
func TestEdgeAwareBatches(t *testing.T) {
	r := rng.Stream(22, "batch")
	for trial := range 20 {
		directed := trial%2 == 0
		empty := &graph.Graph{Directed: directed, Node: graph.Features{Dim: nodeWidth}, Edge: graph.Features{Dim: edgeWidth}}
		gs := []*graph.Graph{empty, sample(r, directed), sample(r, directed), empty, sample(r, directed)}
		all := must(graph.Collate(gs)).View
		for _, c := range edgeAware() {
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

// An undirected edge does what its two arcs do with one feature row each.
func TestEdgeAwareForms(t *testing.T) {
	r := rng.Stream(23, "forms")
	for trial := range 40 {
		g := multigraph(r, 2+r.IntN(6), r.IntN(10), nodeWidth, edgeWidth, false, true)
		arcs := withArcs(g)
		u, d := must(graph.Collate([]*graph.Graph{g})).View, must(graph.Collate([]*graph.Graph{arcs})).View
		if trial%2 == 0 {
			w := random(r, g.NumEdges()).Square()
			u, d = u.WithW(w), d.WithW(spread(w, arcs.EdgeLabel))
		}
		for _, c := range edgeAware() {
			if c.dual || strings.Contains(c.name, "HyperAttention") {
				continue // twin edges are members of twice as many hyperedges
			}
			near(t, c.name, c.apply(pass(t, true), d).Data(), c.apply(pass(t, true), u).Data(), 1e-5)
		}
	}
}

// Results are the same to the bit for any number of threads, forward and
// backward, on a graph large enough to be split.
func TestEdgeAwareThreads(t *testing.T) {
	g := multigraph(rng.Stream(24, "threads"), 1500, 4500, nodeWidth, edgeWidth, false, true)
	v := must(graph.Collate([]*graph.Graph{g})).View
	for _, c := range edgeAware() {
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2, 3} {
			tape := tensor.NewArena(threads).Tape()
			p := &nn.Pass{Tape: tape, Train: true}
			x, e := tape.Variable(v.X), tape.Variable(v.E)
			y := c.apply(p, v.WithX(x).WithE(e))
			wrt := []*tensor.Tensor{x, e}
			for _, w := range c.conv.Params() {
				wrt = append(wrt, p.Var(w))
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

// Gradients by features and weights along a random direction agree with central
// differences.
func TestEdgeAwareGradients(t *testing.T) {
	r := rng.Stream(26, "gradients")
	const step = 1e-2
	for _, c := range edgeAware() {
		for _, directed := range []bool{false, true} {
			v := must(graph.Collate([]*graph.Graph{multigraph(r, 5, 8, nodeWidth, edgeWidth, directed, true)})).View
			v.W = random(r, 8).Square().AddScalar(0.1)
			values := []*tensor.Tensor{v.X, v.E, v.W}
			along := []*tensor.Tensor{random(r, 5, nodeWidth), random(r, 8, edgeWidth), random(r, 8)}
			if strings.HasPrefix(c.name, "RGCN") {
				along[1] = tensor.New(8, edgeWidth) // types do not move
			}
			var up *tensor.Tensor
			loss := func(p *nn.Pass, at []*tensor.Tensor) *tensor.Tensor {
				y := c.apply(p, v.WithX(at[0]).WithE(at[1]).WithW(at[2]))
				if up == nil {
					up = random(r, y.Shape()...)
				}
				return y.Mul(up).Sum()
			}
			p := pass(t, true)
			var vars []*tensor.Tensor
			for _, x := range values {
				vars = append(vars, p.Tape.Variable(x))
			}
			got := float32(0)
			for i, g := range p.Tape.Grad(loss(p, vars), vars...) {
				got += g.Mul(along[i]).Sum().Item()
			}
			moved := func(by float32) float32 {
				var at []*tensor.Tensor
				for i, x := range values {
					at = append(at, x.Add(along[i].MulScalar(by)))
				}
				return loss(pass(t, false), at).Item()
			}
			near(t, c.name, []float32{got}, []float32{(moved(step) - moved(-step)) / (2 * step)}, 1e-2)
		}
	}
}

// No graph is too small, and nothing is divided by zero: zero edge features and
// zero weights, isolated nodes, self-loops only, one node, no node.
func TestEdgeAwareDegenerate(t *testing.T) {
	shapes := map[string]struct {
		nodes int
		ends  []int32
	}{
		"no nodes": {}, "one node": {nodes: 1}, "no edges": {nodes: 3}, "a self-loop": {nodes: 1, ends: []int32{0, 0}},
		"self-loops": {nodes: 2, ends: []int32{0, 0, 0, 0}}, "parallel": {nodes: 3, ends: []int32{0, 1, 0, 1, 1, 0}},
	}
	for name, s := range shapes {
		for _, directed := range []bool{false, true} {
			m := len(s.ends) / 2
			h := must(graph.NewPairs(s.nodes, s.ends, directed))
			of := func(n int) *tensor.Index { return tensor.MustIndex(make([]int32, n), 1) }
			for _, weight := range []*tensor.Tensor{nil, tensor.New(m)} {
				for _, c := range edgeAware() {
					p := pass(t, true)
					x, e := p.Tape.Variable(tensor.Full(1, s.nodes, nodeWidth)), p.Tape.Variable(tensor.New(m, edgeWidth))
					y := c.apply(p, graph.View{X: x, E: e, W: weight, H: h, VertexOf: of(s.nodes), EdgeOf: of(m)})
					want := s.nodes
					if c.dual {
						want = m
					}
					if y.Dim(0) != want {
						t.Errorf("%s on %s: %d rows, want %d", c.name, name, y.Dim(0), want)
					}
					wrt := []*tensor.Tensor{x, e}
					for _, w := range c.conv.Params() {
						wrt = append(wrt, p.Var(w))
					}
					for i, g := range append(p.Tape.Grad(y.Square(), wrt...), y) {
						for _, f := range g.Data() {
							if f-f != 0 {
								t.Errorf("%s on %s: gradient %d is %v", c.name, name, i, g)
								break
							}
						}
					}
				}
			}
		}
	}
}

// Pairwise layers on a dual, and all layers on features of another width, panic with a
// shape error.
func TestEdgeAwareErrors(t *testing.T) {
	r := rng.Stream(25, "errors")
	v := must(graph.Collate([]*graph.Graph{multigraph(r, 3, 4, nodeWidth, nodeWidth, false, false)})).View
	in := nn.NewInit(1)
	for name, c := range map[string]nn.Conv{
		"EGCN":           nn.NewEGCN(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: nodeWidth}, nn.EGCNConfig{}),
		"EGCN, paper":    nn.NewEGCN(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: nodeWidth}, nn.EGCNConfig{Form: nn.EGCNPaper}),
		"MPNN":           nn.NewMPNN(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: nodeWidth}, nn.MPNNConfig{}),
		"RGCN":           must(nn.NewRGCN(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: nodeWidth}, nn.RGCNConfig{})),
		"EGNN":           must(nn.NewEGNN(in, nn.ConvDims{In: nodeWidth, Out: 2, Edge: nodeWidth}, nn.EGNNConfig{})),
		"HyperAttention": must(nn.NewHyperAttention(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.HyperAttentionConfig{})),
	} {
		if name != "HyperAttention" {
			mustPanic(t, name+" on a dual", func() { c.Forward(pass(t, false), v.Dual()) })
		}
		mustPanic(t, name+" without edge features", func() { c.Forward(pass(t, false), v.WithE(nil)) })
		mustPanic(t, name+" with narrow edge features", func() { c.Forward(pass(t, false), v.WithE(tensor.New(4, 1))) })
		mustPanic(t, name+" with narrow features", func() { c.Forward(pass(t, false), v.WithX(tensor.New(3, 1))) })
	}
	rgcn := must(nn.NewRGCN(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.RGCNConfig{Relations: 2}))
	mustPanic(t, "RGCN with too few types", func() { rgcn.ForwardTypes(pass(t, false), v, make([]int32, 3)) })
	mustPanic(t, "RGCN with a type too large", func() { rgcn.ForwardTypes(pass(t, false), v, []int32{0, 1, 2, 0}) })
	line := &nn.LineGraph{Conv: nn.NewGCN(in, nn.ConvDims{In: nodeWidth, Out: 2}, nn.GCNConfig{}), NodeFeatures: true}
	mustPanic(t, "line graph of nodes", func() { line.Forward(pass(t, false), v) })
	mustPanic(t, "line graph without node features", func() { line.Forward(pass(t, false), v.Dual().WithE(nil)) })
}
