// Package score compares scorers of links on the same candidates.
//
// A Scorer computes scores for the candidates of one kept end. Heuristics and trained models are
// both Scorers, so one table has baselines and models. A form is a set of rankings with its
// negatives: shared uniform negatives, negatives by degree, hard negatives, or all nodes. A Table
// has the scores of all scorers in a form, with bootstrap intervals and verdicts.
package score

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Scorer makes workers, one for each goroutine. Names returns the names of its scores.
type Scorer interface {
	Names() []string
	Worker(links.Workers) Worker
}

// Worker scores the candidates (kept, others[i]), or with reverse (others[i], kept): out[s][i] is
// score s. A score depends only on its candidate.
type Worker interface {
	Score(kept int32, reverse bool, others []int32, out [][]float64)
}

// Group is a kept end with the positives that are ranked for it.
type Group struct {
	Kept    int32
	Reverse bool
	Others  []int32 // the true partners
	Place   []int32 // the result that each ranking belongs to
}

// Ranks has, for each score and ranking, the numbers of negatives with a higher and with an equal
// score, and for each ranking the number of negatives.
type Ranks struct {
	Above, Equal [][]int32
	Negatives    []int32
}

// Candidates are the negatives of a group, for all of its positives together or for each positive.
type Candidates struct {
	All []int32
	Own [][]int32
}

// count adds tasks that rank the positives of groups.
func (r *rankings) count(p *pass) *Ranks {
	out := &Ranks{Negatives: make([]int32, len(r.merge))}
	for range p.scorer.Names() {
		out.Above, out.Equal = append(out.Above, make([]int32, len(r.merge))), append(out.Equal, make([]int32, len(r.merge)))
	}
	for _, g := range r.groups {
		p.add(g.Kept, func(st *state) error {
			if st.makers[r] == nil {
				st.makers[r] = r.maker(st.of)
			}
			c := st.makers[r](g)
			others := slices.Concat(g.Others, c.All)
			for _, own := range c.Own {
				others = append(others, own...)
			}
			scores, err := st.score(g.Kept, g.Reverse, others)
			if err == nil {
				out.add(g, c, scores)
			}
			return err
		})
	}
	return out
}

// scoreInto writes scores into arrays, which grow as needed.
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
func (r *Ranks) add(g Group, c Candidates, out [][]float64) {
	for k := range out {
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
}

// Values returns the ranks by score k. The counts of all rankings of one result are added. Merge[i]
// is the result of ranking i.
func (r *Ranks) Values(k int, merge []int32, results int) []float64 {
	out := lists.Repeat[float64](1, results)
	for i, at := range merge {
		out[at] += float64(r.Above[k][i]) + float64(r.Equal[k][i])/2
	}
	return out
}

// Joined combines several scorers into one.
type Joined []Scorer

// Names returns the names of all scorers.
func (j Joined) Names() []string {
	var out []string
	for _, s := range j {
		out = append(out, s.Names()...)
	}
	return out
}

// Worker returns a worker that scores with all scorers.
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

// Heuristics scores candidates with the columns that are baselines.
type Heuristics struct{ *links.Columns }

// Names returns the names of the baselines.
func (h Heuristics) Names() []string {
	var out []string
	for i, name := range h.Columns.Names() {
		if h.IsBaseline(i) {
			out = append(out, name)
		}
	}
	return out
}

// Worker returns a worker.
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
