package session

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// Leaderboard has the learners that competed in a training of model.Auto, the best first; nil for other models.
func (s *Session) Leaderboard() []auto.Entry { return s.leaderboard }

// WithLearner makes a learner of the leaderboard the only one of the session's model, to score it by itself. dir is the folder
// of the Fit that trained it, of another session on the same data with the same settings. It reports whether
// the folder has the learner: it has neither the constant nor means.
func (s *Session) WithLearner(dir string, e auto.Entry) (bool, error) {
	if m, ok := s.Model.(*model.GraphLearners); ok {
		kind := e.Learner
		if kind == auto.LearnerGraphs {
			kind = ""
		}
		s.Model, ok = m.Alone(kind)
		return ok, nil
	}
	kept, err := openKept(filepath.Join(dir, keptFolder), s.Settings.Identity())
	if err != nil {
		return false, err
	}
	trained, ok := kept.Load(e.Learner + " " + e.Columns)
	if !ok {
		return false, nil
	}
	trained.Learner.Weight = 1
	return true, s.useLearners([]model.Learner{trained.Learner}, []map[string][]float32{trained.Arrays})
}

// EdgeColumns are the columns of the edges of each part with their labels, as learners of model.Auto read them, for
// other programs. An undirected edge has two rows: all edges in one direction, then all in the other.
type EdgeColumns struct {
	Families []string // of each column
	// Rows and Labels are by the names of the parts. A label is a class or a standardised number. Those of training
	// are several times the edges, each time with other labels hidden.
	Rows   map[string]model.Block
	Labels map[string][]float32
}

// Snapshots is the name of the rows of training edges as of moments in the training period.
const Snapshots = "snapshots"

// EdgeColumns computes the columns of a session of model.Auto.
func (s *Session) EdgeColumns(ctx context.Context) (*EdgeColumns, error) {
	m, ok := s.Model.(*model.Auto)
	if !ok {
		return nil, fmt.Errorf("model %s has no columns of edges, expected %s", s.Settings.ModelName, model.AutoName)
	}
	out := &EdgeColumns{Families: m.Layout().Families(), Rows: map[string]model.Block{}, Labels: map[string][]float32{}}
	for _, part := range source.Parts() {
		if s.Parts[part] == nil {
			return nil, fmt.Errorf("%s has no %s part", s.Data.Name(), part)
		}
	}
	r, err := s.autoRequest()
	if err != nil {
		return nil, err
	}
	for _, part := range []string{source.PartValid, source.PartTest} {
		if part == source.PartTest {
			if r.Valid, err = graph.CollateCodes(s.Graphs(part)[0]); err != nil {
				return nil, err
			}
		}
		t, err := auto.Columns(ctx, r, part == source.PartTest)
		if err != nil {
			return nil, err
		}
		out.Rows[part], out.Labels[part] = t.Valid, t.ValidLabels
		if part == source.PartTest {
			out.Rows[source.PartTrain], out.Labels[source.PartTrain] = t.Train, t.TrainLabels
			if t.Snapshots.Rows > 0 {
				out.Rows[Snapshots], out.Labels[Snapshots] = t.Snapshots, t.SnapshotLabels
			}
		}
	}
	return out, nil
}
