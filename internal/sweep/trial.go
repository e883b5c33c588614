package sweep

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// Trial is a training at a point of the space.
type Trial struct {
	Number   int
	Settings settings.Values // the searched settings
	State    State
	// Scores are the validation scores after each epoch, NaN if there is none.
	Scores []float64
	// Value is the score of the trial's best epoch; NaN if there is none.
	Value float64
	Error string // of a failed trial
	Run   string // folder, relative to the sweep's folder

	at   []float64 // its point
	busy bool      // a worker is training it
}

// runName is the folder of a trial.
func runName(number int) string { return fmt.Sprintf("trial-%04d", number) }

// best is the best score in the first epochs of a trial, NaN if there is none.
func (s *Study) best(t *Trial, epochs int) float64 {
	out := math.NaN()
	for _, v := range t.Scores[:min(epochs, len(t.Scores))] {
		if !math.IsNaN(v) && (math.IsNaN(out) || s.better(v, out)) {
			out = v
		}
	}
	return out
}

// better reports whether a score is better than another; NaN is the worst.
func (s *Study) better(a, b float64) bool {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return !math.IsNaN(a)
	case s.Maximise:
		return a > b
	}
	return a < b
}

// Best is the completed trial with the best score, the first of equals; nil for none.
func (s *Study) Best() (best *Trial) {
	for _, t := range s.Trials {
		if t.State == Complete && (best == nil || s.better(t.Value, best.Value)) {
			best = t
		}
	}
	return best
}

// catchUp adds epochs to a trial that are in its run folder but, after a kill, not in the journal.
func (s *sweep) catchUp(t *Trial) error {
	history, _ := train.ReadHistory(filepath.Join(s.Dir, t.Run)) // the file may be missing or have an incomplete last line
	for _, e := range history {
		if err := s.epoch(t, e); err != nil {
			return err
		}
	}
	return nil
}

// epoch records the score of an epoch of a trial, unless it is already recorded.
func (s *sweep) epoch(t *Trial, e train.EpochInfo) error {
	if e.Epoch <= len(t.Scores) {
		return nil
	}
	for len(t.Scores) < e.Epoch {
		t.Scores = append(t.Scores, math.NaN())
	}
	v, _ := e.Valid.Get(s.Score)
	t.Scores[e.Epoch-1] = v
	if math.IsNaN(v) {
		return nil
	}
	return s.journal.score(t.Number, e.Epoch, v)
}
