package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseReadout(t *testing.T) {
	names := map[string]string{"add": "sum", "mean": "mean", "max": "max"}
	for _, c := range golden.Load(t, "layers/readout").Cases {
		t.Run(c.Name, func(t *testing.T) {
			known(t, c.Config, "pool", "num_graphs")
			p := pass(t, true)
			vars := bind(t, p, c, nil)
			readout := must(pool.NewReadout(names[c.Config.String("pool", "")]))
			of := tensor.MustIndex(c.IDs("batch"), c.Config.Int("num_graphs", 0))
			out := map[string]*tensor.Tensor{"out": readout(vars["x"], of)}
			golden.CheckOutputs(t, c, out, 1e-6)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-6)
		})
	}
}

func TestMaxMeanSum(t *testing.T) {
	p := pass(t, true)
	x := p.Tape.Variable(random(rng.Stream(1, "readout"), 5, 2))
	of := tensor.MustIndex([]int32{0, 0, 2, 2, 2}, 4)
	got := must(pool.NewReadout("max-mean-sum"))(x, of)
	if !slices.Equal(got.Shape(), []int{4, 6}) {
		t.Fatalf("shape %v", got.Shape())
	}
	for i, name := range []string{"max", "mean", "sum"} {
		part, one := got.Slice(1, 2*i, 2*i+2), must(pool.NewReadout(name))(x, of)
		near(t, name, part.Data(), one.Data(), 1e-6)
		up := random(rng.Stream(2, name), 4, 2)
		near(t, "gradient of "+name, p.Tape.Grad(part.Mul(up), x)[0].Data(), p.Tape.Grad(one.Mul(up), x)[0].Data(), 1e-6)
	}
	if r, err := pool.NewReadout("median"); r != nil || err == nil ||
		err.Error() != `pool: readout "median", expected sum, mean, max or max-mean-sum` {
		t.Errorf("error %v", err)
	}
}
