package pool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseReadout(t *testing.T) {
	names := map[string]string{"add": "sum", "mean": "mean", "max": "max"}
	for _, c := range golden.Load(t, "layers/readout").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "pool", "num_graphs")
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, nil)
			readout := must(pool.NewReadout(nn.NewInit(0), names[c.Config.String("pool", "")], vars["x"].Dim(1)))
			of := tensor.MustIndex(c.IDs("batch"), c.Config.Int("num_graphs", 0))
			out := map[string]*tensor.Tensor{"out": readout.Forward(p, vars["x"], of)}
			golden.CheckOutputs(t, c, out, 1e-6)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-6)
		})
	}
}

func TestMaxMeanSum(t *testing.T) {
	p := pass(t, true)
	x := p.Tape.Variable(random(rng.Stream(1, "readout"), 5, 2))
	of := tensor.MustIndex([]int32{0, 0, 2, 2, 2}, 4)
	got := pool.MaxMeanSum(x, of)
	if !slices.Equal(got.Shape(), []int{4, 6}) {
		t.Fatalf("shape %v", got.Shape())
	}
	for i, name := range []string{"max", "mean", "sum"} {
		part, one := got.Slice(1, 2*i, 2*i+2), must(pool.NewReadout(nn.NewInit(0), name, 2)).Forward(p, x, of)
		near(t, name, part.Data(), one.Data(), 1e-6)
		up := random(rng.Stream(2, name), 4, 2)
		near(t, "gradient of "+name, p.Tape.Grad(part.Mul(up), x)[0].Data(), p.Tape.Grad(one.Mul(up), x)[0].Data(), 1e-6)
	}
}

// Every registered readout returns a row of its width for each sample, empty ones
// included, and no gradient of its parameters is NaN.
func TestReadouts(t *testing.T) {
	v := ragged(4, 3, 0, 2)
	for _, spec := range pool.Readouts() {
		r := must(pool.NewReadout(nn.NewInit(1).In("readout"), spec.Name, 4))
		p := pass(t, true)
		y := r.Forward(p, v.X, v.VertexOf)
		if !slices.Equal(y.Shape(), []int{3, r.Width()}) {
			t.Errorf("%s: shape %v, width %d", spec.Name, y.Shape(), r.Width())
		}
		for _, w := range r.Params() {
			g := p.Tape.Grad(y.Square(), p.Var(w))[0]
			if !strings.HasPrefix(w.Name, "readout.") || slices.ContainsFunc(g.Data(), func(x float32) bool { return x != x }) {
				t.Errorf("%s: gradient of %s: %v", spec.Name, w.Name, g)
			}
		}
	}
	r, err := pool.NewReadout(nn.NewInit(0), "median", 4)
	if want := `pool: unknown readout "median", expected one of: sum, mean, max, max-mean-sum, set2set, attention, deepset`; r != nil || err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
