package pool_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

const poolWidth = 4

// nodePools lists the pools that make graphs smaller by dropping or merging
// nodes, in their main options.
func nodePools() map[string]pool.Pool {
	in := nn.NewInit(5)
	half := pool.GateConfig{Keep: pool.Keep{Fraction: 0.5}}
	least := 0.3
	return map[string]pool.Pool{
		"TopKPool":                must(pool.NewTopKPool(in, poolWidth, half)),
		"TopKPool, minimum score": must(pool.NewTopKPool(in, poolWidth, pool.GateConfig{Keep: pool.Keep{MinScore: &least}})),
		"SAGPool":                 must(pool.NewSAGPool(in, poolWidth, pool.SAGPoolConfig{GateConfig: half})),
		"SAGPool, GraphConv": must(pool.NewSAGPool(in, poolWidth, pool.SAGPoolConfig{GateConfig: half,
			Scorer: graphConv})),
		"ASAPool":            must(pool.NewASAPool(in, poolWidth, pool.ASAPConfig{Keep: half.Keep})),
		"ASAPool, intra":     must(pool.NewASAPool(in, poolWidth, pool.ASAPConfig{Keep: half.Keep, Intra: intra("graphconv"), Loops: pool.ASAPLoopsKept})),
		"EdgePool":           pool.NewEdgePool(in, poolWidth, pool.EdgePoolConfig{}),
		"EdgePool, tanh":     pool.NewEdgePool(in, poolWidth, pool.EdgePoolConfig{Score: pool.EdgeScoreTanh}),
		"HaarPool":           pool.NewHaarPool(pool.HaarPoolConfig{}),
		"HaarPool, one step": pool.NewHaarPool(pool.HaarPoolConfig{Levels: 1}),
	}
}

// Names of parameters are those of PyTorch Geometric.
func TestPoolParameters(t *testing.T) {
	want := map[string][]string{
		"TopKPool": {"select.weight"}, "SAGPool": {"gnn.bias", "gnn.lin.weight"},
		"EdgePool": {"lin.weight", "lin.bias"}, "HaarPool": nil,
		"SAGPool, GraphConv": {"gnn.lin_rel.weight", "gnn.lin_rel.bias", "gnn.lin_root.weight"},
		"ASAPool": {"lin.weight", "lin.bias", "att.weight", "att.bias", "gnn_score.lin1.weight", "gnn_score.lin1.bias",
			"gnn_score.lin2.weight", "gnn_score.lin3.weight", "gnn_score.lin3.bias"},
	}
	pools := nodePools()
	for name, params := range want {
		var got []string
		for _, p := range pools[name].Params() {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, params) {
			t.Errorf("%s has %v, want %v", name, got, params)
		}
	}
}

// moved renames node i of g to to[i].
func moved(g *graph.Graph, to []int) *graph.Graph {
	out := *g
	out.Ends = slices.Clone(g.Ends)
	for k, u := range out.Ends {
		out.Ends[k] = int32(to[u])
	}
	out.Node.Dense = make([]float32, len(g.Node.Dense))
	d := g.Node.Dim
	for i, j := range to {
		copy(out.Node.Dense[j*d:(j+1)*d], g.Node.Dense[i*d:(i+1)*d])
	}
	return &out
}

// Renaming the nodes renames what is kept and what is merged, and nothing else:
// kept vertices come in order of their scores, which do not move.
func TestPoolEquivariance(t *testing.T) {
	r := rng.Stream(71, "equivariance")
	for trial := range 20 {
		g := loopy(r, 3+r.IntN(8), 4+r.IntN(14), poolWidth, trial%2 == 0)
		to := r.Perm(g.NumNodes)
		a, b := must(graph.Collate([]*graph.Graph{g})).View, must(graph.Collate([]*graph.Graph{moved(g, to)})).View
		for name, layer := range nodePools() {
			if name == "EdgePool" { // scores tie by construction
				continue
			}
			var x, y pool.Result
			if haar, ok := layer.(*pool.HaarPool); ok {
				// For the same clusters, not for those that k-means finds.
				x, y = haarTwins(t, haar, r, g, to, a, b)
			} else {
				x, y = layer.Forward(pass(t, true), a), layer.Forward(pass(t, true), b)
			}
			order := make([]int32, x.View.H.NumVertices()) // where a's vertices are in b
			for i := range order {
				order[i] = int32(i)
			}
			if x.Cluster != nil {
				for u, k := range x.Cluster.IDs() {
					order[k] = y.Cluster.IDs()[to[u]]
				}
			}
			if name == "TopKPool, minimum score" {
				for i, u := range x.Keep {
					order[i] = int32(slices.Index(y.Keep, int32(to[u])))
				}
			}
			for i, u := range x.Keep {
				if y.Keep[order[i]] != int32(to[u]) {
					t.Fatalf("%s: kept %v and %v by %v", name, x.Keep, y.Keep, to)
				}
			}
			pick := tensor.MustIndex(order, y.View.X.Dim(0))
			near(t, name, tensor.Gather(y.View.X, pick).Data(), x.View.X.Data(), 1e-5)
			ea, eb := weighted(x.View), weighted(y.View)
			for i := range ea {
				for j := range ea {
					near(t, name+": edges", []float32{float32(eb[order[i]][order[j]])}, []float32{float32(ea[i][j])}, 1e-5)
				}
			}
		}
	}
}

// haarTwins pools a graph and its renamed form by the same random clusters.
func haarTwins(t *testing.T, haar *pool.HaarPool, r *rand.Rand, g *graph.Graph, to []int, a, b graph.View) (x, y pool.Result) {
	t.Helper()
	k := 1 + r.IntN(g.NumNodes-1)
	first, second := make([]int32, g.NumNodes), make([]int32, g.NumNodes)
	for i := range first {
		first[i] = int32(i % k)
		second[to[i]] = first[i]
	}
	chain := func(v graph.View, parent []int32) []*pool.HaarChain {
		return []*pool.HaarChain{pool.NewHaarChain(g.NumNodes, v.H.Ends(), g.Directed, parent)}
	}
	return haar.ForwardOn(pass(t, true), a, chain(a, first)), haar.ForwardOn(pass(t, true), b, chain(b, second))
}

// awkward lists graphs with little in them.
func awkward(r *rand.Rand, directed bool) []*graph.Graph {
	graphs := []*graph.Graph{
		{Node: graph.Features{Dim: poolWidth}, Edge: graph.Ones(0)},
		loopy(r, 1, 0, poolWidth, directed), // one node
		loopy(r, 1, 2, poolWidth, directed), // with parallel self-loops
		loopy(r, 4, 0, poolWidth, directed), // no edges
		loopy(r, 2, 3, poolWidth, directed), // parallel edges
		loopy(r, 9, 4, poolWidth, directed), // disconnected
		loopy(r, 6, 20, poolWidth, directed),
	}
	graphs[0].Directed = directed
	zeros := loopy(r, 5, 6, poolWidth, directed) // equal nodes
	clear(zeros.Node.Dense)
	return append(graphs, zeros)
}

// A sample is pooled alike alone and in a batch, and each graph on its own keeps
// all gradients finite.
func TestPoolBatchIndependence(t *testing.T) {
	r := rng.Stream(72, "batch")
	for trial := range 6 {
		gs := awkward(r, trial%2 == 0)
		r.Shuffle(len(gs), func(i, j int) { gs[i], gs[j] = gs[j], gs[i] })
		all := must(graph.Collate(gs)).View
		for name, layer := range nodePools() {
			batch := layer.Forward(pass(t, true), all)
			if batch.View.VertexOf.Slots() != len(gs) || batch.View.EdgeOf.Slots() != len(gs) {
				t.Fatalf("%s: %d samples of %d", name, batch.View.VertexOf.Slots(), len(gs))
			}
			if !slices.IsSorted(batch.View.VertexOf.IDs()) || !slices.IsSorted(batch.View.EdgeOf.IDs()) {
				t.Errorf("%s: vertices or edges are not in order of samples", name)
			}
			n, m, entered := 0, 0, 0
			for i, g := range gs {
				p := pass(t, true)
				one := must(graph.Collate([]*graph.Graph{g})).View
				x := p.Tape.Variable(one.X)
				res := layer.Forward(p, one.WithX(x))
				k, e := res.View.H.NumVertices(), res.View.H.NumEdges()
				if int(batch.View.VertexOf.Counts()[i]) != k || int(batch.View.EdgeOf.Counts()[i]) != e || k > g.NumNodes || k == 0 && g.NumNodes > 0 {
					t.Fatalf("%s: sample %d has %d vertices and %d edges alone", name, i, k, e)
				}
				near(t, name, batch.View.X.Slice(0, n, n+k).Data(), res.View.X.Data(), 1e-5)
				for j, u := range batch.View.H.Ends()[2*m : 2*(m+e)] {
					if int(u)-n != int(res.View.H.Ends()[j]) {
						t.Fatalf("%s: edges of sample %d are %v alone", name, i, res.View.H.Ends())
					}
				}
				if res.View.W != nil {
					near(t, name+": weights", batch.View.W.Slice(0, m, m+e).Data(), res.View.W.Data(), 1e-5)
				}
				for j, u := range res.Keep {
					if int(batch.Keep[n+j]) != int(u)+entered {
						t.Fatalf("%s: sample %d keeps %v alone", name, i, res.Keep)
					}
				}
				checkFinite(t, name, p, layer, x, res)
				n, m, entered = n+k, m+e, entered+g.NumNodes
			}
		}
	}
}

// checkFinite fails on NaN or an infinity in results or gradients.
func checkFinite(t *testing.T, name string, p *nn.Pass, layer pool.Pool, x *tensor.Tensor, res pool.Result) {
	t.Helper()
	loss := res.View.X.Square().Sum()
	if res.View.W != nil {
		loss = loss.Add(res.View.W.Square().Sum())
	}
	wrt := []*tensor.Tensor{x}
	for _, w := range layer.Params() {
		wrt = append(wrt, p.Var(w))
	}
	for i, g := range append(p.Tape.Grad(loss, wrt...), res.View.X, loss) {
		for _, v := range g.Data() {
			if v-v != 0 {
				t.Errorf("%s: result %d is %v", name, i, g)
				break
			}
		}
	}
}

// Three pools one after the other, down to almost nothing: pooled views are views
// like any other.
func TestPoolStack(t *testing.T) {
	r := rng.Stream(73, "stack")
	for _, directed := range []bool{false, true} {
		v := must(graph.Collate(awkward(r, directed))).View
		for name, layer := range nodePools() {
			p := pass(t, true)
			x := p.Tape.Variable(v.X)
			res := pool.Result{View: v.WithX(x)}
			gcn := nn.NewGCN(nn.NewInit(1), nn.ConvDims{In: poolWidth, Out: poolWidth}, nn.GCNConfig{})
			for range 3 {
				res = layer.Forward(p, res.View.WithX(gcn.ForwardReLU(p, res.View)))
			}
			if res.View.VertexOf.Slots() != v.VertexOf.Slots() {
				t.Errorf("%s: samples got lost", name)
			}
			checkFinite(t, name, p, layer, x, res)
		}
	}
}

// Results and gradients are the same to the bit for any number of threads.
func TestPoolThreads(t *testing.T) {
	r := rng.Stream(74, "threads")
	var gs []*graph.Graph
	for range 40 {
		gs = append(gs, loopy(r, 60, 220, poolWidth, false))
	}
	for name, layer := range nodePools() {
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2} {
			// Another batch, so that nothing built before is found again.
			v := must(graph.Collate(gs)).View
			if h, ok := layer.(*pool.HaarPool); ok {
				layer = pool.NewHaarPool(h.HaarPoolConfig)
			}
			tape := tensor.NewArena(threads).Tape()
			p := &nn.Pass{Tape: tape, Train: true}
			x := tape.Variable(v.X)
			res := layer.Forward(p, v.WithX(x))
			loss := res.View.X.Square().Sum()
			if res.View.W != nil {
				loss = loss.Add(res.View.W.Square().Sum())
			}
			wrt := []*tensor.Tensor{x}
			for _, w := range layer.Params() {
				wrt = append(wrt, p.Var(w))
			}
			for i, got := range append(tape.Grad(loss, wrt...), res.View.X) {
				if threads == 1 {
					first = append(first, got.Clone())
					continue
				}
				near(t, name, got.Data(), first[i].Data(), 0)
			}
			tape.Close()
		}
	}
}

// Pools that need pairs of nodes panic on a dual.
func TestPoolsNeedGraph(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(poolWidth))).View.Dual()
	in := nn.NewInit(1)
	for op, layer := range map[string]pool.Pool{
		"ASAPool":  must(pool.NewASAPool(in, poolWidth, pool.ASAPConfig{Keep: pool.Keep{Count: 1}})),
		"EdgePool": pool.NewEdgePool(in, poolWidth, pool.EdgePoolConfig{}),
		"GCN":      must(pool.NewSAGPool(in, poolWidth, pool.SAGPoolConfig{GateConfig: pool.GateConfig{Keep: pool.Keep{Count: 1}}})),
		"HaarPool": pool.NewHaarPool(pool.HaarPoolConfig{}),
	} {
		mustPanic(t, op, op, func() { layer.Forward(pass(t, false), v) })
	}
}

func TestDropPoolErrors(t *testing.T) {
	in, gate := nn.NewInit(1), pool.GateConfig{Keep: pool.Keep{Fraction: 2}}
	for name, build := range map[string]func() (pool.Pool, error){
		"TopKPool": func() (pool.Pool, error) { return pool.NewTopKPool(in, 3, gate) },
		"SAGPool":  func() (pool.Pool, error) { return pool.NewSAGPool(in, 3, pool.SAGPoolConfig{GateConfig: gate}) },
		"ASAPool":  func() (pool.Pool, error) { return pool.NewASAPool(in, 3, pool.ASAPConfig{Keep: gate.Keep}) },
		"HyperDropPool": func() (pool.Pool, error) {
			return pool.NewHyperDropPool(in, 3, pool.HyperDropPoolConfig{Keep: gate.Keep})
		},
		"RandDropPool": func() (pool.Pool, error) {
			return pool.NewRandDropPool(in, 3, pool.HyperDropPoolConfig{Keep: gate.Keep})
		},
	} {
		if _, err := build(); err == nil || err.Error() != "pool: keep: fraction 2, expected above 0 and at most 1" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
