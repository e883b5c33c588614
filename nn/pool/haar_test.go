package pool_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseHaarPool(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/haar_pool").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "levels")
			levels := c.Config.Int("levels", 0)
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, nil)
			v := graphCase(c, vars)
			var parents [][]int32
			for l := range levels {
				parents = append(parents, c.IDs(fmt.Sprint("parent", l)))
			}
			chain := pool.NewHaarChain(v.X.Dim(0), v.H.Ends(), true, parents...)
			layer := pool.NewHaarPool(pool.HaarPoolConfig{})
			out := map[string]*tensor.Tensor{}
			for l := range levels {
				basis := c.Value(fmt.Sprint("outputs.basis", l))
				golden.Close(t, "basis", flatten(chain.Basis()), basis.Shape, basis, 1e-6)
				if !slices.Equal(chain.Parents(), parents[l]) {
					t.Errorf("level %d: clusters %v", l, chain.Parents())
				}
				var res pool.Result
				if l == 0 {
					res = layer.ForwardOn(p, v, []*pool.HaarChain{chain})
				} else { // the view knows the rest of its chain
					res = layer.Forward(p, v)
				}
				v = res.View
				checkEnds(t, "coarser edges", v, c, fmt.Sprint("outputs.edge_index", l+1))
				if !slices.Equal(res.Cluster.IDs(), parents[l]) || v.W != nil {
					t.Errorf("level %d: clusters %v", l, res.Cluster.IDs())
				}
				out[fmt.Sprint("x", l+1)] = v.X
				chain = chain.Coarser()
			}
			golden.CheckOutputs(t, c, out, poolTol)
			golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
		})
	}
}

// chainOf lists the clusters of each level that a HaarPool goes through.
func chainOf(t *testing.T, layer *pool.HaarPool, v graph.View) [][]int32 {
	t.Helper()
	var out [][]int32
	for range 40 {
		res := layer.Forward(pass(t, false), v)
		if res.View.H.NumVertices() == v.H.NumVertices() {
			return out
		}
		out = append(out, res.Cluster.IDs())
		v = res.View
	}
	t.Fatal("the chain does not end")
	return nil
}

// Every component is divided into n/2+1 clusters until it is one, each cluster
// inside a component and numbered by its smallest member; the last level joins
// all. Bases are orthonormal on every level.
func TestHaarPoolChain(t *testing.T) {
	r := rng.Stream(51, "chain")
	for trial := range 40 {
		n := 1 + r.IntN(30)
		g := loopy(r, n, r.IntN(2*n), 2, trial%2 == 0)
		v := must(graph.Collate([]*graph.Graph{g})).View
		parents := chainOf(t, pool.NewHaarPool(pool.HaarPoolConfig{}), v)
		size, component := n, components(n, g.Ends)
		for l, parent := range parents {
			next := int32(0)
			of := map[int32]int32{} // component of each cluster
			count := map[int32]int{}
			for i, k := range parent {
				if k > next {
					t.Fatalf("level %d: clusters %v are not numbered by their smallest member", l, parent)
				}
				if k == next {
					next++
					of[k] = component[i]
				} else if l < len(parents)-1 && of[k] != component[i] {
					t.Fatalf("level %d: cluster %d joins two components", l, k)
				}
				count[component[i]]++
			}
			want := 0
			for _, m := range count {
				if m <= 2 {
					want++
				} else {
					want += m/2 + 1
				}
			}
			if len(count) == size {
				want = 1
			}
			if int(next) != want || next >= int32(size) {
				t.Errorf("level %d: %d points become %d clusters, want %d", l, size, next, want)
			}
			size = int(next)
			component = make([]int32, size)
			for k, c := range of {
				component[k] = c
			}
		}
		if size != 1 {
			t.Errorf("the chain ends with %d clusters", size)
		}
		checkOrthonormal(t, pool.NewHaarChain(n, g.Ends, g.Directed, parents...))
	}
}

func components(n int, ends []int32) []int32 {
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i)
	}
	for range n {
		for e := range len(ends) / 2 {
			low := min(of[ends[2*e]], of[ends[2*e+1]])
			of[ends[2*e]], of[ends[2*e+1]] = low, low
		}
	}
	return of
}

func checkOrthonormal(t *testing.T, chain *pool.HaarChain) {
	t.Helper()
	for {
		b := chain.Basis()
		for i := range b {
			for j := range b {
				sum := 0.0
				for k := range b {
					sum += b[k][i] * b[k][j]
				}
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(sum-want) > 1e-12 {
					t.Fatalf("vectors %d and %d of %d: %v", i, j, len(b), sum)
				}
			}
		}
		if chain.Coarser() == chain {
			return
		}
		chain = chain.Coarser()
	}
}

// One level is the authors' setting: one row per graph, the sum over the root of
// its size. A batch pools each graph as alone, and empty ones stay.
func TestHaarPoolLevels(t *testing.T) {
	r := rng.Stream(52, "levels")
	gs := []*graph.Graph{loopy(r, 5, 7, 2, false), {Node: graph.Features{Dim: 2}, Edge: graph.Ones(0)}, loopy(r, 1, 1, 2, false), loopy(r, 9, 4, 2, false)}
	v := must(graph.Collate(gs)).View
	res := pool.NewHaarPool(pool.HaarPoolConfig{Levels: 1}).Forward(pass(t, false), v)
	want := tensor.SegmentSum(v.X, v.VertexOf).Data()
	var rows []float32
	for i, n := range []float64{5, 0, 1, 9} {
		if n > 0 {
			for _, x := range want[2*i : 2*i+2] {
				rows = append(rows, x/float32(math.Sqrt(n)))
			}
		}
	}
	near(t, "one row each", res.View.X.Data(), rows, 1e-6)
	if !slices.Equal(res.View.VertexOf.IDs(), []int32{0, 2, 3}) || res.View.VertexOf.Slots() != 4 {
		t.Errorf("samples %v", res.View.VertexOf.IDs())
	}
	deep := pool.NewHaarPool(pool.HaarPoolConfig{Levels: 2})
	if parents := chainOf(t, deep, must(graph.Collate(gs[:1])).View); len(parents) != 2 || slices.Max(parents[0]) != 2 || slices.Max(parents[1]) != 0 {
		t.Errorf("two levels %v", parents)
	}
}

// The chain comes from the cache, whatever batch a graph is in, and does not
// depend on the order of the edges, their form, or the seed of another HaarPool.
func TestHaarPoolCache(t *testing.T) {
	r := rng.Stream(53, "cache")
	g := loopy(r, 20, 35, 2, false)
	h := loopy(r, 12, 20, 2, false)
	layer := pool.NewHaarPool(pool.HaarPoolConfig{Seed: 3})
	first := layer.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g, h})).View)
	again := layer.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{h, g})).View)
	near(t, "in another batch", again.View.X.Data(), slices.Concat(first.View.X.Slice(0, 11, 18).Data(), first.View.X.Slice(0, 0, 11).Data()), 0)
	want := chainOf(t, layer, must(graph.Collate([]*graph.Graph{g})).View)
	for name, form := range map[string]*graph.Graph{"arcs": g.Arcs(), "reversed": reversedEdges(g)} {
		got := chainOf(t, pool.NewHaarPool(pool.HaarPoolConfig{Seed: 3}), must(graph.Collate([]*graph.Graph{form})).View)
		if len(got) != len(want) {
			t.Fatalf("%s: %d levels, want %d", name, len(got), len(want))
		}
		for l := range want {
			if !slices.Equal(got[l], want[l]) {
				t.Errorf("%s: level %d is %v, want %v", name, l, got[l], want[l])
			}
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			tape := tensor.NewArena(2).Tape()
			defer tape.Close()
			v := must(graph.Collate([]*graph.Graph{g, h})).View
			got := layer.Forward(&nn.Pass{Tape: tape}, v).View.X.Data()
			if !slices.Equal(got, first.View.X.Data()) {
				t.Error("another result from another goroutine")
			}
		})
	}
	wg.Wait()
}

func reversedEdges(g *graph.Graph) *graph.Graph {
	out := *g
	out.Ends = slices.Clone(g.Ends)
	slices.Reverse(out.Ends)
	return &out
}

// Above the limit of the dense solver a component is cut, without loss of the
// rules.
func TestHaarPoolLargeComponent(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of eigenvectors")
	}
	const n = 700
	g := graph.Graph{NumNodes: n, Node: graph.Ones(n)}
	for i := range int32(n - 1) {
		g.Ends = append(g.Ends, i, i+1)
	}
	g.Edge = graph.Ones(n - 1)
	v := must(graph.Collate([]*graph.Graph{must(graph.New(g))})).View
	layer := pool.NewHaarPool(pool.HaarPoolConfig{Levels: 2})
	res := layer.Forward(pass(t, false), v)
	if k := res.View.H.NumVertices(); k != n/2+1 {
		t.Errorf("%d clusters, want %d", k, n/2+1)
	}
	// Clusters of a path are short stretches of it.
	spread := 0
	seen := map[int32]int{}
	for i, k := range res.Cluster.IDs() {
		if at, ok := seen[k]; ok {
			spread = max(spread, i-at)
		}
		seen[k] = i
	}
	if spread > 30 {
		t.Errorf("a cluster of a path spreads over %d nodes", spread)
	}
}

func TestHaarPoolNeedsGraph(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	layer := pool.NewHaarPool(pool.HaarPoolConfig{})
	chain := pool.NewHaarChain(1, nil, false)
	for name, f := range map[string]func(){
		"dual":    func() { layer.Forward(pass(t, false), v.Dual()) },
		"too few": func() { layer.ForwardOn(pass(t, false), v, nil) },
		"another graph": func() {
			layer.ForwardOn(pass(t, false), v, slices.Repeat([]*pool.HaarChain{chain}, v.VertexOf.Slots()))
		},
	} {
		mustPanic(t, name, "HaarPool", f)
	}
}
