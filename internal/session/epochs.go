package session

import (
	"context"
	"fmt"
	"time"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/train"
)

// EpochTimes trains for epochs+1 epochs and returns the seconds of all except the first, which is a
// warm-up. It measures only training (batches, forward, backward, clipping, the optimiser's step),
// without validation and files. It changes the model.
func (s *Session) EpochTimes(ctx context.Context, epochs int) ([]float64, error) {
	if epochs < 1 {
		return nil, settings.Misuse("epochs is %d, expected at least 1", epochs)
	}
	cfg := s.Config()
	cfg.Epochs = epochs + 1
	cfg.Patience, cfg.Monitor = 0, train.Monitor{} // no validation part, so no score to monitor
	var times []float64
	last := time.Now()
	_, err := train.Fit(ctx, s.problem(), s.Graphs(source.PartTrain), nil, cfg, train.Options{
		Gradients: s.Gradients,
		OnEpoch: func(train.EpochInfo) {
			now := time.Now()
			times = append(times, now.Sub(last).Seconds())
			last = now
		},
	})
	if err != nil {
		return nil, fmt.Errorf("epoch times: %w", err)
	}
	return times[1:], nil
}

// TrainGraphs is the number of graphs in the training part.
func (s *Session) TrainGraphs() int { return len(s.Graphs(source.PartTrain)) }
