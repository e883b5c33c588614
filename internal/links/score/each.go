package score

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/par"
)

// EachGroup scores the Others of groups and calls f with the scores of each, which it may not keep, from
// several goroutines.
func EachGroup(ctx context.Context, threads int, sc Scorer, groups []Group, f func(Group, [][]float64) error) error {
	n := len(sc.Names())
	type state struct {
		worker Worker
		out    [][]float64
	}
	states := sync.Pool{New: func() any { return &state{sc.Worker(links.Workers{}), make([][]float64, n)} }}
	errs, err := par.Map(ctx, threads, groups, func(g Group) error {
		st := states.Get().(*state)
		defer states.Put(st)
		scoreInto(st.worker, g.Kept, g.Reverse, g.Others, st.out)
		for k, scores := range st.out {
			if rank.HasNaN(scores) {
				return fmt.Errorf("%s: %w", sc.Names()[k], rank.ErrNaN)
			}
		}
		return f(g, st.out)
	})
	return cmp.Or(err, cmp.Or(errs...))
}
