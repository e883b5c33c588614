package train_test

import (
	"context"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/train"
)

// A run with an average takes the steps of one without; the average is what validation sees
// and what the best epoch leaves, with the statistics that batch norm has at that moment.
func TestAverage(t *testing.T) {
	const decay = 0.7 // above what the first steps have: 12/17 from step 12 on
	values := func(m nn.Module) (out [][]float32) {
		for _, p := range m.Params() {
			out = append(out, slices.Clone(p.Value.Data()))
		}
		return out
	}
	run := func(average float64, onStep func(nn.Module), scored func(nn.Module)) ([][]float32, *train.Result) {
		m := newClassifier(1, 4)
		problem := m.problem(t)
		score := problem.Score
		problem.Score = func() train.Scorer { scored(m); return score() }
		cfg := basic()
		cfg.Average = average
		res, err := train.Fit(context.Background(), problem, samples(1, 30), samples(2, 13), cfg,
			train.Options{OnStep: func(train.StepInfo) { onStep(m) }})
		if err != nil {
			t.Fatal(err)
		}
		return values(m), res
	}

	var steps [][][]float32
	run(0, func(m nn.Module) { steps = append(steps, values(m)) }, func(nn.Module) {})

	start := newClassifier(1, 4)
	mean, step := values(start), 0
	var atEpochs [][][]float32
	last, res := run(decay, func(m nn.Module) {
		now := values(m)
		same(t, "weights of a step", now, steps[step])
		step++
		share := float32(1 - min(decay, float64(step)/float64(step+5)))
		for i, p := range start.Params() {
			for k, v := range now[i] {
				if p.Buffer {
					mean[i][k] = v
				} else {
					mean[i][k] += share * (v - mean[i][k])
				}
			}
		}
	}, func(m nn.Module) {
		same(t, "weights that are validated", values(m), mean)
		atEpochs = append(atEpochs, values(m))
	})
	if step != len(steps) || len(atEpochs) != len(res.History) || res.BestEpoch == 0 {
		t.Fatalf("%d steps of %d, %d epochs of %d, best %d", step, len(steps), len(atEpochs), len(res.History), res.BestEpoch)
	}
	same(t, "weights at the end", last, atEpochs[res.BestEpoch-1])
}

// same fails the test unless tensors are equal, which they are to the bit.
func same(t *testing.T, what string, got, want [][]float32) {
	t.Helper()
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("%s: tensor %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}
