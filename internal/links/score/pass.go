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

// pass runs tasks that score candidates of kept ends. The tasks of a kept end run one after another
// in one goroutine, so that the values that links.Workers compute for the end, such as PageRank,
// are computed once for all tasks.
type pass struct {
	scorer Scorer
	kept   []int32
	tasks  map[int32][]func(*state) error
}

// scoring has a scorer and its worker in one goroutine.
type scoring struct {
	scorer Scorer
	of     links.Workers
	worker Worker // nil before the first score
	out    [][]float64
}

// state is the state of one goroutine of a pass.
type state struct {
	scoring
	makers  map[*rankings]func(Group) Candidates
	listers map[*listing]*scoring
}

func newPass(sc Scorer) *pass { return &pass{scorer: sc, tasks: map[int32][]func(*state) error{}} }

// add adds a task.
func (p *pass) add(kept int32, task func(*state) error) {
	if p.tasks[kept] == nil {
		p.kept = append(p.kept, kept)
	}
	p.tasks[kept] = append(p.tasks[kept], task)
}

// run runs all tasks.
func (p *pass) run(ctx context.Context, threads int) error {
	states := sync.Pool{New: func() any {
		return &state{scoring{scorer: p.scorer, of: links.Workers{}}, map[*rankings]func(Group) Candidates{}, map[*listing]*scoring{}}
	}}
	errs, err := par.Map(ctx, threads, p.kept, func(kept int32) error {
		st := states.Get().(*state)
		defer states.Put(st)
		for _, task := range p.tasks[kept] {
			if err := task(st); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, cmp.Or(errs...))
}

// score scores candidates of a kept end. The scores are valid until the next call.
func (s *scoring) score(kept int32, reverse bool, others []int32) ([][]float64, error) {
	if s.worker == nil {
		s.worker, s.out = s.scorer.Worker(s.of), make([][]float64, len(s.scorer.Names()))
	}
	scoreInto(s.worker, kept, reverse, others, s.out)
	for k, scores := range s.out {
		if rank.HasNaN(scores) {
			return nil, fmt.Errorf("%s: %w", s.scorer.Names()[k], rank.ErrNaN)
		}
	}
	return s.out, nil
}

// pairs adds tasks that score pairs. The first node of a pair is the kept end. out[s][i] becomes
// score s of pair i.
func (p *pass) pairs(pairs [][2]int32) (out [][]float64) {
	for range p.scorer.Names() {
		out = append(out, make([]float64, len(pairs)))
	}
	for _, g := range byKept(pairs) {
		p.add(g.Kept, func(st *state) error {
			scores, err := st.score(g.Kept, false, g.Others)
			for k := range scores {
				for i, place := range g.Place {
					out[k][place] = scores[k][i]
				}
			}
			return err
		})
	}
	return out
}
