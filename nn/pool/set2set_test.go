package pool_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseSet2Set(t *testing.T) {
	seen := 0
	for _, c := range golden.Load(t, "layers/norms_recurrent").Cases {
		if !strings.HasPrefix(c.Name, "set2set/") {
			continue
		}
		seen++
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "steps", "num_graphs")
			p := pass(t, true)
			layer := pool.NewSet2Set(nn.NewInit(0), 3, pool.Set2SetConfig{Steps: c.Config.Int("steps", 0)})
			vars := c.Bind(t, p.Tape, layer.Params())
			of := tensor.MustIndex(c.IDs("batch"), c.Config.Int("num_graphs", 0))
			out := map[string]*tensor.Tensor{"out": layer.Forward(p, vars["x"], of)}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
	if seen != 2 {
		t.Errorf("%d cases, want 2", seen)
	}
}

func TestCaseAttentionReadout(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/attention_readout").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "out")
			p := pass(t, true)
			layer := pool.NewAttentionReadout(nn.NewInit(0), nn.Dims{In: 3, Out: c.Config.Int("out", 0)})
			vars := c.Bind(t, p.Tape, layer.Params())
			y, weight := layer.ForwardAttention(p, vars["x"], tensor.MustIndex(c.IDs("batch"), 4))
			out := map[string]*tensor.Tensor{"out": y}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
			near(t, "weights", tensor.SegmentSum(weight, tensor.MustIndex(c.IDs("batch"), 4)).Data(), []float32{1, 0, 1, 1}, 1e-6)
		})
	}
}

// learned lists the readouts with parameters, all for vertices of width 4.
func learned() map[string]pool.Readout {
	in := nn.NewInit(6)
	return map[string]pool.Readout{
		"LSTM":      pool.NewSet2Set(in, 4, pool.Set2SetConfig{Steps: 3}),
		"GRU":       pool.NewSet2Set(in, 4, pool.Set2SetConfig{Steps: 3, GRU: true}),
		"attention": pool.NewAttentionReadout(in, nn.Dims{In: 4, Out: 3}),
		"deepset":   pool.NewDeepSet(in, pool.DeepSetDims{In: 4, Hidden: 5, Out: 3}),
	}
}

// A sample reads out the same alone, in a batch, and in any order of its
// vertices.
func TestLearnedReadouts(t *testing.T) {
	v := ragged(4, 3, 0, 1, 5)
	order := []int32{2, 0, 1, 3, 8, 4, 6, 5, 7}
	for name, read := range learned() {
		y := read.Forward(pass(t, true), v.X, v.VertexOf)
		d := y.Dim(1)
		moved := tensor.Gather(v.X, tensor.MustIndex(order, 9))
		near(t, name+": order", read.Forward(pass(t, true), moved, v.VertexOf).Data(), y.Data(), 1e-5)
		for g := range 4 {
			alone, _, _ := own(v, g)
			near(t, name+": alone", read.Forward(pass(t, true), alone.X, alone.VertexOf).Data(), y.Data()[d*g:d*g+d], 1e-5)
		}
	}
}

// With a GRU every step is q = GRU(q*, q), then one round of attention.
func TestSet2SetGRU(t *testing.T) {
	v := ragged(3, 2, 4)
	layer := pool.NewSet2Set(nn.NewInit(1), 3, pool.Set2SetConfig{Steps: 2, GRU: true})
	if names := layer.Params()[0].Name; layer.LSTM != nil || names != "gru.weight_ih_l0" {
		t.Fatalf("first parameter %s", names)
	}
	cell := nn.NewGRUCell(nn.NewInit(1).In("gru"), nn.Dims{In: 6, Out: 3}, nn.RecurrentConfig{Suffix: "_l0"})
	p := pass(t, true)
	star, q := tensor.New(2, 6), tensor.New(2, 3)
	for range 2 {
		q = cell.Forward(p, star, q)
		score := v.X.Mul(tensor.Gather(q, v.VertexOf)).SumAxis(1)
		r := tensor.SegmentSum(v.X.Mul(tensor.SegmentSoftmax(score, v.VertexOf)), v.VertexOf)
		star = tensor.Concat(1, q, r)
	}
	near(t, "two steps", layer.Forward(pass(t, true), v.X, v.VertexOf).Data(), star.Data(), 1e-5)
	if one := pool.NewSet2Set(nn.NewInit(1), 3, pool.Set2SetConfig{}); one.Steps != 1 {
		t.Errorf("%d steps by default", one.Steps)
	}
}

// Results are the same to the bit for any number of threads, forward and
// backward, with enough vertices to be split.
func TestLearnedReadoutThreads(t *testing.T) {
	r := rng.Stream(9, "threads")
	x, of := random(r, 40000, 4), make([]int32, 40000)
	for i := range of {
		of[i] = int32(i / 37)
	}
	index := tensor.MustIndex(of, 1100)
	for name, read := range learned() {
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2} {
			tape := tensor.NewArena(threads).Tape()
			p := &nn.Pass{Tape: tape, Train: true}
			in := tape.Variable(x)
			y := read.Forward(p, in, index)
			got := []*tensor.Tensor{y, tape.Grad(y.Square(), in)[0]}
			for i, z := range got {
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
