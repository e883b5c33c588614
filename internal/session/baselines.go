package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// baselinesFile is the file of a run folder with the predictions of the best learner of each kind for the test part.
const baselinesFile = "baselines.safetensors"

// Baseline is the best learner of a kind by validation loss, for comparison with the final predictor of model.Auto.
type Baseline struct {
	auto.Entry
	Outcome *task.Outcome // for the test part
}

// bestOfKinds lists the best learner of each kind, best first. If the final predictor is a single learner, its kind is left out.
func bestOfKinds(board []auto.Entry) (out []auto.Entry) {
	var kept []string
	for _, e := range board {
		if e.Kept {
			kept = append(kept, e.Learner)
		}
	}
	for _, e := range board { // best first
		same := func(o auto.Entry) bool { return o.Learner == e.Learner }
		if (e.Width > 0 || e.Learner == auto.LearnerGraphs) && !slices.ContainsFunc(out, same) && !(len(kept) == 1 && kept[0] == e.Learner) {
			out = append(out, e)
		}
	}
	return out
}

// writeBaselines stores the predictions of the best learner of each kind for the test part, while the learners of
// the training still exist.
func (s *Session) writeBaselines(ctx context.Context, dir string, test *source.Part) error {
	whole, settings := s.Model, s.Settings
	s.Settings.Target.Temperature = 0 // the temperature was chosen for the final model
	learners := s.learners()
	defer func() {
		s.Model, s.Settings = whole, settings
		if c := s.autoConfig(); c != nil {
			c.Learners = learners
		}
	}()
	f := &safetensors.File{Metadata: map[string]string{}}
	for _, e := range bestOfKinds(s.leaderboard) {
		s.Model = whole
		ok, err := s.WithLearner(dir, e)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		got, err := s.collect(ctx, test)
		if err != nil {
			return err
		}
		o := s.outcomeOf(test, got)
		var rows [][]float32
		if o.Classes != nil {
			rows = o.Classes.Probability
		}
		for _, t := range o.Targets {
			rows = append(rows, t.Predicted)
		}
		if len(rows) == 0 || len(rows[0]) == 0 {
			continue
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: e.Learner, Shape: []int{len(rows), len(rows[0])}, Data: slices.Concat(rows...)})
	}
	if f.Tensors == nil {
		return nil
	}
	slices.SortFunc(f.Tensors, func(a, b safetensors.Tensor) int { return len(a.Name) - len(b.Name) })
	if err := safetensors.WriteFile(filepath.Join(dir, baselinesFile), f); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return nil
}

// learners returns the learners of model.Auto; nil for other models.
func (s *Session) learners() []model.Learner {
	if c := s.autoConfig(); c != nil {
		return c.Learners
	}
	return nil
}

// Baselines returns the predictions of the best learner of each kind for the items of a test outcome; none if the run
// has none, or if they are for other items.
func Baselines(dir string, board []auto.Entry, o *task.Outcome) ([]Baseline, error) {
	f, err := safetensors.ReadFile(filepath.Join(dir, baselinesFile))
	if o == nil || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Baseline
	for _, e := range bestOfKinds(board) {
		k := slices.IndexFunc(f.Tensors, func(t safetensors.Tensor) bool { return t.Name == e.Learner })
		if k < 0 {
			continue
		}
		t := f.Tensors[k]
		n := len(o.At)
		if len(t.Shape) != 2 || t.Shape[1] != n || t.Shape[0] != widthOf(o) {
			continue
		}
		rows := slices.Collect(slices.Chunk(t.Data, n))
		out = append(out, Baseline{e, o.With(rows)})
	}
	return out, nil
}

func widthOf(o *task.Outcome) int {
	if o.Classes != nil {
		return len(o.Classes.Names)
	}
	return len(o.Targets)
}
