package pool_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// keys builds the maps of keys and values a case names.
var keys = map[string]func(in nn.Init, d nn.ConvDims) (nn.Conv, error){
	"": nil, "GCN": must(nn.FindConv("gcn")).New, "Hyper": must(nn.FindConv("hyper")).New,
}

// caseView is the flat vertices x with the structure that keys need.
func caseView(t *testing.T, c golden.Case, x *tensor.Tensor) graph.View {
	t.Helper()
	if !c.Has("batch") { // dense keys [samples,k,dim], no mask
		samples, k := x.Dim(0), x.Dim(1)
		of := make([]int32, samples*k)
		for i := range of {
			of[i] = int32(i / k)
		}
		return graph.View{X: x.Reshape(samples*k, -1), VertexOf: tensor.MustIndex(of, samples)}
	}
	batch := c.IDs("batch")
	v := graph.View{X: x, VertexOf: tensor.MustIndex(batch, int(batch[len(batch)-1])+1)}
	first, second := c.Pair("index")
	switch c.Config.String("conv", "") {
	case "GCN":
		var ends []int32
		for e := range first {
			ends = append(ends, first[e], second[e])
		}
		v.H = must(graph.NewPairs(x.Dim(0), ends, true))
	case "Hyper":
		v.H = must(graph.NewIncidence(x.Dim(0), int(slices.Max(second))+1, first, second))
	}
	return v
}

func caseConfig(t *testing.T, c golden.Case) pool.MABConfig {
	t.Helper()
	c.Config.Only(t, "heads", "ln", "cluster", "conv", "seeds")
	build, ok := keys[c.Config.String("conv", "")]
	if !ok {
		t.Fatalf("keys %q are not handled", c.Config.String("conv", ""))
	}
	return pool.MABConfig{Heads: c.Config.Int("heads", 1), LayerNorm: c.Config.Bool("ln", false),
		Cluster: c.Config.Bool("cluster", false), Keys: build,
		// In float32 the reference's padded keys take part in the cluster softmax.
		ReferencePadding: c.ComputedIn == "float32"}
}

// dense is the attention as the reference keeps it, [heads·samples,queries,k]
// head by head, zeros at padded vertices.
func dense(a pool.Attention, of *tensor.Index) *tensor.Tensor {
	longest := int(slices.Max(of.Counts()))
	ptr, _ := of.Segments()
	n, queries := of.Len(), a[0].Dim(1)
	ids := make([]int32, 0, of.Slots()*longest)
	for s := range of.Slots() {
		for k := range longest {
			if at := int(ptr[s]) + k; at < int(ptr[s+1]) {
				ids = append(ids, int32(at))
			} else {
				ids = append(ids, int32(n)) // a row of zeros
			}
		}
	}
	heads := make([]*tensor.Tensor, len(a))
	for h, w := range a {
		padded := tensor.Gather(tensor.Concat(0, w, tensor.New(1, queries)), tensor.MustIndex(ids, n+1))
		heads[h] = padded.Reshape(of.Slots(), longest, queries).Permute(0, 2, 1)
	}
	return tensor.Concat(0, heads...)
}

func checkAttention(t *testing.T, p *nn.Pass, c golden.Case, vars map[string]*tensor.Tensor, y *tensor.Tensor, a pool.Attention, of *tensor.Index) {
	t.Helper()
	tol := 1e-5
	if c.ComputedIn == "float32" {
		tol = 1e-4
	}
	out := map[string]*tensor.Tensor{"out": y}
	if c.Has("outputs.attention") {
		out["attention"] = dense(a, of)
	}
	golden.CheckOutputs(t, c, out, tol)
	golden.CheckGrads(t, p.Tape, c, out, vars, tol)
}

func TestCaseMAB(t *testing.T) {
	for _, file := range []string{"layers/mab_linear", "layers/mab_graph"} {
		for _, c := range golden.Load(t, file).Cases {
			t.Run(c.Name, func(t *testing.T) {
				p := pass(t, true)
				layer := must(pool.NewMAB(nn.NewInit(0), pool.MABDims{Query: 4, Key: 4, Out: 4}, caseConfig(t, c)))
				vars := c.Bind(t, p.Tape, layer.Params())
				x := vars["x"]
				if x == nil {
					x = vars["k"]
				}
				v := caseView(t, c, x)
				y, a := layer.Forward(p, vars["q"], v)
				checkAttention(t, p, c, vars, y, a, v.VertexOf)
			})
		}
	}
}

func TestCaseGMPool(t *testing.T) {
	for _, c := range golden.Load(t, "layers/gmpool").Cases {
		t.Run(c.Name, func(t *testing.T) {
			p := pass(t, true)
			layer := must(pool.NewGMPool(nn.NewInit(0), pool.GMPoolDims{Dim: 4, Seeds: c.Config.Int("seeds", 0)}, caseConfig(t, c)))
			vars := c.Bind(t, p.Tape, layer.Params())
			v := caseView(t, c, vars["x"])
			y, a := layer.Forward(p, v)
			checkAttention(t, p, c, vars, y, a, v.VertexOf)
		})
	}
}

// written is a convolution whose keys and values are made.
type written struct{ nn.Conv }

// factored counts how often one is not.
type factored struct {
	nn.Factored
	times *int
}

func (f factored) Factors(p *nn.Pass, v graph.View) (w, b *tensor.Tensor, mix func(*tensor.Tensor) *tensor.Tensor) {
	*f.times++
	return f.Factored.Factors(p, v)
}

// Results are the same whether or not keys and values are computed: forward and
// backward, for every kind of keys, with edge weights, several heads and queries that
// samples do not share.
func TestFactoredKeys(t *testing.T) {
	const dimIn, dim, queries = 7, 12, 2
	for kind, build := range map[string]func(in nn.Init, d nn.ConvDims) (nn.Conv, error){
		"Linear": must(nn.FindConv("pointwise")).New, "GCN": keys["GCN"], "Hyper": keys["Hyper"],
		"no bias": func(in nn.Init, d nn.ConvDims) (nn.Conv, error) {
			return nn.NewGCN(in, d, nn.GCNConfig{NoBias: true}), nil
		},
	} {
		for trial := range 16 {
			r := rng.Stream(uint64(trial), kind)
			var gs []*graph.Graph
			for range 1 + trial%5 {
				gs = append(gs, multigraph(r, 9+r.IntN(30), 40+r.IntN(50), 3, trial%2 == 0))
			}
			v := must(graph.Collate(gs)).View
			if trial%3 == 0 {
				v.W = random(r, v.H.NumEdges()).Square()
			}
			if kind == "Hyper" {
				v = v.Dual().WithW(nil)
				if trial%3 == 0 {
					v.W = random(r, v.H.NumEdges()).Square()
				}
			}
			x := random(r, v.H.NumVertices(), dimIn)
			shared := trial%4 != 3
			q := random(r, len(gs), queries, dim)
			if shared {
				q = random(r, 1, queries, dim)
			}
			up := random(r, len(gs), queries, dim)
			times := 0
			measure := func(wrap func(nn.Conv) nn.Conv) []*tensor.Tensor {
				p := pass(t, true)
				layer := must(pool.NewMAB(nn.NewInit(3), pool.MABDims{Query: dim, Key: dimIn, Out: dim}, pool.MABConfig{Heads: 1 + trial/2%2*2, Cluster: trial%2 == 0,
					Keys: func(in nn.Init, d nn.ConvDims) (nn.Conv, error) { return wrap(must(build(in, d))), nil }}))
				for _, w := range layer.Params() { // biases begin at 0
					if w.Value.Rank() == 1 {
						copy(w.Value.Data(), random(rng.Stream(9, w.Name), dim).Data())
					}
				}
				wrt := []*tensor.Tensor{p.Tape.Variable(x), p.Tape.Variable(q)}
				y, a := layer.Forward(p, wrt[1], v.WithX(wrt[0]))
				for _, w := range layer.Params() {
					wrt = append(wrt, p.Var(w))
				}
				out := append([]*tensor.Tensor{y}, a...)
				return append(out, p.Tape.Grad(y.Mul(up).Sum(), wrt...)...)
			}
			want := measure(func(c nn.Conv) nn.Conv { return written{c} })
			got := measure(func(c nn.Conv) nn.Conv { return factored{c.(nn.Factored), &times} })
			for i := range want {
				scale := float32(1)
				for _, w := range want[i].Data() {
					scale = max(scale, w, -w)
				}
				near(t, fmt.Sprintf("%s, trial %d, result %d", kind, trial, i), got[i].MulScalar(1/scale).Data(), want[i].MulScalar(1/scale).Data(), 3e-5)
			}
			wantTimes := 2
			if !shared && len(gs) > 1 {
				wantTimes = 1 // the values alone
			}
			if times != wantTimes {
				t.Errorf("%s, trial %d: %d of keys and values are not made, want %d", kind, trial, times, wantTimes)
			}
		}
	}
}
