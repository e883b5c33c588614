package ehgnn

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/links/run"
)

// Links is a run of link prediction with its data. Any number of goroutines may use it at the same
// time.
type Links struct{ run *run.Run }

// Query asks for partners of nodes.
type Query = run.Query

// Recommendation is a partner of a node.
type Recommendation = run.Recommendation

// ScoredPair is a pair of nodes with its score. Scores order pairs; they are not probabilities.
type ScoredPair = run.Scored

// LinkOptions say how a run of link prediction is opened.
type LinkOptions = run.LoadOptions

// OpenLinks opens a folder that ehgnn train --task link-prediction wrote. It reads the training
// tables again, and returns an error if they have changed.
func OpenLinks(ctx context.Context, dir string, o LinkOptions) (*Links, error) {
	r, err := run.Load(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return &Links{r}, nil
}

// Recommend ranks the partners of each node by score, the largest first. Of equal scores the
// smaller id is first.
func (l *Links) Recommend(ctx context.Context, q Query) ([]Recommendation, error) {
	return l.run.Recommend(ctx, q)
}

// With returns the run with additional edges in its graph, whose nodes may be new. Nothing is
// trained again, and l does not change. times has the time of each edge if the run has a split by
// time: in seconds since 1970, or in the unit of the tables. It is nil for other runs. Candidates
// are scored at a time after all events.
func (l *Links) With(ctx context.Context, edges [][2]string, times []float64) (*Links, error) {
	r, err := l.run.With(ctx, edges, times)
	if err != nil {
		return nil, err
	}
	return &Links{r}, nil
}

// Score returns the scores of pairs of ids, in the given order.
func (l *Links) Score(ctx context.Context, pairs [][2]string) ([]ScoredPair, error) {
	return l.run.Score(ctx, pairs)
}
