package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/train"
)

// edgeResult is the result of a training of edgeTasks.
type edgeResult struct {
	Set      string `json:"dataset"`
	Row      string `json:"model"`
	Protocol string `json:"protocol"`
	Seed     uint64 `json:"seed"`
	// Valid and Test have all scores that are defined.
	Valid     map[string]float64 `json:"valid"`
	Test      map[string]float64 `json:"test"`
	BestEpoch int                `json:"best_epoch,omitempty"`
	Epochs    int                `json:"epochs,omitempty"`
	Seconds   float64            `json:"seconds"`
	Diverged  bool               `json:"diverged,omitempty"` // see ending
	Params    int                `json:"parameters"`
}

func (r edgeResult) diverged() bool { return r.Diverged }

// edgeTraining is a row on a data set.
type edgeTraining struct {
	set       edgeSet
	row       edgeTaskRow
	protocol  string
	seed      uint64
	splitSeed uint64
	settings  settings.Values // overridden by those of the row
}

// edgeKey has everything that the result of a training depends on.
type edgeKey struct {
	Settings  string `json:"settings"` // including data and protocol
	Row       string `json:"model"`    // distinguishes baselines
	Seed      uint64 `json:"seed"`
	SplitSeed uint64 `json:"split_seed"`
}

// plan lists the trainings, and notes those that need too much memory or time. The order is
// protocols, then sets, then rows, so that the seeds of a cell are together.
func (r *edgeRequest) plan(ctx context.Context) (list []training[edgeResult], err error) {
	for _, protocol := range r.protocols {
		for k := range r.sets {
			set := &r.sets[k]
			if set.apart && protocol != r.protocols[0] {
				continue
			}
			for _, row := range r.rows {
				of := edgeTraining{set: *set, row: row, protocol: protocol, seed: r.seeds[0], splitSeed: r.splitSeed, settings: r.settings}
				s, err := of.open(ctx, 1)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", row.name, set.name, err)
				}
				if set.scores == nil {
					set.scores = scoresOf(&s.Settings)
				}
				if n := len(s.Settings.Target.Classes); row.mostClasses > 0 && n > row.mostClasses {
					r.notes = append(r.notes, fmt.Sprintf("Left out: %s on %s, %s: it reads ten columns of each class, and its time grows with the fourth power of their number, %d.", row.name, set.name, protocol, n))
					continue
				}
				if _, err := s.CheckMemory(""); err != nil {
					r.notes = append(r.notes, fmt.Sprintf("Left out: %s on %s, %s: %v.", row.name, set.name, protocol, err))
					continue
				}
				list = append(list, of.seeds(r.seeds, s.Settings)...)
			}
		}
	}
	return list, nil
}

// scoresOf returns the scores that suit labels.
func scoresOf(s *settings.Settings) []edgeScore {
	switch {
	case s.Target.Binary != nil:
		return twoClassScores
	case len(s.Target.Classes) > 0:
		return manyClassScores
	}
	return numberScores
}

// seeds returns the trainings of a cell with the given settings. A baseline has one, because it
// uses no randomness.
func (of edgeTraining) seeds(seeds []uint64, s settings.Settings) (list []training[edgeResult]) {
	epochs := s.Train.Epochs
	if of.row.baseline != nil {
		seeds, epochs = seeds[:1], 1
	}
	for _, seed := range seeds {
		of.seed = seed
		list = append(list, training[edgeResult]{what: edgeKey{s.Key(), of.row.name, seed, of.splitSeed},
			name: fmt.Sprintf("%s on %s, %s, seed %d", of.row.name, of.set.name, of.protocol, seed), epochs: epochs, do: of.do})
	}
	return list
}

// open makes the session.
func (of edgeTraining) open(ctx context.Context, threads int) (*session.Session, error) {
	given := of.set.reading.Over(settings.Values{"transductive": of.protocol == transductive}).Over(of.row.values)
	defaults := of.settings
	if of.row.baseline != nil {
		defaults = settings.Values{"unweighted": true} // because the fit is unweighted
	}
	return session.Open(ctx, session.Request{Path: of.set.path, Task: of.set.task, Model: of.row.model, Given: given, Defaults: defaults,
		Seed: of.seed, SplitSeed: &of.splitSeed, Threads: threads})
}

// do trains a model or fits a baseline, and scores it.
func (of edgeTraining) do(ctx context.Context, w work) (out edgeResult, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("experiment: edges: %s on %s: %w", of.row.name, of.set.name, err)
		}
	}()
	out = edgeResult{Set: of.set.name, Row: of.row.name, Protocol: of.protocol, Seed: of.seed}
	s, err := of.open(ctx, w.threads)
	if err != nil {
		return out, err
	}
	if of.row.baseline != nil {
		begin := time.Now()
		if err := fitEdgeBaseline(ctx, s, of.row.baseline); err != nil {
			return out, err
		}
		out.Seconds = time.Since(begin).Seconds()
	} else {
		o := session.FitOptions{OnEpoch: w.onEpoch}
		if w.checkpoint != nil {
			o.Dir, o.Interval = w.checkpoint.Dir, w.checkpoint.Interval
		}
		end, err := endingOf(s.Fit(ctx, o))
		if err != nil {
			return out, err
		}
		out.BestEpoch, out.Epochs, out.Seconds, out.Diverged = end.BestEpoch, end.Trained, end.Seconds, end.Diverged
	}
	for _, p := range s.Model.Params() {
		if !p.Buffer {
			out.Params += p.Value.Size()
		}
	}
	// For a constant prediction F1 is best if all edges are predicted positive, which is not the majority class.
	if b, ok := s.Model.(*edgeBaseline); !ok || !b.constant() {
		if _, err := s.Choose(ctx); err != nil {
			return out, err
		}
	}
	out.Valid, out.Test, err = heldOutScores(ctx, s)
	return out, err
}

// heldOutScores returns the scores of a fitted session on the validation and the test part.
func heldOutScores(ctx context.Context, s *session.Session) (valid, test map[string]float64, err error) {
	for part, to := range map[string]*map[string]float64{source.PartValid: &valid, source.PartTest: &test} {
		e, err := s.Evaluate(ctx, part)
		if err != nil {
			return nil, nil, err
		}
		*to = finite(e.Scores)
	}
	return valid, test, nil
}

// finite returns the defined scores, which JSON can hold.
func finite(s train.Scores) map[string]float64 {
	out := map[string]float64{}
	for _, v := range s {
		if !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
			out[v.Name] = v.Value
		}
	}
	return out
}
