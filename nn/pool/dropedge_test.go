package pool_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// What is left of a graph for given masks, normalised in both ways, and what
// RandDrop keeps for given draws.
func TestCaseDropEdge(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/drop_edge").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "p", "undirected", "then", "normalisation", "ratio")
			if strings.HasPrefix(c.Name, "RandDrop") {
				of := tensor.MustIndex(c.IDs("edge_batch"), int(slices.Max(c.IDs("edge_batch")))+1)
				got := pool.TopK(c.Tensor("score").Data(), of, pool.Keep{Fraction: c.Config.Float("ratio", 0)})
				if want := c.IDs("outputs.perm"); !slices.Equal(got, want) {
					t.Errorf("kept %v, want %v", got, want)
				}
				return
			}
			c := renamed(c, map[string]string{"weight": "lin.weight", "bias": "bias"})
			gcn := nn.NewGCN(nn.NewInit(0), nn.ConvDims{In: 4, Out: 3}, nn.GCNConfig{})
			var kept []int32
			for e, k := range c.Value("mask").Ints {
				if k == 1 {
					kept = append(kept, int32(e))
				}
			}
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, gcn.Params())
			// The forms of the graph that must agree: arcs, and, for a mask of whole
			// edges, edges.
			forms := map[string]graph.View{"arcs": graphCase(c, vars).KeepEdges(kept)}
			checkEnds(t, "kept edges", forms["arcs"], c, "outputs.edge_index")
			if c.Config.Bool("undirected", false) {
				forms["edges"] = undirected(forms["arcs"])
			}
			if c.Config["normalisation"] != nil {
				// The authors' first index receives: the row sums are those of what arrives
				// there, and the layer is GCN against the arcs.
				reversed := forms["arcs"]
				ends := slices.Clone(reversed.H.Ends())
				for e := 0; e < len(ends); e += 2 {
					ends[e], ends[e+1] = ends[e+1], ends[e]
				}
				reversed.H = must(graph.NewPairs(reversed.H.NumVertices(), ends, true))
				forms["arcs"] = reversed
			}
			for name, v := range forms {
				t.Run(name, func(t *testing.T) {
					out := map[string]*tensor.Tensor{"out": gcn.Forward(p, v)}
					golden.CheckOutputs(t, c, out, poolTol)
					golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
				})
			}
		})
	}
}

// undirected joins arcs (u,v), (v,u) to edges.
func undirected(v graph.View) graph.View {
	var ends []int32
	for e := 0; e < 2*v.H.NumEdges(); e += 2 {
		if a, b := v.H.Ends()[e], v.H.Ends()[e+1]; a < b {
			ends = append(ends, a, b)
		}
	}
	v.H = must(graph.NewPairs(v.H.NumVertices(), ends, false))
	return v
}

// Bernoulli and exact counts, by edge and by arc: what stays is a subset in order
// with its features, of the expected size, another one in every pass.
func TestDropEdge(t *testing.T) {
	r := rng.Stream(61, "dropedge")
	gs := []*graph.Graph{multigraph(r, 30, 400, 2, false), multigraph(r, 3, 0, 2, false), multigraph(r, 5, 7, 2, false)}
	v := must(graph.Collate(gs)).View
	for _, c := range []pool.DropEdgeConfig{{Rate: 0.2}, {Rate: 0.2, Exact: true}, {Rate: 0.4, Arcs: true}, {Rate: 0.4, Arcs: true, Exact: true}} {
		layer := must(pool.NewDropEdge(c))
		p := pass(t, true)
		first, second := layer.Forward(p, v), layer.Forward(p, v)
		from := v
		if c.Arcs {
			from, _ = v.Arcs()
		}
		if slices.Equal(first.Keep, second.Keep) {
			t.Errorf("%+v: the same edges twice", c)
		}
		for _, res := range []pool.Result{first, second} {
			if !slices.IsSorted(res.Keep) || len(slices.Compact(slices.Clone(res.Keep))) != len(res.Keep) {
				t.Errorf("%+v: kept %v", c, res.Keep)
			}
			want := from.KeepEdges(res.Keep)
			if !slices.Equal(res.View.H.Ends(), want.H.Ends()) || !slices.Equal(res.View.E.Data(), want.E.Data()) ||
				res.View.X != v.X || res.View.H.Directed() != c.Arcs {
				t.Errorf("%+v: view differs", c)
			}
			for g, n := range from.EdgeOf.Counts() {
				got := float64(res.View.EdgeOf.Counts()[g])
				mean := (1 - c.Rate) * float64(n)
				switch {
				case c.Exact && got != math.Floor(mean):
					t.Errorf("%+v: %v of %d edges", c, got, n)
				case math.Abs(got-mean) > 5*math.Sqrt(c.Rate*mean):
					t.Errorf("%+v: %v of %d edges", c, got, n)
				}
			}
		}
		if res := layer.Forward(pass(t, false), v); res.View != v || res.Keep != nil {
			t.Errorf("%+v: evaluation changes the graph", c)
		}
	}
	all := must(pool.NewDropEdge(pool.DropEdgeConfig{Rate: 1})).Forward(pass(t, true), v)
	none := must(pool.NewDropEdge(pool.DropEdgeConfig{})).Forward(pass(t, true), v)
	if all.View.H.NumEdges() != 0 || none.View != v {
		t.Errorf("%d edges after dropping all, %v kept of all", all.View.H.NumEdges(), none.Keep)
	}
	for _, rate := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := pool.NewDropEdge(pool.DropEdgeConfig{Rate: rate}); err == nil {
			t.Errorf("rate %v is accepted", rate)
		}
	}
	if layer := must(pool.NewDropEdge(pool.DropEdgeConfig{})); layer.Params() != nil {
		t.Error("it has parameters")
	}
}

// The scores are those of HyperDropPool and weigh the kept edges, which are drawn
// uniformly; in evaluation all edges stay.
func TestRandDropPool(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	m := v.H.NumEdges()
	for _, keep := range []pool.Keep{{Fraction: 0.5}, {Count: 2}} {
		layer := must(pool.NewRandDropPool(nn.NewInit(7), 3, pool.HyperDropPoolConfig{Keep: keep}))
		drop := must(pool.NewHyperDropPool(nn.NewInit(7), 3, pool.HyperDropPoolConfig{Keep: keep}))
		p := pass(t, true)
		kept := make([]int, m)
		const rounds = 400
		for range rounds {
			res := layer.Forward(p, v)
			near(t, "scores", res.Score.Data(), drop.Forward(p, v).Score.Data(), 0)
			want := v.WithW(res.Score).KeepEdges(res.Keep)
			near(t, "weights", res.View.W.Data(), want.W.Clamp(0, 1).Data(), 0)
			if !slices.Equal(res.View.H.Ends(), want.H.Ends()) {
				t.Fatal("edges differ")
			}
			for _, e := range res.Keep {
				kept[e]++
			}
		}
		counts := v.EdgeOf.Counts()
		for e, n := range kept {
			of := int(counts[v.EdgeOf.IDs()[e]])
			share := float64(keep.Of(of)) / float64(of)
			if d := float64(n)/rounds - share; math.Abs(d) > 5*math.Sqrt(share*(1-share)/rounds) {
				t.Errorf("%+v: edge %d was kept %d times of %d, want a share of %v", keep, e, n, rounds, share)
			}
		}
		res := layer.Forward(pass(t, false), v)
		if res.Keep != nil || res.View.H != v.H || res.View.W.Size() != m || !slices.Equal(res.View.W.Data(), res.Score.Clamp(0, 1).Data()) {
			t.Errorf("%+v: evaluation drops edges", keep)
		}
	}
	least := 0.5
	if _, err := pool.NewRandDropPool(nn.NewInit(1), 3, pool.HyperDropPoolConfig{Keep: pool.Keep{MinScore: &least}}); err == nil {
		t.Error("a minimum score is accepted")
	}
}
