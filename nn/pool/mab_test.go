package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// keys builds the maps of keys and values a case names.
var keys = map[string]func(in nn.Init, dimIn, dimOut int) nn.Conv{
	"":    nil,
	"GCN": func(in nn.Init, i, o int) nn.Conv { return nn.NewGCN(in, i, o, nn.GCNConfig{}) },
	"Hyper": func(in nn.Init, i, o int) nn.Conv {
		return nn.NewHyperConv(in, i, o, nn.HyperConvConfig{})
	},
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
	known(t, c.Config, "heads", "ln", "cluster", "conv", "seeds")
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
				layer := pool.NewMAB(nn.NewInit(0), 4, 4, 4, caseConfig(t, c))
				vars := bind(t, p, c, layer.Params())
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
			layer := pool.NewGMPool(nn.NewInit(0), c.Config.Int("seeds", 0), 4, caseConfig(t, c))
			vars := bind(t, p, c, layer.Params())
			v := caseView(t, c, vars["x"])
			y, a := layer.Forward(p, v)
			checkAttention(t, p, c, vars, y, a, v.VertexOf)
		})
	}
}
