package graph_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Equation 3 on batches of random multigraphs: sizes and features change
// places, the incidence matrix is transposed, and the dual of the dual is the
// view one started from.
func TestDualProperties(t *testing.T) {
	r := rng.Stream(1, "dual")
	for trial := range 200 {
		gs := make([]*graph.Graph, 1+r.IntN(3))
		for i := range gs {
			gs[i] = randomGraph(r, trial%2 == 0)
		}
		v := must(graph.Collate(gs)).View
		d := v.Dual()
		if d.Dual() != v {
			t.Fatalf("trial %d: the dual of the dual is another view", trial)
		}
		n, m := v.H.NumVertices(), v.H.NumEdges()
		if d.H.NumVertices() != m || d.H.NumEdges() != n || d.H.Entries() != 2*m || v.H.Entries() != 2*m {
			t.Fatalf("trial %d: dual of %d×%d is %d×%d", trial, n, m, d.H.NumVertices(), d.H.NumEdges())
		}
		vertex, edge := v.H.List()
		dualVertex, dualEdge := d.H.List()
		h := incidence(n, m, vertex, edge)
		near(t, "incidence of the dual", incidence(m, n, dualVertex, dualEdge), h.transpose(m), 0)
		for e := range m { // a self-loop counts twice in its node
			sum := 0.0
			for i := range n {
				sum += h[i][e]
			}
			if sum != 2 {
				t.Fatalf("trial %d: edge %d has %v ends", trial, e, sum)
			}
		}
	}
}

// Weights belong to hyperedges, so a round trip through the dual drops them and
// nothing else.
func TestDualDropsWeights(t *testing.T) {
	g := must(graph.New(graph.Graph{NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Ones(2), Edge: graph.Ones(1)}))
	v := must(graph.Collate([]*graph.Graph{g})).WithW(tensor.Full(0.5, 1))
	if d := v.Dual(); d.W != nil || d.Dual() != v.WithW(nil) {
		t.Error("the dual keeps weights or loses more than them")
	}
}

var sink graph.View

func TestDualCopiesNothing(t *testing.T) {
	g := must(graph.New(graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2, 2, 2}, Node: graph.Ones(3), Edge: graph.Ones(3)}))
	v := must(graph.Collate([]*graph.Graph{g})).View
	if n := testing.AllocsPerRun(100, func() { sink = v.Dual() }); n != 0 {
		t.Errorf("Dual allocates %v times", n)
	}
	d := v.Dual()
	if d.X != v.E || d.E != v.X || d.VertexOf != v.EdgeOf || d.EdgeOf != v.VertexOf {
		t.Error("features or sample indices are not the ones of the view")
	}
	if d.H.Dual() != v.H || d.H == v.H {
		t.Error("the dual of the incidence is another one")
	}
	// Appendix A.2: the edge list is the hyperedge list of the dual, the very memory.
	_, edge := d.H.List()
	if ends := v.H.Ends(); unsafe.SliceData(edge) != unsafe.SliceData(ends) || len(edge) != len(ends) {
		t.Error("the hyperedge list of the dual is a copy of the edge list")
	}
	if _, edge := graph.DualOf(g).List(); unsafe.SliceData(edge) != unsafe.SliceData(g.Ends) {
		t.Error("the dual of a sample copies its edge list")
	}
	// What is built for one side serves the dual of the dual.
	if d.H.Hyper() != v.Dual().H.Hyper() || v.H.Hyper() != d.Dual().H.Hyper() || v.H.Hyper() == d.H.Hyper() {
		t.Error("derived structures are not shared as they should")
	}
}

func TestDualOf(t *testing.T) {
	g := &graph.Graph{NumNodes: 4, Ends: []int32{0, 1, 1, 2}}
	d := graph.DualOf(g)
	if d.NumVertices() != 2 || d.NumEdges() != 4 || d.Entries() != 4 {
		t.Errorf("dual of 4 nodes and 2 edges is %d×%d", d.NumVertices(), d.NumEdges())
	}
	same := must(graph.Collate([]*graph.Graph{g})).H.Dual()
	near(t, "operator", hyperOperator(d.Hyper()), hyperOperator(same.Hyper()), 0)
}

// The With methods change one thing and leave the view they are called on alone.
func TestWith(t *testing.T) {
	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2}, Node: graph.Ones(3), Edge: graph.Ones(2)}
	v := must(graph.Collate([]*graph.Graph{g})).View
	before := v
	x, e, w := tensor.New(3, 2), tensor.New(2, 2), tensor.New(2)
	changed := v.WithX(x).WithE(e).WithW(w).WithLoops(graph.LoopsNone)
	if changed.X != x || changed.E != e || changed.W != w || changed.H.Hyper().Self != nil || changed.VertexOf != v.VertexOf {
		t.Error("a change is lost")
	}
	if v != before || v.H.Hyper().Self == nil {
		t.Error("the view itself changed")
	}
}

func TestCaseDual(t *testing.T) {
	for _, c := range golden.Load(t, "layers/dual_hypergraph").Cases {
		t.Run(c.Name, func(t *testing.T) {
			src, dst := c.Pair("edge_index")
			n, m := c.Config.Int("num_nodes", -1), len(src)
			b := must(graph.Collate(split(n, src, dst, c.IDs("batch"))))
			h, d := b.H, b.H.Dual() // directed samples: LoopsReplaceSingletons is the default
			p := hyperOperator(d.Hyper())
			if c.ReferenceError != "" {
				// Without edges the dual has no vertices: an empty operator, no failure.
				if m != 0 || len(p) != 0 {
					t.Errorf("%d edges, operator of %d rows, want none", m, len(p))
				}
				return
			}
			if of, want := b.EdgeOf.IDs(), c.IDs("outputs.edge_batch"); !slices.Equal(of, want) {
				t.Errorf("sample of each edge is %v, want %v", of, want)
			}
			wantVertex, wantEdge := c.Pair("outputs.hyperedge_index")
			if c.Config.Bool("add_loops", false) {
				size := n
				for _, e := range wantEdge {
					size = max(size, int(e)+1)
				}
				want := meanOperator(incidence(m, size, wantVertex, wantEdge), size, graph.LoopsNone)
				near(t, "operator with loops", p, want, 1e-6)
				return
			}
			vertex, edge := d.List()
			if !slices.Equal(vertex, wantVertex) || !slices.Equal(edge, wantEdge) {
				t.Errorf("hyperedge list %v %v, want %v %v", vertex, edge, wantVertex, wantEdge)
			}
			near(t, "dual incidence", incidence(m, n, vertex, edge), rows(c.Value("outputs.dual_incidence"), m), 0)
			v, e := h.List()
			own := incidence(n, m, v, e)
			near(t, "incidence", own, rows(c.Value("outputs.incidence"), n), 0)
			for i := range own {
				for j := range own[i] {
					own[i][j] = min(own[i][j], 1)
				}
			}
			near(t, "incidence without multiplicity", own, rows(c.Value("outputs.incidence_binary"), n), 0)
			near(t, "plain operator", hyperOperator(d.WithLoops(graph.LoopsNone).Hyper()),
				meanOperator(incidence(m, n, wantVertex, wantEdge), n, graph.LoopsNone), 1e-6)
		})
	}
}

// split cuts a batch with sorted sample ids into directed samples without
// features.
func split(n int, src, dst, batch []int32) []*graph.Graph {
	gs := make([]*graph.Graph, int(batch[n-1])+1)
	base := make([]int32, len(gs))
	for i := range gs {
		gs[i] = &graph.Graph{Directed: true, Label: graph.NoLabel}
		base[i] = int32(slices.Index(batch, int32(i)))
	}
	for _, i := range batch {
		gs[i].NumNodes++
	}
	for e := range src {
		i := batch[src[e]]
		gs[i].Ends = append(gs[i].Ends, src[e]-base[i], dst[e]-base[i])
	}
	return gs
}

func interleave(src, dst []int32) []int32 {
	var ends []int32
	for e := range src {
		ends = append(ends, src[e], dst[e])
	}
	return ends
}

func rows(v golden.Value, n int) matrix {
	a := zeros(n, v.Shape[1])
	for i, x := range v.Tensor().Data() {
		a[i/v.Shape[1]][i%v.Shape[1]] = float64(x)
	}
	return a
}
