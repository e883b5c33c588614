// Package score compares scorers of links on the same candidates.
//
// A Scorer gives candidates of one kept end numbers; heuristics and trained models are Scorers alike, so
// that baselines and models stand in one table. A Form is a set of rankings with its negatives: shared
// uniform ones, some by degree, hard ones, or all nodes. A Table has the scores of all scorers in all
// forms, with bootstrap intervals, and a verdict.
package score

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Scorer makes workers, each for one goroutine. Names are those of the scores that they give.
type Scorer interface {
	Names() []string
	Worker(links.Workers) Worker
}

// Worker scores the candidates (kept, others[i]), or with reverse (others[i], kept): out[s][i] is score s.
// A score depends on nothing but its candidate.
type Worker interface {
	Score(kept int32, reverse bool, others []int32, out [][]float64)
}

// Group is a kept end with the positives that are ranked for it.
type Group struct {
	Kept    int32
	Reverse bool
	Others  []int32 // the true partners
	Place   []int32 // of each ranking in the results
}

// Ranks are, of each scorer's score and ranking, how many negatives are above and how many equal, and the
// number of negatives of a ranking.
type Ranks struct {
	Above, Equal [][]int32
	Negatives    []int32
}

// Candidates are the negatives of a group: for all of its positives, or for each its own.
type Candidates struct {
	All []int32
	Own [][]int32
}

// Count ranks the positives of groups. Maker makes, for a goroutine, what gives the candidates of a group.
func Count(ctx context.Context, threads int, s Scorer, groups []Group, rankings int, maker func(links.Workers) func(Group) Candidates) (*Ranks, error) {
	n := len(s.Names())
	r := &Ranks{Negatives: make([]int32, rankings)}
	for range n {
		r.Above, r.Equal = append(r.Above, make([]int32, rankings)), append(r.Equal, make([]int32, rankings))
	}
	type state struct {
		worker Worker
		of     func(Group) Candidates
		out    [][]float64
	}
	states := sync.Pool{New: func() any {
		of := links.Workers{}
		return &state{s.Worker(of), maker(of), make([][]float64, n)}
	}}
	errs, err := par.Map(ctx, threads, groups, func(g Group) error {
		st := states.Get().(*state)
		defer states.Put(st)
		c := st.of(g)
		others := append(append([]int32{}, g.Others...), c.All...)
		for _, own := range c.Own {
			others = append(others, own...)
		}
		scoreInto(st.worker, g.Kept, g.Reverse, others, st.out)
		return r.add(s, g, c, st.out, len(others))
	})
	if err = cmp.Or(err, cmp.Or(errs...)); err != nil {
		return nil, err
	}
	return r, nil
}

// scoreInto scores into arrays that grow as needed.
func scoreInto(w Worker, kept int32, reverse bool, others []int32, out [][]float64) {
	for i := range out {
		if cap(out[i]) < len(others) {
			out[i] = make([]float64, len(others))
		}
		out[i] = out[i][:len(others)]
	}
	w.Score(kept, reverse, others, out)
}

// add counts the rankings of a group.
func (r *Ranks) add(s Scorer, g Group, c Candidates, out [][]float64, n int) error {
	for k := range out {
		if rank.HasNaN(out[k][:n]) {
			return fmt.Errorf("%s: %w", s.Names()[k], rank.ErrNaN)
		}
		from := len(g.Others) + len(c.All)
		for i, place := range g.Place {
			negatives := out[k][len(g.Others):][:len(c.All)]
			if c.Own != nil {
				negatives = out[k][from : from+len(c.Own[i])]
				from += len(c.Own[i])
			}
			p := out[k][i]
			for _, x := range negatives {
				if x > p {
					r.Above[k][place]++
				} else if x == p {
					r.Equal[k][place]++
				}
			}
			r.Negatives[place] = int32(len(negatives))
		}
	}
	return nil
}

// Values are the ranks of a score. The counts of all rankings of one result are added up: Merge[i] is the
// result of ranking i.
func (r *Ranks) Values(k int, merge []int32, results int) []float64 {
	out := lists.Repeat[float64](1, results)
	for i, at := range merge {
		out[at] += float64(r.Above[k][i]) + float64(r.Equal[k][i])/2
	}
	return out
}

// Joined is several scorers as one.
type Joined []Scorer

// Names are those of all.
func (j Joined) Names() []string {
	var out []string
	for _, s := range j {
		out = append(out, s.Names()...)
	}
	return out
}

// Worker scores with all of them.
func (j Joined) Worker(of links.Workers) Worker {
	w := &joinedWorker{}
	for _, s := range j {
		w.workers, w.width = append(w.workers, s.Worker(of)), append(w.width, len(s.Names()))
	}
	return w
}

type joinedWorker struct {
	workers []Worker
	width   []int
}

func (w *joinedWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	for i, s := range w.workers {
		s.Score(kept, reverse, others, out[:w.width[i]])
		out = out[w.width[i]:]
	}
}

// Heuristics scores with the columns that are baselines.
type Heuristics struct{ *links.Columns }

// Names are those of the baselines.
func (h Heuristics) Names() []string {
	var out []string
	for i, name := range h.Columns.Names() {
		if h.IsBaseline(i) {
			out = append(out, name)
		}
	}
	return out
}

// Worker makes a worker.
func (h Heuristics) Worker(of links.Workers) Worker {
	return &heuristicWorker{h.Columns, of.Of(h.Columns), make([]float64, len(h.Columns.Names()))}
}

type heuristicWorker struct {
	c   *links.Columns
	w   *links.Worker
	row []float64
}

func (w *heuristicWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	w.w.Keep(kept)
	for i, v := range others {
		w.w.Row(v, reverse, w.row)
		k := 0
		for c, x := range w.row {
			if w.c.IsBaseline(c) {
				out[k][i] = x
				k++
			}
		}
	}
}
