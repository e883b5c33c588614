package experiment

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// tableResult is the result of a row on a data set with one seed. Other programs write the same format.
type tableResult struct {
	Set   string             `json:"dataset"`
	Row   string             `json:"model"`
	Seed  uint64             `json:"seed"`
	Valid map[string]float64 `json:"valid,omitempty"`
	Test  map[string]float64 `json:"test"`
	// Columns is the column set of a learner; Kept says whether the learner is part of the default model.
	Columns string `json:"columns,omitempty"`
	Kept    bool   `json:"kept,omitempty"`
	// Seconds is the training time of a learner, or the time from reading to the scores.
	Seconds float64 `json:"seconds"`
	// KnownLabels is the median number of known labels at an end of a test edge; nil for a row of another program.
	KnownLabels *float64 `json:"known_labels,omitempty"`
	// PeakBytes is the peak memory of the process; 0 if it includes other rows.
	PeakBytes int64 `json:"peak_bytes,omitempty"`
}

// tableRun is the result of a job.
type tableRun struct {
	Rows []tableResult `json:"rows"`
}

// tableJob is a training on a data set.
type tableJob struct {
	set     tableSet
	row     string // what to train: tablesTrivial, model.AutoName or tablesNetwork
	rows    []tableRow
	quality string
	seed    uint64
}

// tableKey has everything that the results of a job depend on.
type tableKey struct {
	Settings string `json:"settings"` // including data
	Row      string `json:"model"`
	Seed     uint64 `json:"seed"`
}

// open makes the session of the job.
func (j tableJob) open(ctx context.Context, threads int) (*session.Session, error) {
	given := settings.Values{"part": "part"}.Over(j.set.reading)
	r := session.Request{Path: j.set.path, Task: j.set.task, Model: j.row, Given: given, Seed: j.seed, Threads: threads}
	switch j.row {
	case model.AutoName:
		given["quality"] = j.quality
	case tablesTrivial:
		r.Model, r.Defaults = "mlp-edge", settings.Values{"unweighted": true, "label-context": settings.ContextOff}
	}
	return session.Open(ctx, r)
}

func (j tableJob) do(ctx context.Context, w work) (out tableRun, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("experiment: tables: %s on %s: %w", j.row, j.set.name, err)
		}
	}()
	memory.ResetPeak()
	start := time.Now()
	s, err := j.open(ctx, w.threads)
	if err != nil {
		return out, err
	}
	dir := ""
	if w.checkpoint != nil {
		dir = w.checkpoint.Dir
	} else if dir, err = os.MkdirTemp("", "ehgnn-tables-"); err != nil {
		return out, err
	} else {
		defer os.RemoveAll(dir)
	}
	choose := true
	switch j.row {
	case tablesTrivial:
		err = fitEdgeBaseline(ctx, s, noColumns)
		if m, ok := s.Model.(*edgeBaseline); ok && j.set.metric() == "rmse" {
			m.fitted.Bias[0] = 0 // the mean of standardised numbers instead of their median
		}
		choose = false // F1 is best if all edges are predicted positive, which is not the majority class
	default:
		_, err = s.Fit(ctx, session.FitOptions{Dir: dir, Interval: jobInterval, OnEpoch: w.onEpoch})
	}
	if err != nil {
		return out, err
	}
	own, err := j.scored(ctx, s, choose)
	if err != nil {
		return out, err
	}
	own.Row, own.Seconds, own.PeakBytes, own.KnownLabels = j.row, time.Since(start).Seconds(), memory.Peak(), knownLabels(s)
	for _, row := range j.rows {
		if row.learner == "" {
			out.Rows = append(out.Rows, own)
			continue
		}
		r, ok, err := j.learner(ctx, row, s.Leaderboard(), dir, w.threads)
		if err != nil {
			return out, err
		}
		if ok {
			r.KnownLabels = own.KnownLabels
			out.Rows = append(out.Rows, r)
		}
	}
	return out, nil
}

// knownLabels is the median number of known labels at an end of a test edge; nil if no labels are known.
func knownLabels(s *session.Session) *float64 {
	test := s.Parts[source.PartTest]
	if test == nil || len(test.Items) == 0 || test.Graphs[0].Observed == nil {
		return nil
	}
	g := test.Graphs[0]
	at := make([]float64, g.NumNodes)
	for e, label := range g.Observed.Label {
		if label == label {
			at[g.Ends[2*e]]++
			at[g.Ends[2*e+1]]++
		}
	}
	var of []float64
	for _, e := range test.Items {
		of = append(of, at[g.Ends[2*e]], at[g.Ends[2*e+1]])
	}
	slices.Sort(of)
	return &of[len(of)/2]
}

// scored returns the scores of a fitted session.
func (j tableJob) scored(ctx context.Context, s *session.Session, choose bool) (out tableResult, err error) {
	out = tableResult{Set: j.set.name, Seed: j.seed}
	if choose {
		if _, err := s.Choose(ctx); err != nil {
			return out, err
		}
	}
	out.Valid, out.Test, err = heldOutScores(ctx, s)
	return out, err
}

// learner scores the best learner of a kind on the validation part, alone.
func (j tableJob) learner(ctx context.Context, row tableRow, board []auto.Entry, dir string, threads int) (out tableResult, ok bool, err error) {
	for _, e := range board { // best first
		if e.Learner != row.learner {
			continue
		}
		s, err := j.open(ctx, threads)
		if err != nil {
			return out, false, err
		}
		if ok, err := s.WithLearner(dir, e); !ok || err != nil {
			return out, false, err
		}
		if out, err = j.scored(ctx, s, true); err != nil {
			return out, false, err
		}
		out.Row, out.Columns, out.Kept, out.Seconds = row.name, e.Columns, e.Kept, e.Seconds
		return out, true, nil
	}
	return out, false, nil
}
