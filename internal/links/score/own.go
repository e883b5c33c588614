package score

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/links/rank"
)

// File is the form of negatives that come from a file.
const File = "file"

// Own is a positive with its own negatives.
type Own struct {
	Positive  [2]int32
	Negatives [][2]int32
}

// RankOwn ranks each positive among its own negatives. Positives of the part that are not listed
// are left out.
func (s *Setting) RankOwn(ctx context.Context, sc Scorer, of []Own, models []string) (*Table, error) {
	var pairs [][2]int32
	for _, o := range of {
		pairs = append(append(pairs, o.Positive), o.Negatives...)
	}
	p := newPass(sc)
	scores := p.pairs(pairs)
	r := &rankings{name: File, left: max(0, len(s.Positives)-len(of))}
	for i, o := range of {
		r.ends, r.pairsOf = append(r.ends, o.Positive), append(r.pairsOf, int32(i))
	}
	distance := s.distances(p, r)
	if err := p.run(ctx, s.Threads); err != nil {
		return nil, err
	}
	ranks := make([][]float64, len(scores))
	at, negatives := 0, 0
	for _, o := range of {
		n := len(o.Negatives)
		for k, own := range scores {
			place, err := rank.Of(own[at], own[at+1:][:n])
			if err != nil {
				return nil, err
			}
			ranks[k] = append(ranks[k], place)
		}
		at, negatives = at+1+n, negatives+n
	}
	t := &Table{Form: File, Main: "mrr", Positives: len(of), Rankings: len(of), Left: r.left, ends: r.ends, Negatives: float64(negatives) / float64(len(of))}
	t.fill(s.bootstrap(r.ends), sc.Names(), ranks, models)
	t.addSlices(s, r, distance)
	return t, nil
}
