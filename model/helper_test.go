package model

import (
	"maps"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// The small heaps of tests are collected seldom: collecting takes a fifth of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// pass starts a forward pass on a new tape, which is closed with the test.
func pass(t *testing.T, train bool) *nn.Pass {
	t.Helper()
	tape := tensor.NewArena(1).Tape()
	t.Cleanup(tape.Close)
	return &nn.Pass{Tape: tape, Train: train, Rand: rng.Stream(1, "pass")}
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

// put sets a width of the data, the seed or a setting by its name in JSON, wherever it
// is there, and reports whether it is anywhere.
func put(c *Config, name string, value any) bool {
	switch name {
	case "node_dim":
		c.Node = value.(int)
	case "edge_dim":
		c.Edge = value.(int)
	case "out":
		c.Out = value.(int)
	default:
		places := c.At(name)
		for _, at := range places {
			switch at := at.(type) {
			case *int:
				*at = value.(int)
			case *float64:
				*at = value.(float64)
			case *bool:
				*at = value.(bool)
			case *string:
				*at = value.(string)
			}
		}
		return places != nil
	}
	return true
}

// values are settings by name.
type values map[string]any

// configOf is a model's config with these values where it has them.
func configOf(model string, of values) Config {
	c := must(Find(model)).Config()
	for name, v := range of {
		put(&c, name, v)
	}
	return c
}

// small are values that every model accepts.
func small() values {
	return values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 2, "hidden": 8, "layers": 2, "ratio": 0.5, "clusters": 3, "node_clusters": 3,
		"sort_k": 10, "heads": 2, "dropout": 0.2}
}

// but is v with other values.
func (v values) but(other values) values {
	out := maps.Clone(v)
	maps.Copy(out, other)
	return out
}

// valid is a config that a model accepts.
func valid(model string) Config {
	c := configOf(model, small())
	c.Seed = 1
	return c
}

// build builds a registered model of a type.
func build[M Model](model string, c Config) M { return must(must(Find(model)).New(c)).(M) }

// built is build with these values and a seed.
func built[M Model](model string, seed uint64, of values) M {
	c := configOf(model, of)
	c.Seed = seed
	return build[M](model, c)
}

// ofTask lists the models with predictions for a task.
func ofTask(task string) (out []Spec) {
	for _, s := range registry {
		if slices.Contains(s.Tasks, task) && !s.Fitted {
			out = append(out, s)
		}
	}
	return out
}

// networks are the registered models that steps of gradients train.
func networks() []Spec {
	return slices.DeleteFunc(slices.Clone(registry), func(s Spec) bool { return s.Fitted })
}
