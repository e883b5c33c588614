package task

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Each member of an ensemble has the gradient that it has alone, over the number of
// members, and the run does all that runs do.
func TestEnsembleLearnsByMember(t *testing.T) {
	r := Request{Path: foldSet(t, "SET", 40), Model: "hyperdrop", Fold: 1, Seed: 3, Threads: 1,
		Overrides: Overrides{Epochs: ptr(3), Hidden: ptr(8), Dropout: ptr(0.0), Constant: ptr(true)}}
	gradients := func(s *Session) ([]*tensor.Param, []*tensor.Tensor) {
		b, err := graph.Collate(s.subsets[PartTrain].graphs)
		if err != nil {
			t.Fatal(err)
		}
		p := &nn.Pass{Tape: tensor.NewArena(1).Tape(), Train: true}
		l, weight := s.problem().Loss(p, b)
		if want := float64(len(s.subsets[PartTrain].graphs)); weight != want {
			t.Errorf("a weight of %v, want %v", weight, want)
		}
		params := s.Model.Params()
		wrt := make([]*tensor.Tensor, len(params))
		for i, w := range params {
			wrt[i] = p.Tape.Watch(w)
		}
		return params, p.Tape.Grad(l, wrt...)
	}
	params, want := gradients(mustOpen(t, r))
	r.Overrides.Members = ptr(2)
	_, got := gradients(mustOpen(t, r))
	if len(got) != 2*len(want) {
		t.Fatalf("%d gradients of two members, %d of one", len(got), len(want))
	}
	for i, g := range want {
		for j, x := range g.Data() {
			if d := 2*got[i].Data()[j] - x; d > 1e-6 || d < -1e-6 {
				t.Fatalf("gradient %d of %s is %v, and half of %v alone", j, params[i].Name, got[i].Data()[j], x)
			}
		}
	}

	dir, res := trained(t, r)
	s, err := Load(t.Context(), dir, LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Evaluate(t.Context(), PartTest)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := res.Test.Get("loss")
	if after, _ := again.Scores.Get("loss"); after != before || s.Settings.Model.Members != 2 {
		t.Errorf("loss %v after loading %d members, %v before", after, s.Settings.Model.Members, before)
	}
}
