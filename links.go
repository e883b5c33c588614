package ehgnn

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/links/run"
)

// Links is a run of link prediction with its data. It may be used by any number of goroutines at the same
// time.
type Links struct{ run *run.Run }

// Query asks for partners of nodes.
type Query = run.Query

// Recommendation is a partner of a node.
type Recommendation = run.Recommendation

// ScoredPair is a pair of nodes with its score. Scores order pairs; they are no probabilities.
type ScoredPair = run.Scored

// LinkOptions say how a run of link prediction is opened.
type LinkOptions = run.LoadOptions

// OpenLinks opens a folder that ehgnn train --task link-prediction wrote. It reads the tables of the training
// again, which must be the same.
func OpenLinks(ctx context.Context, dir string, o LinkOptions) (*Links, error) {
	r, err := run.Load(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return &Links{r}, nil
}

// Recommend ranks partners of nodes: those of larger score first, of equal ones that whose id is first.
func (l *Links) Recommend(ctx context.Context, q Query) ([]Recommendation, error) {
	return l.run.Recommend(ctx, q)
}

// With is the run with further edges in its graph, whose nodes may be new. Nothing is trained again, and l stays
// as it is. times has the time of each edge if the run has a split by time, in seconds since 1970 or in the numbers of
// the tables; it is nil for other runs. Candidates are scored after the last of all events.
func (l *Links) With(ctx context.Context, edges [][2]string, times []float64) (*Links, error) {
	r, err := l.run.With(ctx, edges, times)
	if err != nil {
		return nil, err
	}
	return &Links{r}, nil
}

// Score scores pairs of ids, in their order.
func (l *Links) Score(ctx context.Context, pairs [][2]string) ([]ScoredPair, error) {
	return l.run.Score(ctx, pairs)
}
