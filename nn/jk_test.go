package nn_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseJumpingKnowledge(t *testing.T) {
	for _, c := range golden.Load(t, "layers/jumping_knowledge").Cases {
		t.Run(c.Name, func(t *testing.T) {
			known(t, c.Config, "mode", "layers")
			p := pass(t, true)
			layers := c.Config.Int("layers", 0)
			j := must(nn.NewJumpingKnowledge(nn.NewInit(0), nn.Jump(c.Config.String("mode", "")), 3, layers))
			vars := bind(t, p, c, j.Params())
			xs := []*tensor.Tensor{vars["x0"], vars["x1"], vars["x2"]}[:layers]
			out := map[string]*tensor.Tensor{"out": j.Forward(p, xs...)}
			if w := out["out"].Dim(1); w != j.Width() {
				t.Errorf("width %d, announced %d", w, j.Width())
			}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}

// Rows are joined one by one: the result of a batch is that of its parts, and
// no rows give none.
func TestJumpingKnowledgeRows(t *testing.T) {
	r := rng.Stream(1, "jump")
	xs := []*tensor.Tensor{random(r, 7, 4), random(r, 7, 4), random(r, 7, 4)}
	for _, mode := range []nn.Jump{nn.JumpConcat, nn.JumpMax, nn.JumpLSTM} {
		j := must(nn.NewJumpingKnowledge(nn.NewInit(2), mode, 4, 3))
		all := j.Forward(pass(t, true), xs...)
		for _, cut := range [][2]int{{0, 3}, {3, 7}, {5, 5}} {
			var part []*tensor.Tensor
			for _, x := range xs {
				part = append(part, x.Slice(0, cut[0], cut[1]))
			}
			got := j.Forward(pass(t, true), part...)
			near(t, string(mode), got.Data(), all.Slice(0, cut[0], cut[1]).Data(), 1e-6)
			if got.Dim(0) != cut[1]-cut[0] || got.Dim(1) != j.Width() {
				t.Errorf("%s: shape %v", mode, got.Shape())
			}
		}
	}
}

// Tied maxima share the gradient evenly.
func TestJumpMaxTies(t *testing.T) {
	p := pass(t, true)
	j := must(nn.NewJumpingKnowledge(nn.NewInit(0), nn.JumpMax, 2, 2))
	a := p.Tape.Variable(tensor.FromSlice([]float32{1, 5}, 1, 2))
	b := p.Tape.Variable(tensor.FromSlice([]float32{1, 2}, 1, 2))
	g := gradients(p, j.Forward(p, a, b), tensor.FromSlice([]float32{4, 6}, 1, 2), a, b)
	near(t, "first layer", g[0].Data(), []float32{2, 6}, 0)
	near(t, "second layer", g[1].Data(), []float32{2, 0}, 0)
}

func TestJumpingKnowledgeErrors(t *testing.T) {
	for want, f := range map[string]func() (*nn.JumpingKnowledge, error){
		`nn: jumping knowledge "cat", expected concat, max or lstm`:                     func() (*nn.JumpingKnowledge, error) { return nn.NewJumpingKnowledge(nn.NewInit(0), "cat", 2, 2) },
		"nn: jumping knowledge over 0 layers of width 2, expected at least one of each": func() (*nn.JumpingKnowledge, error) { return nn.NewJumpingKnowledge(nn.NewInit(0), nn.JumpMax, 2, 0) },
		"nn: jumping knowledge over 2 layers of width 0, expected at least one of each": func() (*nn.JumpingKnowledge, error) { return nn.NewJumpingKnowledge(nn.NewInit(0), nn.JumpLSTM, 0, 2) },
	} {
		if j, err := f(); j != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, mode := range []nn.Jump{nn.JumpConcat, nn.JumpMax, nn.JumpLSTM} {
		j := must(nn.NewJumpingKnowledge(nn.NewInit(0), mode, 2, 2))
		for what, xs := range map[string][]*tensor.Tensor{
			"one layer": {tensor.New(3, 2)}, "no layer": nil, "rows": {tensor.New(3, 2), tensor.New(4, 2)},
			"width": {tensor.New(3, 2), tensor.New(3, 3)}, "rank": {tensor.New(2), tensor.New(2)},
		} {
			mustPanic(t, string(mode)+", "+what, func() { j.Forward(pass(t, true), xs...) })
		}
	}
}
