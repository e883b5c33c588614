package pool_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// coarseners lists the dense pools in all their options.
var coarseners = map[string]coarsener{
	"DiffPool":                pool.DiffPoolConfig{},
	"DiffPool, undivided":     pool.DiffPoolConfig{Undivided: true},
	"MinCutPool":              pool.MinCutConfig{},
	"MinCutPool, normalized":  pool.MinCutConfig{Normalized: true},
	"MinCutPool, temperature": pool.MinCutConfig{Temp: 0.5},
}

const clusters = 3

// looped is a random graph with self-loops and parallel edges and features of
// width 2.
func looped(r *rand.Rand, n, m int, directed bool) *graph.Graph {
	g := graph.Graph{NumNodes: n, Directed: directed, Edge: graph.Ones(m)}
	for range m {
		g.Ends = append(g.Ends, int32(r.IntN(n)), int32(r.IntN(n)))
	}
	g.Node = graph.Features{Dim: 2, Dense: random(r, n, 2).Data()}
	return must(graph.New(g))
}

// matrix is the dense adjacency of one graph: parallel edges add up, a self-loop is on
// the diagonal once, edge e has weight w[e].
func matrix(g *graph.Graph, w []float32) *tensor.Tensor {
	a := tensor.New(1, g.NumNodes, g.NumNodes)
	for e := range g.NumEdges() {
		u, v := int(g.Ends[2*e]), int(g.Ends[2*e+1])
		a.Data()[u*g.NumNodes+v] += w[e]
		if !g.Directed && u != v {
			a.Data()[v*g.NumNodes+u] += w[e]
		}
	}
	return a
}

// squared is a loss that every output of a pool takes part in.
func squared(c pool.Coarse) *tensor.Tensor {
	return c.X.Square().Sum().Add(c.A.Square().Sum()).Add(c.Aux())
}

// Sparse and dense adjacency give the same, edge weights and their gradients
// included.
func TestCoarsenSparse(t *testing.T) {
	r := rng.Stream(1, "sparse")
	for trial := range 40 {
		n := 1 + r.IntN(7)
		g := looped(r, n, r.IntN(12), trial%2 == 0)
		v := must(graph.Collate([]*graph.Graph{g})).View
		weights := slices.Repeat([]float32{1}, g.NumEdges())
		if trial%4 > 1 {
			weights = random(r, g.NumEdges()).Square().Data()
		}
		logits := random(r, n, clusters)
		for name, pl := range coarseners {
			p := pass(t, true)
			w, l := p.Tape.Variable(tensor.FromSlice(weights, g.NumEdges())), p.Tape.Variable(logits)
			if trial%4 > 1 {
				v = v.WithW(w)
			}
			got := pl.Coarsen(p, v, l)
			grads := p.Tape.Grad(squared(got), l, w)

			q := pass(t, true)
			a, k := q.Tape.Variable(matrix(g, weights)), q.Tape.Variable(logits)
			want := pl.CoarsenDense(q, pool.Dense{X: v.X.Reshape(1, n, 2), A: a}, k.Reshape(1, n, clusters))
			wants := q.Tape.Grad(squared(want), k, a)

			near(t, name+": features", got.X.Data(), want.X.Data(), 1e-5)
			near(t, name+": adjacency", got.A.Data(), want.A.Data(), 1e-5)
			near(t, name+": assignment", got.Assign.Data(), want.Assign.Data(), 0)
			for i, loss := range got.Losses {
				if loss.Name != want.Losses[i].Name {
					t.Fatalf("losses %s and %s", loss.Name, want.Losses[i].Name)
				}
				near(t, name+": "+loss.Name, loss.Value.Data(), want.Losses[i].Value.Data(), 1e-5)
			}
			near(t, name+": gradient of the logits", grads[0].Data(), wants[0].Data(), 1e-4)
			if trial%4 < 2 {
				continue
			}
			edges := make([]float32, g.NumEdges())
			for e := range edges {
				i, j := int(g.Ends[2*e]), int(g.Ends[2*e+1])
				edges[e] = wants[1].Data()[i*n+j]
				if !g.Directed && i != j {
					edges[e] += wants[1].Data()[j*n+i]
				}
			}
			near(t, name+": gradient of the weights", grads[1].Data(), edges, 1e-4)
		}
	}
}

// coarseBatch is a batch with every kind of graph, and its samples.
func coarseBatch(r *rand.Rand) (graph.View, []*graph.Graph) {
	empty := &graph.Graph{Node: graph.Features{Dim: 2}, Edge: graph.Ones(0)}
	gs := []*graph.Graph{looped(r, 4, 6, false), empty, looped(r, 1, 0, false), looped(r, 5, 0, false), looped(r, 6, 9, false), looped(r, 1, 2, false)}
	return must(graph.Collate(gs)).View, gs
}

// A graph has the same clusters in a batch as alone. Losses follow from those of
// the graphs alone as the documentation says, padding included.
func TestCoarsenBatch(t *testing.T) {
	r := rng.Stream(2, "batch")
	v, gs := coarseBatch(r)
	logits := random(r, v.VertexOf.Len(), clusters)
	const largest = 6
	for name, pl := range coarseners {
		got := pl.Coarsen(pass(t, true), v, logits)
		at := 0
		var losses [2]float64
		for g, sample := range gs {
			n := sample.NumNodes
			own := must(graph.Collate([]*graph.Graph{sample})).View
			alone := pl.Coarsen(pass(t, true), own, logits.Slice(0, at, at+n))
			near(t, name+": features", got.X.Data()[2*clusters*g:2*clusters*(g+1)], alone.X.Data(), 1e-5)
			near(t, name+": adjacency", got.A.Data()[clusters*clusters*g:clusters*clusters*(g+1)], alone.A.Data(), 1e-5)
			near(t, name+": assignment", got.Assign.Data()[clusters*at:clusters*(at+n)], alone.Assign.Data(), 0)
			at += n
			first, second := float64(alone.Losses[0].Value.Item()), float64(alone.Losses[1].Value.Item())
			if strings.HasPrefix(name, "DiffPool") {
				if name == "DiffPool" {
					first *= float64(n * n)
				}
				first, second = first*first, second*float64(n)
			}
			losses[0], losses[1] = losses[0]+first, losses[1]+second
		}
		samples := float64(len(gs))
		switch name {
		case "DiffPool":
			losses = [2]float64{math.Sqrt(losses[0]) / (samples * largest * largest), losses[1] / (samples * largest)}
		case "DiffPool, undivided":
			losses = [2]float64{math.Sqrt(losses[0]), losses[1] / (samples * largest)}
		default:
			losses = [2]float64{losses[0] / samples, losses[1] / samples}
		}
		for i, l := range got.Losses {
			near(t, name+": "+l.Name, l.Value.Data(), []float32{float32(losses[i])}, 1e-5)
		}
	}
}

// Renaming nodes and reordering edges changes nothing but the order of the
// assignment.
func TestCoarsenPermuted(t *testing.T) {
	r := rng.Stream(3, "permuted")
	g := looped(r, 7, 12, false)
	nodes, edges := r.Perm(7), r.Perm(12)
	h := graph.Graph{NumNodes: 7, Ends: make([]int32, 24), Edge: graph.Ones(12), Node: graph.Features{Dim: 2, Dense: make([]float32, 14)}}
	for e, to := range edges {
		h.Ends[2*to], h.Ends[2*to+1] = int32(nodes[g.Ends[2*e]]), int32(nodes[g.Ends[2*e+1]])
	}
	order := make([]int32, 7)
	for i, to := range nodes {
		copy(h.Node.Dense[2*to:2*to+2], g.Node.Dense[2*i:])
		order[to] = int32(i)
	}
	logits := random(r, 7, clusters)
	a, b := must(graph.Collate([]*graph.Graph{g})).View, must(graph.Collate([]*graph.Graph{must(graph.New(h))})).View
	to := tensor.MustIndex(order, 7)
	for name, pl := range coarseners {
		x, y := pl.Coarsen(pass(t, true), a, logits), pl.Coarsen(pass(t, true), b, tensor.Gather(logits, to))
		near(t, name+": features", y.X.Data(), x.X.Data(), 1e-5)
		near(t, name+": adjacency", y.A.Data(), x.A.Data(), 1e-5)
		near(t, name+": assignment", y.Assign.Data(), tensor.Gather(x.Assign, to).Data(), 0)
		near(t, name+": losses", y.Aux().Data(), x.Aux().Data(), 1e-5)
	}
}

// No graph, weight or assignment makes a number that is not finite, nor a
// gradient.
func TestCoarsenDegenerate(t *testing.T) {
	r := rng.Stream(4, "degenerate")
	empty := &graph.Graph{Node: graph.Features{Dim: 2}, Edge: graph.Ones(0)}
	clique := looped(r, 4, 0, false)
	for i := range int32(4) {
		for j := range i + 1 {
			clique.Ends = append(clique.Ends, i, j)
		}
	}
	clique.Edge = graph.Ones(10)
	for name, gs := range map[string][]*graph.Graph{
		"no node": {empty}, "no nodes": {empty, empty}, "one node": {looped(r, 1, 0, false)}, "loops": {looped(r, 1, 3, false)},
		"no edges": {looped(r, 3, 0, false), looped(r, 2, 0, false)}, "empty inside": {looped(r, 3, 4, false), empty, looped(r, 2, 1, false)},
		"perfect fit": {clique},
	} {
		v := must(graph.Collate(gs)).View
		n, m := v.VertexOf.Len(), v.H.NumEdges()
		for kind, logits := range map[string]*tensor.Tensor{"random": random(r, n, clusters), "equal": tensor.New(n, clusters),
			"hard": tensor.Concat(1, tensor.Full(200, n, 1), tensor.New(n, clusters-1)), "almost hard": tensor.Concat(1, tensor.Full(60, n, 1), tensor.Full(20, n, 1), tensor.New(n, clusters-2)),
			"one cluster": random(r, n, 1)} {
			for what, pl := range coarseners {
				for _, w := range []*tensor.Tensor{nil, random(r, m).Square(), tensor.New(m)} {
					p := pass(t, true)
					u := v
					wrt := []*tensor.Tensor{p.Tape.Variable(logits), p.Tape.Variable(v.X)}
					if w != nil {
						wrt = append(wrt, p.Tape.Variable(w))
						u = u.WithW(wrt[2])
					}
					y := pl.Coarsen(p, u.WithX(wrt[1]), wrt[0])
					for i, x := range append(p.Tape.Grad(squared(y), wrt...), y.X, y.A, y.Aux()) {
						for _, f := range x.Data() {
							if f-f != 0 || math.Abs(float64(f)) > 1e6 {
								t.Fatalf("%s, %s, %s: number %d is %v", what, name, kind, i, x)
							}
						}
					}
				}
			}
		}
	}
}

// What has a known answer: the best cut, the best fit, no edges, one cluster.
func TestCoarsenKnown(t *testing.T) {
	r := rng.Stream(5, "known")
	hard := func(of ...int) *tensor.Tensor {
		x := tensor.New(len(of), clusters)
		for i, c := range of {
			x.Data()[i*clusters+c] = 100
		}
		return x
	}
	edges := func(n int, ends ...int32) graph.View {
		return must(graph.Collate([]*graph.Graph{must(graph.New(graph.Graph{NumNodes: n, Ends: ends, Edge: graph.Ones(len(ends) / 2),
			Node: graph.Features{Dim: 2, Dense: random(r, n, 2).Data()}}))})).View
	}
	triangles := edges(9, 0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3, 6, 7, 7, 8, 8, 6)
	y := pool.MinCutConfig{}.Coarsen(pass(t, true), triangles, hard(0, 0, 0, 1, 1, 1, 2, 2, 2))
	near(t, "cut of the parts", y.Losses[0].Value.Data(), []float32{-1}, 1e-6)
	near(t, "balanced parts", y.Losses[1].Value.Data(), []float32{0}, 1e-6)
	near(t, "parts without edges between them", y.A.Data(), make([]float32, 9), 0)

	pairs := edges(4, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3)
	fit := pool.DiffPoolConfig{}.Coarsen(pass(t, true), pairs, hard(0, 0, 1, 1))
	near(t, "link of a perfect fit", fit.Losses[0].Value.Data(), []float32{0}, 1e-6)
	near(t, "entropy of hard clusters", fit.Losses[1].Value.Data(), []float32{0}, 1e-6)
	near(t, "edges in each part", fit.A.Data(), []float32{4, 0, 0, 0, 4, 0, 0, 0, 0}, 1e-6)

	bare := edges(4)
	one := pool.DiffPoolConfig{Undivided: true}.Coarsen(pass(t, true), bare, tensor.New(4, 1))
	near(t, "link without edges is ‖SSᵀ‖", one.Losses[0].Value.Data(), []float32{4}, 1e-6)
	cut := pool.MinCutConfig{}.Coarsen(pass(t, true), bare, tensor.New(4, 1))
	near(t, "one cluster", append(slices.Clone(cut.Losses[0].Value.Data()), cut.Losses[1].Value.Item()), []float32{0, 0}, 0)
	// One cluster is orthogonal without any rounding, whatever the norm.
	for n := range 60 {
		y := pool.MinCutConfig{}.Coarsen(pass(t, true), edges(n), tensor.New(n, 1))
		near(t, "one cluster", y.Losses[1].Value.Data(), []float32{0}, 0)
	}
	none := pool.MinCutConfig{}.Coarsen(pass(t, true), edges(0), tensor.New(0, clusters))
	near(t, "no node", append(slices.Clone(none.Losses[0].Value.Data()), none.Losses[1].Value.Item()), []float32{0, 0}, 0)
}

// The normalised option is the plain pool on D^-1/2·A·D^-1/2; a node without
// edges stays without.
func TestCoarsenNormalized(t *testing.T) {
	r := rng.Stream(9, "normalized")
	for range 10 {
		g := looped(r, 6, 5, false)
		v := must(graph.Collate([]*graph.Graph{g})).View
		a := matrix(g, slices.Repeat([]float32{1}, 5))
		var degree [6]float64
		for i, w := range a.Data() {
			degree[i/6] += float64(w)
		}
		for i, w := range a.Data() {
			if w != 0 {
				a.Data()[i] = float32(float64(w) / math.Sqrt(degree[i/6]*degree[i%6]))
			}
		}
		logits := random(r, 6, clusters)
		got := pool.MinCutConfig{Normalized: true}.Coarsen(pass(t, true), v, logits)
		want := pool.MinCutConfig{}.CoarsenDense(pass(t, true), pool.Dense{X: v.X.Reshape(1, 6, 2), A: a}, logits.Reshape(1, 6, clusters))
		near(t, "adjacency", got.A.Data(), want.A.Data(), 1e-5)
		near(t, "cut", got.Losses[0].Value.Data(), want.Losses[0].Value.Data(), 1e-5)
	}
}

// Results are the same to the bit for any number of threads.
func TestCoarsenThreads(t *testing.T) {
	r := rng.Stream(6, "threads")
	var gs []*graph.Graph
	for range 60 {
		gs = append(gs, looped(r, 60, 150, false))
	}
	v := must(graph.Collate(gs)).View
	logits, w := random(r, 3600, 16), random(r, v.H.NumEdges()).Square()
	for name, pl := range coarseners {
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2} {
			tape := tensor.NewArena(threads).Tape()
			p := &nn.Pass{Tape: tape, Train: true}
			l, u := tape.Variable(logits), tape.Variable(w)
			y := pl.Coarsen(p, v.WithW(u), l)
			for i, x := range append(tape.Grad(squared(y), l, u), y.X, y.A, y.Aux()) {
				if threads == 1 {
					first = append(first, x.Clone())
					continue
				}
				near(t, name, x.Data(), first[i].Data(), 0)
			}
			tape.Close()
		}
	}
}

// The pools with their networks, twice in a row: the second one has the
// clusters of the first for nodes. Every parameter learns.
func TestDensePoolLayers(t *testing.T) {
	in := nn.NewInit(1)
	v, _ := coarseBatch(rng.Stream(7, "layers"))
	diff, again := pool.NewDiffPool(in.In(0), pool.DiffPoolDims{In: 2, Out: 5, Clusters: 4}, pool.DiffPoolConfig{}), pool.NewDenseDiffPool(in.In(1), pool.DiffPoolDims{In: 5, Out: 6, Clusters: 2}, pool.DiffPoolConfig{})
	cut := pool.NewMinCutPool(in.In(2), pool.MinCutDims{Dim: 2, Clusters: 4}, pool.MinCutConfig{Hidden: []int{7}})
	cutAgain := pool.NewMinCutPool(in.In(3), pool.MinCutDims{Dim: 2, Clusters: 2}, pool.MinCutConfig{})
	for name, c := range map[string]struct {
		modules []nn.Module
		run     func(p *nn.Pass) [2]pool.Coarse
		width   int
		params  string
	}{
		"DiffPool": {[]nn.Module{diff, again}, func(p *nn.Pass) [2]pool.Coarse {
			first := diff.Forward(p, v)
			return [2]pool.Coarse{first, again.Forward(p, first.Dense)}
		}, 6, "0.embed.bias 0.embed.lin.weight 0.assign.bias 0.assign.lin.weight 1.embed.bias 1.embed.lin.weight 1.assign.bias 1.assign.lin.weight"},
		"MinCutPool": {[]nn.Module{cut, cutAgain}, func(p *nn.Pass) [2]pool.Coarse {
			first := cut.Forward(p, v)
			return [2]pool.Coarse{first, cutAgain.ForwardDense(p, first.Dense)}
		}, 2, "2.mlp.0.weight 2.mlp.0.bias 2.mlp.3.weight 2.mlp.3.bias 3.mlp.0.weight 3.mlp.0.bias"},
	} {
		p := pass(t, true)
		y := c.run(p)
		if !slices.Equal(y[1].X.Shape(), []int{6, 2, c.width}) || !slices.Equal(y[1].A.Shape(), []int{6, 2, 2}) ||
			!slices.Equal(y[0].Assign.Shape(), []int{17, 4}) || !slices.Equal(y[1].Assign.Shape(), []int{24, 2}) {
			t.Errorf("%s: shapes %v %v %v %v", name, y[1].X.Shape(), y[1].A.Shape(), y[0].Assign.Shape(), y[1].Assign.Shape())
		}
		var names []string
		var wrt []*tensor.Tensor
		for _, w := range nn.Params(c.modules...) {
			names, wrt = append(names, w.Name), append(wrt, p.Tape.Watch(w))
		}
		if got := strings.Join(names, " "); got != c.params {
			t.Errorf("%s: parameters %s", name, got)
		}
		for i, g := range p.Tape.Grad(squared(y[0]).Add(squared(y[1])), wrt...) {
			if !slices.ContainsFunc(g.Data(), func(f float32) bool { return f != 0 }) || slices.ContainsFunc(g.Data(), func(f float32) bool { return f-f != 0 }) {
				t.Errorf("%s: gradient of %s is %v", name, names[i], g)
			}
		}
	}
	// Without a network for the features they are pooled as they are.
	bare := *diff
	bare.Embed = nil
	p := pass(t, true)
	near(t, "no embedding", bare.Forward(p, v).X.Data(), tensor.RaggedTN(diff.Assign.Forward(p, v).Softmax(), v.X, v.VertexOf).Data(), 1e-6)
	bareDense := *again
	bareDense.Embed = nil
	first := diff.Forward(p, v)
	kept := bareDense.Forward(p, first.Dense)
	near(t, "no dense embedding", kept.X.Data(), tensor.BatchMatMul(kept.Assign.Reshape(6, 4, 2), first.X, true, false).Data(), 1e-6)
}

// The dual of a graph has no pairwise edges.
func TestCoarsenDual(t *testing.T) {
	v, _ := coarseBatch(rng.Stream(8, "dual"))
	dual := v.Dual()
	for layer, f := range map[string]func(){
		"DiffPool": func() { pool.DiffPoolConfig{}.Coarsen(pass(t, true), dual, tensor.New(dual.VertexOf.Len(), 2)) },
		"MinCutPool": func() {
			pool.NewMinCutPool(nn.NewInit(0), pool.MinCutDims{Dim: 1, Clusters: 2}, pool.MinCutConfig{}).Forward(pass(t, true), dual)
		},
	} {
		mustPanic(t, layer, layer, f)
	}
}
