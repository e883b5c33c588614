package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

func TestForEachBatch(t *testing.T) {
	set := samples(1, 11)
	ctx := context.Background()
	for _, c := range []struct{ size, eval, batches int }{{4, 0, 3}, {4, 11, 1}, {0, 0, 1}, {100, 0, 1}, {0, 1, 11}, {5, 3, 4}} {
		var order []*graph.Graph
		batches := 0
		err := train.ForEachBatch(ctx, set, train.Config{BatchSize: c.size, EvalBatchSize: c.eval}, func(p *nn.Pass, first int, b *graph.Batch) error {
			batches++
			if p.Train || p.Rand == nil || p.Tape == nil {
				t.Errorf("pass %+v", p)
			}
			if first != len(order) {
				t.Errorf("first is %d, want %d", first, len(order))
			}
			for i, label := range b.Labels {
				if label != set[first+i].Label {
					t.Errorf("graph %d has label %d", first+i, label)
				}
				order = append(order, set[first+i])
			}
			return nil
		})
		if err != nil || batches != c.batches || len(order) != len(set) {
			t.Errorf("sizes %d, %d: %d batches with %d graphs, error %v; want %d", c.size, c.eval, batches, len(order), err, c.batches)
		}
	}

	enough := errors.New("enough")
	calls := 0
	err := train.ForEachBatch(ctx, set, train.Config{BatchSize: 1}, func(*nn.Pass, int, *graph.Batch) error {
		if calls++; calls == 3 {
			return enough
		}
		return nil
	})
	if err != enough || calls != 3 {
		t.Errorf("error %v after %d calls", err, calls)
	}

	cancelled, cancel := context.WithCancel(ctx)
	calls = 0
	err = train.ForEachBatch(cancelled, set, train.Config{BatchSize: 1}, func(*nn.Pass, int, *graph.Batch) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}

	// A batch that takes long ends in its midst.
	cancelled, cancel = context.WithCancel(ctx)
	err = train.ForEachBatch(cancelled, set, train.Config{BatchSize: 1}, func(p *nn.Pass, _ int, b *graph.Batch) error {
		cancel()
		p.Tape.Bind(b.X).ReLU()
		t.Error("an operation after the end")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}

	err = train.ForEachBatch(ctx, set, train.Config{}, func(p *nn.Pass, _ int, b *graph.Batch) error {
		b.X.MatMul(b.X)
		return nil
	})
	if shape := (*tensor.ShapeError)(nil); !errors.As(err, &shape) {
		t.Errorf("error %v, want a ShapeError", err)
	}
	if err := train.ForEachBatch(ctx, nil, train.Config{}, nil); err != nil {
		t.Errorf("no graphs: %v", err)
	}
	if err := train.ForEachBatch(ctx, []*graph.Graph{nil}, train.Config{}, nil); err == nil {
		t.Error("a nil graph was accepted")
	}
}

// A score does not depend on how graphs are put into batches, but for rounding.
func TestEvaluate(t *testing.T) {
	m := newClassifier(1, 4)
	ctx := context.Background()
	var first train.Scores
	for _, size := range []int{0, 1, 7, 16} {
		scores, err := train.Evaluate(ctx, m.problem(t), samples(2, 20), train.Config{BatchSize: size})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = scores
		}
		for i, s := range scores {
			if s.Name != first[i].Name || math.Abs(s.Value-first[i].Value) > 1e-6 {
				t.Errorf("batches of %d: %v, want %v", size, s, first[i])
			}
		}
	}
	if len(first) != 2 || first[0].Name != "loss" || first[1].Name != "accuracy" {
		t.Errorf("scores %v", first)
	}
	// The loss alone is what a problem without Score is judged by.
	plain := m.problem(t)
	plain.Score = nil
	scores, err := train.Evaluate(ctx, plain, samples(2, 20), train.Config{})
	if err != nil || fmt.Sprint(scores) != fmt.Sprint(first[:1]) {
		t.Errorf("scores %v, error %v; want %v", scores, err, first[:1])
	}
	if scores, err := train.Evaluate(ctx, plain, nil, train.Config{}); scores != nil || err != nil {
		t.Errorf("no graphs: scores %v, error %v", scores, err)
	}
	if _, err := train.Evaluate(ctx, train.Problem{}, samples(2, 2), train.Config{}); err == nil {
		t.Error("an empty problem was accepted")
	}
	if _, err := train.Evaluate(ctx, scoring(plain, nil, errors.New("one class only")), samples(2, 2), train.Config{}); err == nil || err.Error() != "train: evaluation: one class only" {
		t.Errorf("error %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := train.Evaluate(gone, plain, samples(2, 2), train.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Scores that are no ratio of sums see all batches before they answer.
type median struct{ values []float64 }

func (s *median) Add(p *nn.Pass, b *graph.Batch) {
	for _, l := range b.Labels {
		s.values = append(s.values, float64(l))
	}
}
func (s *median) Scores() (train.Scores, error) {
	return train.Scores{{Name: "count", Value: float64(len(s.values))}}, nil
}

func TestScorerKeepsState(t *testing.T) {
	p := newClassifier(1, 4).problem(t)
	p.Score = func() train.Scorer { return &median{} }
	for range 2 { // each evaluation has its own
		scores, err := train.Evaluate(context.Background(), p, samples(1, 9), train.Config{BatchSize: 2})
		if v, ok := scores.Get("count"); err != nil || !ok || v != 9 {
			t.Errorf("scores %v, error %v", scores, err)
		}
	}
}
