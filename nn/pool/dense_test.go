package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseDenseGCN(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/dense_gcn_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t)
			p := pass(t, true)
			w := c.Value("params.lin.weight").Shape
			layer := pool.NewDenseGCN(nn.NewInit(0), nn.Dims{In: w[1], Out: w[0]})
			vars := c.Bind(t, p.Tape, layer.Params())
			out := map[string]*tensor.Tensor{"out": layer.Forward(p, pool.Dense{X: vars["x"], A: vars["adj"]})}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}

// On graphs without self-loops DenseGCN is GCN.
func TestDenseGCNIsGCN(t *testing.T) {
	r := rng.Stream(2, "dense")
	d := padding{samples: 2, n: 5, real: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, of: []int32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}}
	adj := tensor.New(2, 5, 5)
	for s := range 2 {
		for i := range 5 {
			for j := range i {
				if w := float32(r.IntN(3)); w > 0 {
					adj.Data()[25*s+5*i+j], adj.Data()[25*s+5*j+i] = w, w
				}
			}
		}
	}
	x := random(r, 2, 5, 3)
	v, _ := d.view(x, adj, false, func(w float32) bool { return w != 0 })
	want := nn.NewGCN(nn.NewInit(4), nn.ConvDims{In: 3, Out: 2}, nn.GCNConfig{}).Forward(pass(t, true), v)
	got := pool.NewDenseGCN(nn.NewInit(4), nn.Dims{In: 3, Out: 2}).Forward(pass(t, true), pool.Dense{X: x, A: adj})
	near(t, "GCN", got.Data(), want.Data(), 1e-5)
}

func TestDense(t *testing.T) {
	d := pool.Dense{X: tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2), A: tensor.New(2, 2, 2)}
	mean := d.Mean()
	near(t, "mean", mean.Data(), []float32{2, 3, 6, 7}, 0)
	if !slices.Equal(mean.Shape(), []int{2, 2}) {
		t.Errorf("shape %v", mean.Shape())
	}
	in := nn.NewInit(0)
	for name, bad := range map[string]pool.Dense{
		"two ranks":     {X: tensor.New(2, 3), A: tensor.New(2, 3, 3)},
		"other samples": {X: tensor.New(2, 3, 2), A: tensor.New(1, 3, 3)},
		"other nodes":   {X: tensor.New(2, 3, 2), A: tensor.New(2, 4, 4)},
		"not square":    {X: tensor.New(2, 3, 2), A: tensor.New(2, 3, 4)},
	} {
		for layer, f := range map[string]func(){
			"DenseGCN": func() { pool.NewDenseGCN(in, nn.Dims{In: 2, Out: 2}).Forward(pass(t, true), bad) },
			"MinCutPool": func() {
				pool.NewMinCutPool(in, pool.MinCutDims{Dim: 2, Clusters: 2}, pool.MinCutConfig{}).ForwardDense(pass(t, true), bad)
			},
			"DiffPool": func() {
				pool.DiffPoolConfig{}.CoarsenDense(pass(t, true), bad, tensor.New(2, 3, 2))
			},
		} {
			mustPanic(t, layer+", "+name, layer, f)
		}
	}
}

// mustPanic runs f and reports whether it panicked with a *tensor.ShapeError
// that names the layer.
func mustPanic(t *testing.T, what, layer string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if e, ok := recover().(*tensor.ShapeError); !ok || e.Op != layer {
			t.Errorf("%s: panic %v, want a *tensor.ShapeError of %s", what, e, layer)
		}
	}()
	f()
}
