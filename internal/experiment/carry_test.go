package experiment

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// oneParam is a model without layers.
type oneParam struct{ w *tensor.Param }

func (m oneParam) Params() []*tensor.Param { return []*tensor.Param{m.w} }

// Carried gradients are clip(old + new). The test computes them for plain gradient descent.
func TestCarryGradients(t *testing.T) {
	w := &tensor.Param{Name: "w", Value: tensor.FromSlice([]float32{1, -2}, 2)}
	problem := train.Problem{Model: oneParam{w}, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		return p.Var(w).Square().Sum(), 1
	}}
	cfg := train.Config{Epochs: 5, LR: 0.1, ClipNorm: 3, Optimizer: optim.Config{Name: "sgd"}, Threads: 1}
	want, carried := []float64{1, -2}, []float64{0, 0}
	if _, err := train.Fit(context.Background(), problem, []*graph.Graph{{NumNodes: 1, Node: graph.Ones(1)}}, nil, cfg, train.Options{Gradients: newCarriedGradients, OnStep: func(s train.StepInfo) {
		for i := range want {
			carried[i] += 2 * want[i]
		}
		norm := math.Hypot(carried[0], carried[1])
		factor := min(1, 3/(norm+1e-6))
		for i := range want {
			carried[i] *= factor
			want[i] -= 0.1 * carried[i]
		}
		if math.Abs(s.GradNorm-norm) > 1e-5 {
			t.Errorf("step %d: norm %v, want %v", s.Step, s.GradNorm, norm)
		}
		for i, v := range w.Value.Data() {
			if math.Abs(float64(v)-want[i]) > 1e-5 {
				t.Errorf("step %d: w[%d] is %v, want %v", s.Step, i, v, want[i])
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
}

// Carried gradients are part of the checkpoint: a run that was interrupted and resumed ends with
// the same weights.
func TestCarryGradientsResume(t *testing.T) {
	run := func(dir string, steps int, resume bool) *tensor.Param {
		t.Helper()
		w := &tensor.Param{Name: "w", Value: tensor.FromSlice([]float32{1, -2, 0.3}, 3)}
		problem := train.Problem{Model: oneParam{w}, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			return p.Var(w).Square().Sum(), 1
		}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := train.Fit(ctx, problem, []*graph.Graph{{NumNodes: 1, Node: graph.Ones(1)}}, nil,
			train.Config{Epochs: 9, LR: 0.05, ClipNorm: 1, Threads: 1},
			train.Options{Gradients: newCarriedGradients, Checkpoint: &train.Checkpoint{Dir: dir, Resume: resume},
				OnStep: func(s train.StepInfo) {
					if s.Step == steps {
						cancel()
					}
				}})
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		return w
	}
	want := run(t.TempDir(), 0, false).Value.Data()
	dir := t.TempDir()
	run(dir, 4, false)
	if f, err := os.ReadFile(filepath.Join(dir, "checkpoint.safetensors")); err != nil || !bytes.Contains(f, []byte("gradients.w")) {
		t.Fatalf("no carried gradients in the checkpoint, error %v", err)
	}
	got := run(dir, 0, true).Value.Data()
	for i, v := range got {
		if v != want[i] {
			t.Errorf("w[%d] is %v, want %v", i, v, want[i])
		}
	}
}
