package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// pass starts a forward pass on a new tape, which is closed with the test.
func pass(t *testing.T, train bool) *nn.Pass {
	t.Helper()
	tape := tensor.NewArena(1).Tape()
	t.Cleanup(tape.Close)
	return &nn.Pass{Tape: tape, Train: train, Rand: rng.Stream(1, "pass")}
}

// bind gives the parameters the values of the case, by name, and returns a
// variable for each gradient of the case. Every name must be on both sides.
func bind(t *testing.T, p *nn.Pass, c golden.Case, params []*tensor.Param) map[string]*tensor.Tensor {
	t.Helper()
	vars := map[string]*tensor.Tensor{}
	for _, w := range params {
		name := "params." + w.Name
		if !c.Has(name) {
			t.Fatalf("the case has no %s", name)
		}
		v := c.Tensor(name)
		if !slices.Equal(v.Shape(), w.Value.Shape()) {
			t.Fatalf("%s has shape %v, want %v", name, w.Value.Shape(), v.Shape())
		}
		w.Value = v
		vars[name] = p.Tape.Watch(w)
	}
	if len(params) != len(c.Params) {
		t.Fatalf("%d parameters, the case has %d", len(params), len(c.Params))
	}
	for name := range c.Grads {
		if !strings.HasPrefix(name, "params.") {
			vars[name] = p.Tape.Variable(c.Tensor(name))
		}
	}
	return vars
}

// known fails the test on an option that the test does not translate.
func known(t *testing.T, c golden.Config, names ...string) {
	t.Helper()
	for k := range c {
		if !slices.Contains(names, k) {
			t.Fatalf("option %s is not handled", k)
		}
	}
}

// caseBatch is the batch of a case in the authors' directed form. Features that
// have a gradient are variables; without edge features the model gets ones.
func caseBatch(c golden.Case, vars map[string]*tensor.Tensor) *graph.Batch {
	src, dst := c.Pair("edge_index")
	batch := c.IDs("batch")
	var ends, of []int32
	for e := range src {
		ends, of = append(ends, src[e], dst[e]), append(of, batch[src[e]])
	}
	n := int(batch[len(batch)-1]) + 1
	b := &graph.Batch{N: n}
	b.H = must(graph.NewPairs(len(batch), ends, true)).WithLoops(graph.LoopsReplaceSingletons)
	b.VertexOf, b.EdgeOf = tensor.MustIndex(batch, n), tensor.MustIndex(of, n)
	feature := func(name string) *tensor.Tensor {
		if x := vars[name]; x != nil {
			return x
		}
		if c.Has(name) {
			return c.Tensor(name)
		}
		return nil
	}
	b.X, b.E = feature("x"), feature("edge_attr")
	if b.E == nil {
		b.E = tensor.Full(1, len(src), 1)
	}
	return b
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func random(r *rand.Rand, dims ...int) *tensor.Tensor {
	x := tensor.New(dims...)
	for i := range x.Data() {
		x.Data()[i] = float32(r.NormFloat64())
	}
	return x
}

// near compares elements with tolerance tol·max(1, |want|).
func near(t *testing.T, what string, got, want []float32, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		d := math.Abs(float64(got[i]) - float64(w))
		if !(d <= tol*max(1, math.Abs(float64(w)))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}

const nodeDim, edgeDim = 3, 2

// multigraph is a random undirected graph; self-loops only where allowed.
func multigraph(r *rand.Rand, n, m int, loops bool) *graph.Graph {
	g := graph.Graph{NumNodes: n}
	for len(g.Ends) < 2*m {
		if u, v := int32(r.IntN(n)), int32(r.IntN(n)); u != v || loops {
			g.Ends = append(g.Ends, u, v)
		}
	}
	g.Node = graph.Features{Dim: nodeDim, Dense: random(r, n, nodeDim).Data()}
	g.Edge = graph.Features{Dim: edgeDim, Dense: random(r, m, edgeDim).Data()}
	return must(graph.New(g))
}

// withArcs is the directed form of g, with the edge behind each arc as label.
func withArcs(g *graph.Graph) *graph.Graph {
	h := *g
	h.EdgeLabel = make([]int32, g.NumEdges())
	for e := range h.EdgeLabel {
		h.EdgeLabel[e] = int32(e)
	}
	return h.Arcs()
}

// watched lists the parameters of m as variables of the pass.
func watched(p *nn.Pass, m nn.Module) []*tensor.Tensor {
	var out []*tensor.Tensor
	for _, w := range m.Params() {
		out = append(out, p.Tape.Watch(w))
	}
	return out
}

func finite(x *tensor.Tensor) bool {
	for _, v := range x.Data() {
		if v-v != 0 {
			return false
		}
	}
	return true
}
