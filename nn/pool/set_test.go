package pool_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// setShapes are the heads and the norm that the names of the cases stand for.
var setShapes = map[string]pool.MABConfig{
	"sab/h1": {}, "sab/h2_ln": {Heads: 2, LayerNorm: true}, "sab/unmasked_h3": {Heads: 3},
	"pma/h1": {}, "pma/h4_ln": {Heads: 4, LayerNorm: true}, "pma/gcn_h2": {Heads: 2}, "pma/cluster_unmasked": {Cluster: true},
}

func TestCaseSetTransformer(t *testing.T) {
	for _, c := range golden.Load(t, "layers/set_transformer").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "class", "conv")
			config, ok := setShapes[c.Name]
			if !ok {
				t.Fatal("the case is not handled")
			}
			config.Keys = keys[c.Config.String("conv", "")]
			p := pass(t, true)
			run := map[string]func(*testing.T, *nn.Pass, golden.Case, pool.MABConfig) (*tensor.Tensor, map[string]*tensor.Tensor){
				"SAB": caseSAB, "PMA": casePMA}[c.Config.String("class", "")]
			y, vars := run(t, p, c, config)
			out := map[string]*tensor.Tensor{"out": y}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}

// setCaseView is the elements of a case, with a graph where keys need one.
func setCaseView(t *testing.T, c golden.Case, x *tensor.Tensor) graph.View {
	switch {
	case c.Has("edge_index"):
		return gmtView(c, x)
	case c.Has("batch"):
		batch := c.IDs("batch")
		return graph.View{X: x, VertexOf: tensor.MustIndex(batch, int(batch[len(batch)-1])+1)}
	}
	return caseView(t, c, x)
}

// Padded rows are queries of the reference, too: they are queries here and no keys.
func caseSAB(t *testing.T, p *nn.Pass, c golden.Case, config pool.MABConfig) (*tensor.Tensor, map[string]*tensor.Tensor) {
	layer := must(pool.NewSAB(nn.NewInit(0), nn.Dims{In: 4, Out: 6}, config))
	vars := c.Bind(t, p.Tape, layer.Params())
	v := setCaseView(t, c, vars["x"])
	shape := c.Value("outputs.out").Shape
	samples, longest := shape[0], shape[1]
	first, _ := v.VertexOf.Segments()
	n := v.VertexOf.Len()
	ids, of := make([]int32, samples*longest), make([]int32, samples*longest)
	for i := range ids {
		ids[i], of[i] = int32(n), int32(i/longest)
		if at := first[of[i]] + int32(i%longest); at < first[of[i]+1] {
			ids[i] = at
		}
	}
	q := tensor.Gather(tensor.Concat(0, v.X, tensor.New(1, 4)), tensor.MustIndex(ids, n+1))
	y, _ := layer.ForwardVertices(p, q, tensor.MustIndex(of, samples), v)
	if !c.Has("batch") { // nothing is padded: the other ways to the same result
		dense, _ := layer.ForwardDense(p, vars["x"])
		near(t, "samples of equal size", dense.Data(), y.Data(), 1e-5)
		ragged, _ := layer.Forward(p, v)
		near(t, "vertices", ragged.Data(), y.Data(), 1e-5)
	}
	return y.Reshape(samples, longest, 6), vars
}

// PMA of the Set Transformer is GMPool with Linear keys.
func casePMA(t *testing.T, p *nn.Pass, c golden.Case, config pool.MABConfig) (*tensor.Tensor, map[string]*tensor.Tensor) {
	layer := must(pool.NewGMPool(nn.NewInit(0), pool.GMPoolDims{Dim: 4, Seeds: c.Value("params.S").Shape[1]}, config))
	vars := c.Bind(t, p.Tape, layer.Params())
	y, _ := layer.Forward(p, setCaseView(t, c, vars["x"]))
	return y, vars
}

// ragged is a batch of bare sets of several sizes, none among them.
func ragged(width int, sizes ...int) graph.View {
	r := rng.Stream(5, "sets")
	var of []int32
	for g, n := range sizes {
		for range n {
			of = append(of, int32(g))
		}
	}
	return graph.View{X: random(r, len(of), width), VertexOf: tensor.MustIndex(of, len(sizes))}
}

// own is sample g of v alone, its first row and its end.
func own(v graph.View, g int) (alone graph.View, lo, hi int) {
	first, _ := v.VertexOf.Segments()
	lo, hi = int(first[g]), int(first[g+1])
	return graph.View{X: v.X.Slice(0, lo, hi), VertexOf: tensor.MustIndex(make([]int32, hi-lo), 1)}, lo, hi
}

// Attention among the elements of a set against the form for sets of equal
// size, one sample at a time: nothing leaks between samples, and every pair of a
// sample counts once.
func TestSABSamples(t *testing.T) {
	v := ragged(4, 3, 0, 1, 5)
	for _, config := range []pool.MABConfig{{}, {Heads: 3, LayerNorm: true}, {Heads: 2, Cluster: true}} {
		layer := must(pool.NewSAB(nn.NewInit(3), nn.Dims{In: 4, Out: 6}, config))
		y, pairs := layer.Forward(pass(t, true), v)
		heads := max(config.Heads, 1)
		if !slices.Equal(pairs.Weight.Shape(), []int{9 + 1 + 25, heads}) || pairs.Query.Len() != 35 || pairs.Key.Len() != 35 {
			t.Fatalf("%v weights, %d queries", pairs.Weight.Shape(), pairs.Query.Len())
		}
		pair := 0
		for g := range 4 {
			alone, lo, hi := own(v, g)
			if lo == hi {
				continue
			}
			want, attention := layer.ForwardDense(pass(t, true), alone.X.Reshape(1, hi-lo, 4))
			near(t, "vectors", y.Data()[6*lo:6*hi], want.Data(), 1e-5)
			for range (hi - lo) * (hi - lo) {
				q, k := pairs.Query.IDs()[pair], pairs.Key.IDs()[pair]
				for h := range heads {
					got, w := pairs.Weight.Data()[pair*heads+h], attention[h].Data()[(int(k)-lo)*(hi-lo)+int(q)-lo]
					if math.Abs(float64(got-w)) > 1e-6 {
						t.Fatalf("weight of key %d for query %d, head %d: %v, want %v", k, q, h, got, w)
					}
				}
				pair++
			}
		}
	}
}

// Elements are a set: another order gives the same vectors in that order.
func TestSetEquivariance(t *testing.T) {
	v := ragged(4, 6, 4)
	order := []int32{3, 0, 5, 1, 4, 2, 9, 7, 6, 8}
	moved := v.WithX(tensor.Gather(v.X, tensor.MustIndex(order, 10)))
	sab := must(pool.NewSAB(nn.NewInit(1), nn.Dims{In: 4, Out: 6}, pool.MABConfig{Heads: 2}))
	y, _ := sab.Forward(pass(t, true), v)
	got, _ := sab.Forward(pass(t, true), moved)
	near(t, "moved", got.Data(), tensor.Gather(y, tensor.MustIndex(order, 10)).Data(), 1e-5)
}

func TestForwardVerticesPanics(t *testing.T) {
	v := ragged(4, 2, 2)
	defer func() {
		if _, ok := recover().(*tensor.ShapeError); !ok {
			t.Error("queries of three samples for keys of two: no panic with *tensor.ShapeError")
		}
	}()
	must(pool.NewSAB(nn.NewInit(0), nn.Dims{In: 4, Out: 4}, pool.MABConfig{})).ForwardVertices(pass(t, true), v.X, tensor.MustIndex([]int32{0, 1, 1, 2}, 3), v)
}

// Results are the same to the bit for any number of threads, forward and
// backward, with sets large enough to be split.
func TestSetThreads(t *testing.T) {
	v := ragged(8, slices.Repeat([]int{40, 0, 70}, 12)...)
	in := nn.NewInit(2)
	c := pool.MABConfig{Heads: 2, LayerNorm: true}
	sab := must(pool.NewSAB(in.In("sab"), nn.Dims{In: 8, Out: 16}, c))
	gmt := must(pool.NewGMTPool(in, nn.Dims{In: 8, Out: 16}, pool.GMTPoolConfig{Blocks: []pool.GMTBlock{{Kind: pool.GMPoolI, Seeds: 9}, {Kind: pool.SelfAtt}, {Kind: pool.GMPoolI, Seeds: 1}},
		MAB: pool.MABConfig{Heads: 2, Cluster: true}}))
	for name, run := range map[string]func(p *nn.Pass, v graph.View) *tensor.Tensor{
		"SAB": func(p *nn.Pass, v graph.View) *tensor.Tensor { y, _ := sab.Forward(p, v); return y },
		"GMT": func(p *nn.Pass, v graph.View) *tensor.Tensor { y, _ := gmt.Forward(p, v); return y },
	} {
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2} {
			tape := tensor.NewArena(threads).Tape()
			x := tape.Variable(v.X)
			y := run(&nn.Pass{Tape: tape, Train: true}, v.WithX(x))
			for i, z := range []*tensor.Tensor{y, tape.Grad(y.Square(), x)[0]} {
				if threads == 1 {
					first = append(first, z.Clone())
					continue
				}
				near(t, name, z.Data(), first[i].Data(), 0)
			}
			tape.Close()
		}
	}
}
