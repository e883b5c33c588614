package sample

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/task"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// gradients are the loss of a pass of training and the gradient of each parameter.
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

// All neighbours and all training edges in one batch are full training, dropout included.
func TestAllIsFullTraining(t *testing.T) {
	for _, directed := range []bool{false, true} {
		for _, number := range []bool{false, true} {
			for _, name := range []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
				t.Run(fmt.Sprintf("%s directed=%v number=%v", name, directed, number), func(t *testing.T) {
					x := newExample(t, shape{nodes: 60, edges: 240, directed: directed, number: number, blocks: 70, parts: 5}, 3)
					in, err := x.set.Input(x.enc, x.split, "train", tables.InputOptions{})
					if err != nil {
						t.Fatal(err)
					}
					full, err := graph.Collate([]*graph.Graph{in.Graph})
					if err != nil {
						t.Fatal(err)
					}
					set := task.Settings{Task: "edge-classification"}
					spec, err := model.Find(name)
					if err != nil {
						t.Fatal(err)
					}
					set.Model = spec.Config()
					set.Model.Node, set.Model.Edge, set.Model.Out, set.Model.Seed = in.Graph.Node.Width(), in.Graph.Edge.Width(), 2, 5
					if number {
						set.Task, set.Model.Out, set.Target.Units = "edge-regression", 1, []task.Unit{{Mean: 0.5, Scale: 2}}
					}
					for option, v := range map[string]int{"hidden": 12, "layers": 2} {
						for _, at := range set.Model.At(option) {
							*at.(*int) = v
						}
					}
					for _, at := range set.Model.At("dropout") {
						*at.(*float64) = 0.2
					}
					m, err := spec.New(set.Model)
					if err != nil {
						t.Fatal(err)
					}
					kind, err := task.FindTask(set.Task)
					if err != nil {
						t.Fatal(err)
					}
					net, err := networkOf(m)
					if err != nil {
						t.Fatal(err)
					}
					all := make([]int, net.layers())
					for l := range all {
						all[l] = -1
					}
					h, err := newSampler(x.index(t), Config{Neighbours: all, Batch: 1 << 20, Directed: directed}).hood(context.Background(), 4)
					if err != nil {
						t.Fatal(err)
					}
					want, wantGrads := gradients(kind.Problem(m, &set), full)
					got, gotGrads := gradients(kind.Problem(&sampled{network: net, at: h}, &set), h.Batch)
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
		}
	}
}
