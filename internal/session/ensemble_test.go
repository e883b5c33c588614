package session

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Each member of an ensemble has the gradient that it has when trained alone. The run supports
// everything that other runs do.
func TestEnsembleLearnsByMember(t *testing.T) {
	r := Request{Path: foldSet(t, "SET", 40), Model: "hyperdrop", Seed: 3, Threads: 1,
		Given: settings.Values{"fold": 1, "epochs": 3, "hidden": 8, "dropout": 0.0, "constant-lr": true}}
	gradients := func(s *Session) (float64, []*tensor.Param, []*tensor.Tensor) {
		b, err := graph.Collate(s.Graphs(source.PartTrain))
		if err != nil {
			t.Fatal(err)
		}
		p := &nn.Pass{Tape: tensor.NewArena(1).Tape(), Train: true}
		l, weight := s.problem().Loss(p, b)
		if want := float64(len(s.Graphs(source.PartTrain))); weight != want {
			t.Errorf("a weight of %v, want %v", weight, want)
		}
		params := s.Model.Params()
		wrt := make([]*tensor.Tensor, len(params))
		for i, w := range params {
			wrt[i] = p.Tape.Watch(w)
		}
		return float64(l.Item()), params, p.Tape.Grad(l, wrt...)
	}
	alone := mustOpen(t, r)
	first, params, want := gradients(alone)
	r.Given = r.Given.Over(settings.Values{"members": 2})
	both := mustOpen(t, r)
	mean, _, got := gradients(both)
	alone.Model = both.Model.(*model.Ensemble).Members[1]
	second, _, _ := gradients(alone)
	if math.Abs(mean-(first+second)/2) > 1e-6 {
		t.Errorf("a loss of %v for members with %v and %v", mean, first, second)
	}
	if one, two := alone.Config().ClipNorm, both.Config().ClipNorm; one != 1 || two != math.Sqrt2 {
		t.Errorf("gradients are bound by %v and %v", one, two)
	}
	if len(got) != 2*len(want) {
		t.Fatalf("%d gradients of two members, %d of one", len(got), len(want))
	}
	for i, g := range want {
		for j, x := range g.Data() {
			if got[i].Data()[j] != x {
				t.Fatalf("gradient %d of %s is %v, and %v alone", j, params[i].Name, got[i].Data()[j], x)
			}
		}
	}

	dir, res := trained(t, r)
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Evaluate(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := res.Test.Get("loss")
	if after, _ := again.Scores.Get("loss"); after != before || s.Settings.Model.Members != 2 {
		t.Errorf("loss %v after loading %d members, %v before", after, s.Settings.Model.Members, before)
	}
}
