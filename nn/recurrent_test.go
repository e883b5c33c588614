package nn_test

import (
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseRecurrent(t *testing.T) {
	seen := 0
	for _, c := range golden.Load(t, "layers/norms_recurrent").Cases {
		if c.Name != "gru_cell" && c.Name != "lstm_cell" {
			continue
		}
		seen++
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t)
			p := pass(t, true)
			in, dim := c.Value("x").Shape[1], c.Value("h").Shape[1]
			out := map[string]*tensor.Tensor{}
			var vars map[string]*tensor.Tensor
			if c.Name == "gru_cell" {
				cell := nn.NewGRUCell(nn.NewInit(0), nn.Dims{In: in, Out: dim}, nn.RecurrentConfig{})
				vars = c.Bind(t, p.Tape, cell.Params())
				out["out"] = cell.Forward(p, vars["x"], vars["h"])
			} else {
				cell := nn.NewLSTMCell(nn.NewInit(0), nn.Dims{In: in, Out: dim}, nn.RecurrentConfig{})
				vars = c.Bind(t, p.Tape, cell.Params())
				out["h"], out["c"] = cell.Forward(p, vars["x"], vars["h"], vars["c"])
			}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
	if seen != 2 {
		t.Errorf("%d cases, want 2", seen)
	}
}

// Parameters start uniform in ±1/sqrt(dim), each from its own stream, and carry
// the suffix of the module they belong to.
func TestRecurrentInit(t *testing.T) {
	cell := nn.NewLSTMCell(nn.NewInit(1).In("lstm"), nn.Dims{In: 5, Out: 16}, nn.RecurrentConfig{Suffix: "_l0_reverse"})
	var names []string
	for _, w := range cell.Params() {
		names = append(names, w.Name)
		largest := 0.0
		for _, v := range w.Value.Data() {
			largest = max(largest, math.Abs(float64(v)))
		}
		if largest > 0.25 || largest < 0.2 {
			t.Errorf("%s goes up to %v, want almost 1/4", w.Name, largest)
		}
	}
	if got := strings.Join(names, " "); got != "lstm.weight_ih_l0_reverse lstm.weight_hh_l0_reverse lstm.bias_ih_l0_reverse lstm.bias_hh_l0_reverse" {
		t.Errorf("names %s", got)
	}
	if cell.Dim() != 16 {
		t.Errorf("width %d", cell.Dim())
	}
}

// With saturated gates the equations give the old state, or the new one alone.
func TestRecurrentSaturated(t *testing.T) {
	r := rng.Stream(1, "recurrent")
	x, h, c := random(r, 3, 2), random(r, 3, 4), random(r, 3, 4)
	p := pass(t, true)
	gru := nn.NewGRUCell(nn.NewInit(1), nn.Dims{In: 2, Out: 4}, nn.RecurrentConfig{})
	copy(gru.BiasIH.Value.Data()[4:8], []float32{50, 50, 50, 50}) // z
	near(t, "GRU keeps", gru.Forward(p, x, h).Data(), h.Data(), 1e-6)
	lstm := nn.NewLSTMCell(nn.NewInit(1), nn.Dims{In: 2, Out: 4}, nn.RecurrentConfig{})
	for i := range 4 {
		lstm.BiasIH.Value.Data()[i] = -50   // i
		lstm.BiasIH.Value.Data()[4+i] = 50  // f
		lstm.BiasIH.Value.Data()[12+i] = 50 // o
	}
	nextH, nextC := lstm.Forward(pass(t, true), x, h, c)
	near(t, "LSTM keeps", nextC.Data(), c.Data(), 1e-6)
	near(t, "LSTM shows", nextH.Data(), c.Tanh().Data(), 1e-6)
	near(t, "no rows", gru.Forward(pass(t, true), tensor.New(0, 2), tensor.New(0, 4)).Data(), nil, 0)
}
