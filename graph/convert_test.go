package graph_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
)

func TestArcs(t *testing.T) {
	g := must(graph.New(graph.Graph{NumNodes: 3, Ends: []int32{2, 0, 1, 1, 0, 1, 0, 2},
		Edge:      graph.Features{Dim: 1, Dense: []float32{10, 11, 12, 13}, Codes: []int{4}, Code: []int32{0, 1, 2, -1}},
		EdgeLabel: []int32{5, 6, 7, 8}, EdgeTargets: []float32{15, 16, 17, 18}, NodeLabel: []int32{1, 2, 3}, Node: graph.Ones(3), Label: 4, Targets: []float32{1}}))
	a := g.Arcs()
	// Sorted by source and target; parallel edges keep their order; a self-loop is one arc.
	if want := []int32{0, 1, 0, 2, 0, 2, 1, 0, 1, 1, 2, 0, 2, 0}; !slices.Equal(a.Ends, want) || !a.Directed {
		t.Errorf("arcs %v, want %v", a.Ends, want)
	}
	if want := []float32{12, 10, 13, 12, 11, 10, 13}; !slices.Equal(a.Edge.Dense, want) {
		t.Errorf("dense features %v, want %v", a.Edge.Dense, want)
	}
	if want := []int32{2, 0, -1, 2, 1, 0, -1}; !slices.Equal(a.Edge.Code, want) {
		t.Errorf("codes %v, want %v", a.Edge.Code, want)
	}
	if want := []int32{7, 5, 8, 7, 6, 5, 8}; !slices.Equal(a.EdgeLabel, want) {
		t.Errorf("labels %v, want %v", a.EdgeLabel, want)
	}
	if want := []float32{17, 15, 18, 17, 16, 15, 18}; !slices.Equal(a.EdgeTargets, want) {
		t.Errorf("edge targets %v, want %v", a.EdgeTargets, want)
	}
	g.EdgeTargets = []float32{1, -1, 2, -2, 3, -3, 4, -4} // two for each edge
	if two, want := g.Arcs(), []float32{3, -3, 1, -1, 4, -4, 3, -3, 2, -2, 1, -1, 4, -4}; !slices.Equal(two.EdgeTargets, want) {
		t.Errorf("edge targets %v, want %v", two.EdgeTargets, want)
	} else if back := must(two.Undirected()); len(back.EdgeTargets) != 8 {
		t.Errorf("edge targets %v", back.EdgeTargets)
	}
	if a.Label != 4 || a.NumNodes != 3 || !slices.Equal(a.NodeLabel, g.NodeLabel) || len(a.Targets) != 1 {
		t.Error("the rest of the graph changed")
	}
	if g.Directed || g.NumEdges() != 4 {
		t.Error("the graph itself changed")
	}
	if a.Arcs() != a {
		t.Error("arcs of arcs are another graph")
	}
	if must(g.Undirected()) != g {
		t.Error("an undirected graph is not returned as it is")
	}
}

// edgesOf lists edges with all their data, the smaller end first, sorted: equal
// lists are equal graphs but for order and orientation of the edges.
func edgesOf(g *graph.Graph) []string {
	var out []string
	row := make([]float32, g.Edge.Width())
	for e := range g.NumEdges() {
		g.Edge.Row(e, row)
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		label := int32(graph.NoLabel)
		if g.EdgeLabel != nil {
			label = g.EdgeLabel[e]
		}
		out = append(out, fmt.Sprint(min(u, v), max(u, v), row, label))
	}
	slices.Sort(out)
	return out
}

func TestArcsRoundTrip(t *testing.T) {
	r := rng.Stream(8, "arcs")
	for trial := range 200 {
		g := randomGraph(r, false)
		a := g.Arcs()
		if _, err := graph.New(*a); err != nil {
			t.Fatalf("trial %d: arcs are no valid graph: %v", trial, err)
		}
		back, err := a.Undirected()
		if err != nil {
			t.Fatalf("trial %d: edges %v: %v", trial, g.Ends, err)
		}
		if _, err := graph.New(*back); err != nil || back.Directed {
			t.Fatalf("trial %d: directed %v, %v", trial, back.Directed, err)
		}
		if got, want := edgesOf(back), edgesOf(g); !slices.Equal(got, want) {
			t.Fatalf("trial %d: round trip gives\n%v, want\n%v", trial, got, want)
		}
		again := back.Arcs()
		if !slices.Equal(again.Ends, a.Ends) || !slices.Equal(again.Edge.Dense, a.Edge.Dense) || !slices.Equal(again.Edge.Code, a.Edge.Code) {
			t.Fatalf("trial %d: arcs of the round trip differ", trial)
		}
	}
}

func TestUndirectedErrors(t *testing.T) {
	arcs := func(ends []int32, features ...float32) *graph.Graph {
		return must(graph.New(graph.Graph{NumNodes: 4, Directed: true, Ends: ends, Edge: graph.Features{Dim: 1, Dense: features}}))
	}
	coded := func(codes ...int32) *graph.Graph {
		return must(graph.New(graph.Graph{NumNodes: 2, Directed: true, Ends: []int32{0, 1, 1, 0}, Edge: graph.Features{Code: codes, Codes: []int{2}}}))
	}
	labelled := must(graph.New(graph.Graph{NumNodes: 2, Directed: true, Ends: []int32{1, 0, 0, 1}, EdgeLabel: []int32{0, 1}}))
	numbered := must(graph.New(graph.Graph{NumNodes: 2, Directed: true, Ends: []int32{0, 1, 1, 0}, EdgeTargets: []float32{1, float32(math.NaN())}}))
	for _, c := range []struct {
		name string
		g    *graph.Graph
		want string
	}{
		{"no reverse", arcs([]int32{0, 1}, 1), "arc 0 from 0 to 1 has no reverse"},
		{"second of two", arcs([]int32{0, 1, 1, 0, 0, 1}, 1, 1, 1), "arc 2 from 0 to 1 has no reverse"},
		{"only back", arcs([]int32{0, 0, 2, 1}, 1, 1), "arc 1 from 2 to 1 has no reverse"},
		{"several back", arcs([]int32{3, 2, 1, 0, 3, 1, 2, 0}, 1, 1, 1, 1), "arc 0 from 3 to 2 has no reverse"},
		{"features", arcs([]int32{0, 1, 1, 0}, 1, 2), "arcs 0 and 1 between 0 and 1 differ in features, label or target"},
		{"codes", coded(0, 1), "arcs 0 and 1 between 0 and 1 differ in features, label or target"},
		{"targets", numbered, "arcs 0 and 1 between 0 and 1 differ in features, label or target"},
		{"labels", labelled, "arcs 1 and 0 between 0 and 1 differ in features, label or target"},
	} {
		// More than once: the message must not depend on the order of a map.
		for range 20 {
			g, err := c.g.Undirected()
			if !errors.Is(err, graph.ErrAsymmetric) || g != nil {
				t.Errorf("%s: got %v, error %v, want ErrAsymmetric", c.name, g, err)
			}
			contains(t, err, "graph: arcs do not pair up: "+c.want)
		}
	}
	twoColumns := func(codes ...int32) *graph.Graph {
		return &graph.Graph{NumNodes: 2, Directed: true, Ends: []int32{0, 1, 1, 0}, Edge: graph.Features{Code: codes, Codes: []int{2, 3}}}
	}
	if _, err := twoColumns(1, 2, 1, 0).Undirected(); !errors.Is(err, graph.ErrAsymmetric) {
		t.Errorf("arcs that differ in the second column: error %v, want ErrAsymmetric", err)
	}
	if g := must(twoColumns(1, 2, 1, 2).Undirected()); !slices.Equal(g.Edge.Code, []int32{1, 2}) || !slices.Equal(g.Arcs().Edge.Code, []int32{1, 2, 1, 2}) {
		t.Errorf("two columns give the codes %v, as arcs %v", g.Edge.Code, g.Arcs().Edge.Code)
	}
	if g := must(coded(1, 1).Undirected()); g.NumEdges() != 1 || g.Edge.Code[0] != 1 {
		t.Errorf("equal arcs give %v", g)
	}
}

func TestCaseLineGraph(t *testing.T) {
	for _, c := range golden.Load(t, "layers/line_graph").Cases {
		t.Run(c.Name, func(t *testing.T) {
			n := c.Config.Int("num_nodes", -1)
			src, dst := c.Pair("edge_index")
			ends := interleave(src, dst)
			pairs := graph.LineGraph(n, ends)
			if want := int(c.Tensor("outputs.line_edges").Item()); len(pairs) != 2*want {
				t.Errorf("%d pairs, want %d", len(pairs)/2, want)
			}
			if want := int(c.Tensor("outputs.line_nodes").Item()); len(ends) != 2*want {
				t.Errorf("%d edges, want %d", len(ends)/2, want)
			}
			h := must(graph.NewPairs(n, ends, false)).Dual()
			if want := int(c.Tensor("outputs.dual_entries").Item()); h.Entries() != want {
				t.Errorf("the dual has %d entries, want %d", h.Entries(), want)
			}
			sizes := make([]int64, n)
			met := 0 // pairs of edges that meet in a hyperedge of the dual
			_, edge := h.List()
			for _, v := range edge {
				met += int(sizes[v])
				sizes[v]++
			}
			if want := int(c.Tensor("outputs.hypergraph_pairs").Item()); met != want {
				t.Errorf("hyperedges hold %d pairs, want %d", met, want)
			}
			if want := c.Value("outputs.dual_hyperedge_sizes").Ints; !slices.Equal(sizes, want) {
				t.Errorf("hyperedges of sizes %v, want %v", sizes, want)
			}
			if c.Has("outputs.line_edge_list") {
				first, second := c.Pair("outputs.line_edge_list")
				if got, want := sortedPairs(pairs), interleave(first, second); !slices.Equal(got, want) {
					t.Errorf("pairs %v, want %v", got, want)
				}
			}
		})
	}
}

// Every pair of edges with a common node once, the smaller id first, also with
// self-loops and parallel edges, which meet themselves and each other more than
// once.
func TestLineGraphMultigraph(t *testing.T) {
	r := rng.Stream(9, "line")
	for trial := range 300 {
		g := randomGraph(r, false)
		var want []int32
		for e := range g.NumEdges() {
			for f := e + 1; f < g.NumEdges(); f++ {
				a, b := g.Ends[2*e:2*e+2], g.Ends[2*f:2*f+2]
				if slices.Contains(a, b[0]) || slices.Contains(a, b[1]) {
					want = append(want, int32(e), int32(f))
				}
			}
		}
		if got := sortedPairs(graph.LineGraph(g.NumNodes, g.Ends)); !slices.Equal(got, want) {
			t.Fatalf("trial %d: edges %v: pairs %v, want %v", trial, g.Ends, got, want)
		}
	}
}

// Every pair of edges of which the second starts where the first ends, once.
func TestLineDigraph(t *testing.T) {
	r := rng.Stream(10, "line")
	for trial := range 300 {
		g := randomGraph(r, true)
		var want []int32
		for e := range int32(g.NumEdges()) {
			for f := range int32(g.NumEdges()) {
				if e != f && g.Ends[2*e+1] == g.Ends[2*f] {
					want = append(want, e, f)
				}
			}
		}
		if got := sortedPairs(graph.LineDigraph(g.NumNodes, g.Ends)); !slices.Equal(got, want) {
			t.Fatalf("trial %d: edges %v: pairs %v, want %v", trial, g.Ends, got, want)
		}
	}
}

func sortedPairs(pairs []int32) []int32 {
	var ps [][2]int32
	for i := 0; i < len(pairs); i += 2 {
		ps = append(ps, [2]int32(pairs[i:]))
	}
	slices.SortFunc(ps, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	var out []int32
	for _, p := range ps {
		out = append(out, p[:]...)
	}
	return out
}
