package nn_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// convOut is the width that the registered convolutions are built for here.
const convOut = 4

// site is a registered convolution on one side of a graph where it is defined.
type site struct {
	round
	spec nn.ConvSpec
	line bool
	seed func(seed uint64) nn.Conv // the same convolution from another seed
}

// sites lists every registered convolution on the graph, on the dual where it is
// defined there, and on the line graph.
func sites() []site {
	var out []site
	for _, s := range nn.Convs() {
		add := func(side string, dual, line bool, dx, de int) {
			build := func(seed uint64) nn.Conv {
				c := must(s.New(nn.NewInit(seed).In("convs", 0), nn.ConvDims{In: dx, Out: convOut, Edge: de, Heads: 2}))
				if s.Name == "egnn" {
					c = positiveEdges{c} // its rows are to sum to 1
				}
				if line {
					c = &nn.LineGraph{Conv: c, NodeFeatures: s.Edges}
				}
				return c
			}
			out = append(out, site{round{s.Name + " on the " + side, build(1), dual}, s, line, build})
		}
		add("graph", false, false, nodeWidth, edgeWidth)
		if s.Dual {
			add("dual", true, false, edgeWidth, nodeWidth)
		}
		add("line graph", true, true, edgeWidth, nodeWidth)
	}
	return out
}

// norms reports whether the convolution normalises over the rows of the batch.
func (s site) norms() bool {
	return slices.ContainsFunc(s.conv.Params(), func(w *tensor.Param) bool { return strings.HasSuffix(w.Name, "running_mean") })
}

// measured is what a pass yields: the result and the gradients of half the sum of
// its squares by node features, edge features, weights and parameters.
type measured struct {
	y, x, e, w *tensor.Tensor
	params     []*tensor.Tensor
}

func (m *measured) all() []*tensor.Tensor {
	return append([]*tensor.Tensor{m.y, m.x, m.e, m.w}, m.params...)
}

// measure runs the convolution on graphs forward and backward. It returns nil
// when the convolution rightly refuses to train on a single row.
func (s site) measure(t *testing.T, v graph.View, training bool, threads int) *measured {
	t.Helper()
	tape := tensor.NewArena(threads).Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape, Train: training, Rand: rng.Stream(1, "pass")}
	x, e := tape.Variable(v.X), tape.Variable(v.E)
	v = v.WithX(x).WithE(e)
	if s.dual {
		v = v.Dual()
	}
	w := tape.Variable(weightsOf(v))
	var y *tensor.Tensor
	var err error
	func() {
		defer tensor.Catch(&err)
		y = s.conv.Forward(p, v.WithW(w))
	}()
	single := training && s.norms() && v.H.NumVertices() == 1
	if shape := (*tensor.ShapeError)(nil); single && errors.As(err, &shape) && shape.Op == "BatchNorm" {
		return nil
	}
	if single || err != nil {
		t.Fatalf("training %v: error %v; one row to normalise over: %v", training, err, single)
	}
	if want := []int{v.H.NumVertices(), convOut}; !slices.Equal(y.Shape(), want) {
		t.Fatalf("training %v: result of shape %v, want %v", training, y.Shape(), want)
	}
	wrt := []*tensor.Tensor{x, e, w}
	for _, param := range s.conv.Params() {
		if training && !param.Buffer {
			wrt = append(wrt, p.Var(param))
		}
	}
	g := tape.Grad(y.Square().MulScalar(0.5), wrt...)
	for i, d := range g {
		if !slices.Equal(d.Shape(), wrt[i].Shape()) {
			t.Fatalf("gradient %d has shape %v, want %v", i, d.Shape(), wrt[i].Shape())
		}
	}
	m := &measured{y: y.Clone(), x: g[0].Clone(), e: g[1].Clone(), w: g[2].Clone()}
	for _, d := range g[3:] {
		m.params = append(m.params, d.Clone())
	}
	for i, a := range m.all() {
		if slices.ContainsFunc(a.Data(), func(f float32) bool { return f-f != 0 }) {
			t.Fatalf("training %v: result %d of the pass is %v", training, i, a)
		}
	}
	return m
}

// weightsOf makes positive hyperedge weights of the hyperedge features, so that
// they follow when a graph is renamed or batched. Self-loops weigh the same: of
// several at one node the last counts for GCN, as in its reference.
func weightsOf(v graph.View) *tensor.Tensor {
	m, d, ends := v.H.NumEdges(), v.E.Dim(1), v.H.Ends()
	w := tensor.Full(0.5, m)
	for e := range m {
		if ends == nil || ends[2*e] != ends[2*e+1] {
			w.Data()[e] += v.E.Data()[e*d] * v.E.Data()[e*d]
		}
	}
	return w
}

func collated(gs []*graph.Graph) graph.View { return must(graph.Collate(gs)).View }

// convBatches lists the batches of which implementations fall over.
func convBatches(r *rand.Rand, directed bool) map[string][]*graph.Graph {
	g := func(n int, ends ...int32) *graph.Graph {
		return must(graph.New(graph.Graph{NumNodes: n, Ends: ends, Directed: directed,
			Node: graph.Features{Dim: nodeWidth, Dense: random(r, n, nodeWidth).Data()},
			Edge: graph.Features{Dim: edgeWidth, Dense: random(r, len(ends)/2, edgeWidth).Data()}}))
	}
	path, triangle := g(3, 1, 0, 1, 2), g(3, 0, 1, 2, 1, 2, 0)
	return map[string][]*graph.Graph{
		"no edges":          {g(3), g(2)},
		"one node":          {g(1)},
		"no node":           {g(0)},
		"empty first":       {g(0), triangle, path},
		"empty inside":      {path, g(0), triangle},
		"empty last":        {triangle, path, g(0)},
		"edgeless inside":   {path, g(1), g(2), triangle},
		"one edge":          {g(2, 1, 0)},
		"disconnected":      {g(7, 5, 1, 0, 4, 4, 2), triangle},
		"a self-loop":       {g(1, 0, 0)},
		"self-loops":        {g(3, 0, 0, 2, 2), g(4, 1, 1, 1, 2, 3, 1)},
		"repeated loops":    {g(2, 0, 0, 0, 0, 0, 1), path},
		"repeated edges":    {g(3, 0, 1, 0, 1, 1, 0, 1, 2), g(2, 1, 0, 1, 0)},
		"star":              {g(6, 0, 1, 0, 2, 3, 0, 4, 0, 0, 5)},
		"random multigraph": {multigraph(r, 6, 11, nodeWidth, edgeWidth, directed, true), multigraph(r, 5, 7, nodeWidth, edgeWidth, directed, true)},
	}
}

// reordered moves nodes and edges of each graph to random places and turns some
// undirected edges around; the maps are those of the whole batch.
func reordered(r *rand.Rand, gs []*graph.Graph) (out []*graph.Graph, nodes, edges []int) {
	for _, g := range gs {
		n, m := r.Perm(g.NumNodes), r.Perm(g.NumEdges())
		h := permuted(g, n, m)
		for e := range m {
			if !g.Directed && r.IntN(2) == 0 {
				h.Ends[2*e], h.Ends[2*e+1] = h.Ends[2*e+1], h.Ends[2*e]
			}
		}
		firstNode, firstEdge := len(nodes), len(edges)
		for _, to := range n {
			nodes = append(nodes, firstNode+to)
		}
		for _, to := range m {
			edges = append(edges, firstEdge+to)
		}
		out = append(out, h)
	}
	return out, nodes, edges
}

// TestConvConformance holds every registered convolution, on every side of a graph
// where it is defined, to what a layer promises.
func TestConvConformance(t *testing.T) {
	for _, s := range sites() {
		t.Run(s.name, func(t *testing.T) {
			for _, directed := range []bool{false, true} {
				r := rng.Stream(31, "conformance", s.name)
				for name, gs := range convBatches(r, directed) {
					if directed {
						name += ", directed"
					}
					t.Run(name, func(t *testing.T) {
						checkRenaming(t, s, gs)
						checkAlone(t, s, gs)
					})
				}
			}
			t.Run("what it reads", func(t *testing.T) { checkReads(t, s) })
			t.Run("threads", func(t *testing.T) { checkThreads(t, s) })
			t.Run("parameters", func(t *testing.T) { checkParams(t, s) })
		})
	}
}

// checkRenaming: renaming nodes, reordering edges and turning undirected edges
// around reorders the results and the gradients, and changes nothing else. The
// tolerance is for sums in another order, ten times as large behind a batch norm of
// nearly equal rows.
func checkRenaming(t *testing.T, s site, gs []*graph.Graph) {
	t.Helper()
	other, nodes, edges := reordered(rng.Stream(32, "renaming"), gs)
	rows := nodes
	if s.dual {
		rows = edges
	}
	weighted := edges // what the weights belong to
	if s.dual {
		weighted = nodes
	}
	tol := 1e-5
	if s.norms() {
		tol = 1e-4
	}
	for _, training := range []bool{true, false} {
		a, b := s.measure(t, collated(gs), training, 1), s.measure(t, collated(other), training, 1)
		if a == nil || b == nil {
			continue // both: the batches have the same size
		}
		near(t, "result of the renamed batch", b.y.Data(), movedRows(a.y.Data(), rows, convOut), tol)
		near(t, "gradient by node features", b.x.Data(), movedRows(a.x.Data(), nodes, nodeWidth), tol)
		near(t, "gradient by edge features", b.e.Data(), movedRows(a.e.Data(), edges, edgeWidth), tol)
		if !hasRepeatedLoops(gs) {
			near(t, "gradient by weights", b.w.Data(), movedRows(a.w.Data(), weighted, 1), tol)
		}
		for i := range a.params {
			near(t, "gradient by parameters", b.params[i].Data(), a.params[i].Data(), tol)
		}
	}
}

// hasRepeatedLoops reports whether a node has several self-loops: GCN gives the whole
// gradient of their weights to the last.
func hasRepeatedLoops(gs []*graph.Graph) bool {
	for _, g := range gs {
		seen := map[int32]bool{}
		for e := range g.NumEdges() {
			if v := g.Ends[2*e]; v == g.Ends[2*e+1] {
				if seen[v] {
					return true
				}
				seen[v] = true
			}
		}
	}
	return false
}

// checkAlone: outside training a sample has the same result and the same
// gradients alone as in the batch, to rounding: kernels may take rows in other
// blocks.
func checkAlone(t *testing.T, s site, gs []*graph.Graph) {
	t.Helper()
	all := s.measure(t, collated(gs), false, 1)
	take := func(from *tensor.Tensor, what string, want *tensor.Tensor) {
		t.Helper()
		k := want.Size()
		near(t, what, from.Data()[:k], want.Data(), 1e-5)
		copy(from.Data(), from.Data()[k:]) // the next sample comes first
	}
	for _, g := range gs {
		one := s.measure(t, collated([]*graph.Graph{g}), false, 1)
		take(all.y, "result in the batch", one.y)
		take(all.x, "gradient by node features in the batch", one.x)
		take(all.e, "gradient by edge features in the batch", one.e)
		take(all.w, "gradient by weights in the batch", one.w)
	}
}

// checkReads checks that the inputs a convolution reads, by the registry, are those that
// change its result.
func checkReads(t *testing.T, s site) {
	r := rng.Stream(33, "reads")
	v := collated([]*graph.Graph{multigraph(r, 6, 10, nodeWidth, edgeWidth, false, false)})
	if s.dual {
		v = v.Dual()
	}
	at := func(v graph.View) []float32 { return s.conv.Forward(pass(t, false), v).Clone().Data() }
	base := at(v)
	if s.spec.Edges {
		if slices.Equal(at(v.WithE(random(r, v.E.Shape()...))), base) {
			t.Error("other edge features change nothing, though the registry says that it reads them")
		}
	} else {
		near(t, "without edge features, which it does not read", at(v.WithE(nil)), base, 0)
	}
	w := random(r, v.H.NumEdges()).Square()
	if s.spec.Weights && !s.line {
		if slices.Equal(at(v.WithW(w)), base) {
			t.Error("weights change nothing, though the registry says that it reads them")
		}
		// Loops are none of the weighted hyperedges, so that HyperConv leaves them out.
		bare := v.WithLoops(graph.LoopsNone)
		near(t, "with weights of one", at(bare.WithW(tensor.Full(1, v.H.NumEdges()))), at(bare), 1e-5)
	} else {
		near(t, "with weights, which it does not read", at(v.WithW(w)), base, 0)
	}
}

// checkThreads: results are the same to the bit on one thread and on two, on a
// graph large enough to be split, forward and backward.
func checkThreads(t *testing.T, s site) {
	nodes := 1500
	if testing.Short() {
		nodes = 700
	}
	v := collated([]*graph.Graph{multigraph(rng.Stream(34, "threads"), nodes, 2*nodes, nodeWidth, edgeWidth, false, true)})
	one, two := s.measure(t, v, true, 1), s.measure(t, v, true, 2)
	for i, x := range two.all() {
		if want := one.all()[i]; !slices.Equal(x.Data(), want.Data()) {
			t.Errorf("result %d of the pass differs between one thread and two", i)
		}
	}
}

// checkParams: parameters have names of their own in the scope they are given,
// the seed decides their values, and a file brings them back to the bit.
func checkParams(t *testing.T, s site) {
	from, same, to := s.seed(5), s.seed(5), s.seed(6)
	seen := map[string]bool{}
	for i, w := range from.Params() {
		if seen[w.Name] || !strings.HasPrefix(w.Name, "convs.0.") || w.Value.Size() == 0 {
			t.Errorf("parameter %q of shape %v: name taken, name out of scope or nothing in it", w.Name, w.Value.Shape())
		}
		seen[w.Name] = true
		if other := same.Params()[i]; other.Name != w.Name || !slices.Equal(other.Value.Data(), w.Value.Data()) {
			t.Errorf("parameter %q differs between two layers of one seed", w.Name)
		}
	}
	v := collated(convBatches(rng.Stream(35, "parameters"), false)["random multigraph"])
	at := func(c nn.Conv) []float32 { return round{s.name, c, s.dual}.apply(pass(t, false), v).Clone().Data() }
	want := at(from)
	if slices.Equal(at(to), want) {
		t.Error("the seed has no effect")
	}
	path := filepath.Join(t.TempDir(), "layer.safetensors")
	if err := train.SaveParams(path, from, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := train.ReadParams(path, to); err != nil {
		t.Fatal(err)
	}
	near(t, "result after loading", at(to), want, 0)
}
