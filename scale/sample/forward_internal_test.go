package sample

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// gradients returns the loss of a training pass and the gradient of each parameter.
func gradients(problem train.Problem, b *graph.Batch) (loss float64, grads map[string][]float32) {
	p := &nn.Pass{Tape: tensor.NewArena(1).Tape(), Train: true, Rand: rng.Stream(1, "test")}
	l, _ := problem.Loss(p, b)
	grads = map[string][]float32{}
	for _, w := range problem.Model.Params() {
		if at := p.Tape.Watched(w); at != nil {
			grads[w.Name] = append([]float32(nil), p.Tape.Grad(l, at)[0].Data()...)
		}
	}
	return float64(l.Item()), grads
}

// modelFor returns a model for the training graph of an example in memory, and its settings.
func modelFor(t *testing.T, x *example, name string, number bool, dropout float64) (m model.Model, set *settings.Settings, full *graph.Batch) {
	t.Helper()
	in, err := x.set.Input(x.enc, x.split, "train", tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if full, err = graph.Collate([]*graph.Graph{in.Graph}); err != nil {
		t.Fatal(err)
	}
	spec, err := model.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	set = &settings.Settings{Task: "edge-classification", Model: spec.Config()}
	set.Model.Node, set.Model.Edge, set.Model.Out, set.Model.Seed = in.Graph.Node.Width(), in.Graph.Edge.Width(), 2, 5
	if number {
		set.Task, set.Model.Out, set.Target.Units = "edge-regression", 1, []settings.Unit{{Mean: 0.5, Scale: 2}}
	}
	for option, v := range map[string]int{"hidden": 12, "layers": 2} {
		for _, at := range set.Model.At(option) {
			*at.(*int) = v
		}
	}
	for _, at := range set.Model.At("dropout") {
		*at.(*float64) = dropout
	}
	if m, err = spec.New(set.Model); err != nil {
		t.Fatal(err)
	}
	return m, set, full
}

// everyModel runs a test for each model, kind of label and direction.
func everyModel(t *testing.T, f func(t *testing.T, x *example, name string, number bool)) {
	for _, directed := range []bool{false, true} {
		for _, number := range []bool{false, true} {
			for _, name := range visit.Models() {
				t.Run(fmt.Sprintf("%s directed=%v number=%v", name, directed, number), func(t *testing.T) {
					f(t, newExample(t, shape{nodes: 60, edges: 240, directed: directed, number: number, blocks: 70, parts: 5}, 3), name, number)
				})
			}
		}
	}
}

// allOf returns a sampler that reads all neighbours.
func allOf(t *testing.T, x *example, net network, batch int) *sampler {
	all := make([]int, net.layers())
	for l := range all {
		all[l] = -1
	}
	return newSampler(x.index(t), Config{Neighbours: all, Batch: batch, Directed: x.store.Manifest.Directed, Seed: 2})
}

// A batch with all neighbours and all training edges gives the same result as full-batch training,
// including dropout.
func TestAllIsFullTraining(t *testing.T) {
	everyModel(t, func(t *testing.T, x *example, name string, number bool) {
		m, set, full := modelFor(t, x, name, number, 0.2)
		net, err := networkOf(m)
		if err != nil {
			t.Fatal(err)
		}
		h, err := allOf(t, x, net, 1<<20).subgraph(context.Background(), 4)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := task.FindTask(set.Task)
		if err != nil {
			t.Fatal(err)
		}
		want, wantGrads := gradients(kind.Problem(m, set), full)
		got, gotGrads := gradients(kind.Problem(&sampled{network: net, at: h}, set), h.Batch)
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("loss %v, want %v", got, want)
		}
		if len(wantGrads) == 0 || len(wantGrads) != len(gotGrads) {
			t.Fatalf("%d gradients, want %d", len(gotGrads), len(wantGrads))
		}
		for name, w := range wantGrads {
			for i := range w {
				if d := math.Abs(float64(w[i] - gotGrads[name][i])); !(d <= 1e-5*(1+math.Abs(float64(w[i])))) {
					t.Fatalf("gradient of %s[%d]: %v, want %v", name, i, gotGrads[name][i], w[i])
				}
			}
		}
	})
}

// With all neighbours, the predictions for a few seeds equal those in the whole graph.
func TestSeedsWithAllNeighboursAreExact(t *testing.T) {
	everyModel(t, func(t *testing.T, x *example, name string, number bool) {
		m, _, full := modelFor(t, x, name, number, 0)
		net, err := networkOf(m)
		if err != nil {
			t.Fatal(err)
		}
		arena := tensor.NewArena(1)
		want := m.Forward(&nn.Pass{Tape: arena.Tape()}, full).Edge
		s := allOf(t, x, net, 7)
		for step := range 40 {
			seeds, err := s.seeds(step)
			if err != nil {
				t.Fatal(err)
			}
			h, err := s.around(context.Background(), seeds, step)
			if err != nil {
				t.Fatal(err)
			}
			p := &nn.Pass{Tape: arena.Tape()}
			got := net.forward(p, h)
			for i, e := range seeds {
				for k := range got.Dim(1) {
					w := float64(want.Data()[int(e)*got.Dim(1)+k])
					if d := math.Abs(float64(got.Data()[i*got.Dim(1)+k]) - w); !(d <= 1e-5*(1+math.Abs(w))) {
						t.Fatalf("step %d: edge %d is predicted %v, want %v", step, e, got.Data()[i*got.Dim(1)+k], w)
					}
				}
			}
			p.Tape.Close()
		}
	})
}

// Steps with different samples do not take more memory than the first steps.
func TestArenaIsSteady(t *testing.T) {
	for _, name := range visit.Models() {
		x := newExample(t, shape{nodes: 300, edges: 3000, directed: true, blocks: 512, parts: 5}, 3)
		m, set, _ := modelFor(t, x, name, false, 0.1)
		net, err := networkOf(m)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := task.FindTask(set.Task)
		if err != nil {
			t.Fatal(err)
		}
		f := &batchSource{sampled: sampled{network: net}, sampler: newSampler(x.index(t), Config{Neighbours: []int{5, 5}[:net.layers()], Batch: 64, Directed: true, Seed: 1})}
		problem, arena := kind.Problem(f.Model(), set), tensor.NewArena(1)
		var early, late int64
		for step := range 120 {
			b, err := f.Batch(context.Background(), step)
			if err != nil {
				t.Fatal(err)
			}
			p := &nn.Pass{Tape: arena.Tape(), Train: true, Rand: rng.Stream(1, "test", step)}
			l, _ := problem.Loss(p, b)
			var at []*tensor.Tensor
			for _, w := range net.Params() {
				if v := p.Tape.Watched(w); v != nil {
					at = append(at, v)
				}
			}
			p.Tape.Grad(l, at...)
			p.Tape.Close()
			if step < 40 {
				early = max(early, arena.Bytes())
			} else {
				late = max(late, arena.Bytes())
			}
		}
		f.wait()
		if early == 0 || float64(late) > 1.25*float64(early) {
			t.Errorf("%s: %d bytes in the first steps, %d later", name, early, late)
		}
	}
}
