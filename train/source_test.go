package train_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/train"
)

// A stream of the batches that Fit makes of graphs, here the one of all, trains as Fit does; when it is
// stopped and resumed it goes on with the step after the last.
func TestFitStream(t *testing.T) {
	trainSet, valid := samples(1, 12), samples(2, 8)
	cfg := basic()
	cfg.Epochs, cfg.BatchSize, cfg.LR = 6, 0, 0.1
	want, err := train.Fit(context.Background(), newClassifier(1, 8).problem(t), trainSet, valid, cfg, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := graph.Collate(trainSet)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var steps []int
	fit := func(ctx context.Context, cancel func()) (*train.Result, error) {
		problem := newClassifier(1, 8).problem(t)
		return train.FitStream(ctx, problem, train.Stream{
			Steps: 1,
			Batch: func(_ context.Context, step int) (*graph.Batch, error) {
				steps = append(steps, step)
				if step == 3 && cancel != nil {
					cancel()
				}
				return whole, nil
			},
			Valid: func(ctx context.Context) (train.Scores, error) { return train.Evaluate(ctx, problem, valid, cfg) },
		}, cfg, train.Options{Checkpoint: &train.Checkpoint{Dir: dir, Resume: true}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := fit(ctx, cancel); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	got, err := fit(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(steps, []int{0, 1, 2, 3, 3, 4, 5}) {
		t.Errorf("steps %v", steps)
	}
	if len(got.History) != len(want.History) {
		t.Fatalf("%d epochs, want %d", len(got.History), len(want.History))
	}
	for i, w := range want.History {
		g := got.History[i]
		if g.TrainLoss != w.TrainLoss || !slices.Equal(g.Valid, w.Valid) {
			t.Errorf("epoch %d: loss %v and %v, want %v and %v", w.Epoch, g.TrainLoss, g.Valid, w.TrainLoss, w.Valid)
		}
	}
}

func TestFitStreamRefuses(t *testing.T) {
	if _, err := train.FitStream(context.Background(), newClassifier(1, 8).problem(t), train.Stream{}, basic(), train.Options{}); err == nil {
		t.Error("no error without steps")
	}
	failed := errors.New("no batch")
	s := train.Stream{Steps: 1, Batch: func(context.Context, int) (*graph.Batch, error) { return nil, failed }}
	if _, err := train.FitStream(context.Background(), newClassifier(1, 8).problem(t), s, basic(), train.Options{}); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
