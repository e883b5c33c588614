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

// Leaderboard has the learners that model.Auto compared in a training, best first; nil for other models.
func (s *Session) Leaderboard() []auto.Entry { return s.leaderboard }

// WithLearner makes one learner of the leaderboard the session's model, to score it alone. dir is the folder of the Fit
// that trained it, in another session with the same data and settings. It returns false if the folder does not have the
// learner; folders never have the constant or averages.
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

// EdgeColumns has, for other programs, the columns and labels of the edges of each part that learners of model.Auto
// read. An undirected edge has two rows: first come all edges in one direction, then all in the other.
type EdgeColumns struct {
	Families []string // family of each column
	// Rows and Labels have an entry for each part, by name. A label is a class or a standardised number. The
	// training rows repeat the edges, each time with different labels hidden.
	Rows   map[string]model.Block
	Labels map[string][]float32
}

// Snapshots is the name of the rows of training edges at moments in the training period.
const Snapshots = "snapshots"

// EdgeColumns computes the columns of a session with model.Auto.
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
