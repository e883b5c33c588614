package score

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// listCuts are the values of K for recommendation lists.
var listCuts = []int{10, 20}

// listTable adds tasks that rank all targets for each source with positives, except partners that
// are in the graph. It returns a function that makes the table when the tasks have run.
func (s *Setting) listTable(ctx context.Context, p *pass, models []string) (func() *Table, error) {
	known := s.Listed
	if known == nil {
		known = s.Known
	}
	held := map[int32][]int32{}
	var sources []int32
	for _, p := range s.Positives {
		if held[p[0]] == nil {
			sources = append(sources, p[0])
		}
		held[p[0]] = append(held[p[0]], p[1])
	}
	all := len(sources)
	sources = s.someSources(sources)
	tops, err := s.tops(ctx, p, sources, known)
	if err != nil {
		return nil, err
	}
	return func() *Table {
		t := &Table{Form: Lists, Main: "ndcg@20", Positives: len(s.Positives), Rankings: len(sources), Left: all - len(sources)}
		_, targets := s.Data.Ends()
		ends, of := make([][2]int32, len(sources)), make([][]int32, len(sources))
		for i, u := range sources {
			ends[i], of[i] = [2]int32{u, u}, held[u]
			t.Negatives += float64(len(targets)-len(known.Of(u, false))-len(held[u])) / float64(len(sources))
		}
		b := s.bootstrap(ends)
		for k, name := range p.scorer.Names() {
			t.Rows = append(t.Rows, s.listRow(name, b, tops[k], of))
		}
		t.addVerdicts(b, models)
		t.sliceSeen(s, ends)
		return t
	}, nil
}

// Lists are scored for all sources if this takes at most listScores scores, otherwise for at least
// leastLists sources.
const (
	listScores = 50_000_000
	leastLists = 1000
)

// someSources returns the sources whose lists are scored. They are drawn by a hash of ids and seed
// and keep their order.
func (s *Setting) someSources(sources []int32) []int32 {
	_, targets := s.Data.Ends()
	limit := max(leastLists, listScores/max(1, len(targets)))
	if len(sources) <= limit {
		return sources
	}
	key := func(u int32) uint64 { return links.Mix(links.Mix(s.Seed) ^ s.Data.Hash[u]) }
	keys := lists.Map(sources, key)
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Clone(sources), func(u int32) bool { return key(u) >= keys[limit] })
}

// listing has the scorers of lists that are not Products, and the positions of their names in the
// pass.
type listing struct {
	of     Joined
	places []int
}

// tops returns the best targets of sources by each score, [score][source]. Those of Products are
// complete, the others when the added tasks have run.
func (s *Setting) tops(ctx context.Context, p *pass, sources []int32, known *links.Known) (tops [][][]int32, err error) {
	most := listCuts[len(listCuts)-1]
	l := &listing{}
	for _, sc := range parts(p.scorer) {
		if of, ok := sc.(*Products); ok {
			best, err := of.Top(ctx, s.Threads, sources, false, most, known, known.Allowed)
			if err != nil {
				return nil, err
			}
			tops = append(tops, lists.Map(best, func(list []Ranked) []int32 {
				return lists.Map(list, func(x Ranked) int32 { return x.Node })
			}))
			continue
		}
		l.of = append(l.of, sc)
		for range sc.Names() {
			l.places = append(l.places, len(tops))
			tops = append(tops, make([][]int32, len(sources)))
		}
	}
	if l.of == nil {
		return tops, nil
	}
	for i, u := range sources {
		p.add(u, func(st *state) error {
			if st.listers[l] == nil {
				st.listers[l] = &scoring{scorer: l.of, of: st.of}
			}
			others := known.Candidates(s.Data, u, false)
			scores, err := st.listers[l].score(u, false, others)
			for k := range scores {
				tops[l.places[k]][i] = lists.Map(Top(scores[k], most), func(at int) int32 { return others[at] })
			}
			return err
		})
	}
	return tops, nil
}

// parts returns the scorers that a scorer joins.
func parts(sc Scorer) (out []Scorer) {
	j, ok := sc.(Joined)
	if !ok {
		return []Scorer{sc}
	}
	for _, part := range j {
		out = append(out, parts(part)...)
	}
	return out
}

// listRow returns the scores of one scorer's lists.
func (s *Setting) listRow(name string, b *rank.Bootstrap, lists, held [][]int32) Row {
	row := Row{Name: name, Scores: map[string]rank.Interval{}}
	for _, k := range listCuts {
		values := map[string][]float64{}
		for i := range lists {
			l := rank.ListOf(lists[i], held[i], k)
			for of, v := range map[string]float64{"recall": l.Recall, "ndcg": l.NDCG, "map": l.MAP, "mrr": l.MRR, "hit": l.Hit} {
				name := fmt.Sprintf("%s@%d", of, k)
				values[name] = append(values[name], v)
			}
		}
		for of, v := range values {
			row.Scores[of] = b.Mean(v)
		}
		row.values = values[fmt.Sprintf("ndcg@%d", k)]
	}
	times, popularity, shown := make([]float64, s.Data.Nodes()), 0.0, 0.0
	for _, l := range lists {
		for _, v := range l {
			times[v]++
			popularity += float64(s.Columns.Graph.In.Degree(v))
			shown++
		}
	}
	_, targets := s.Data.Ends()
	counts, covered := make([]float64, 0, len(targets)), 0.0
	for _, v := range targets {
		counts = append(counts, times[v])
		covered += min(1, times[v])
	}
	for of, v := range map[string]float64{"coverage": covered / float64(len(targets)), "gini": rank.Gini(counts), "mean_popularity": popularity / max(1, shown)} {
		row.Scores[of] = rank.Interval{Mean: v, Low: v, High: v}
	}
	return row
}

// Top returns the positions of the k largest scores, by descending score. Of equal scores the
// smaller position comes first.
func Top(scores []float64, k int) []int {
	best := NewBest(k)
	for i, x := range scores {
		if best.takes(x) {
			best.Add(Ranked{int32(i), x})
		}
	}
	return lists.Map(best.Sorted(), func(x Ranked) int { return int(x.Node) })
}

// Tuned is a score for a choice on validation.
type Tuned struct {
	Value   float64
	Measure string // such as mrr
	Form    string // of the negatives that were used, such as hard100; degree1000 if all nodes would take too long
}

// Tune returns the score of a scorer in a form, by the main measure, for choices on validation.
func (s *Setting) Tune(ctx context.Context, sc Scorer, form string) (Tuned, error) {
	t, err := s.Evaluate(ctx, sc, []string{form}, nil)
	if err != nil {
		return Tuned{}, err
	}
	return t[0].Tuned(0), nil
}

// Tuned returns the main score of a row.
func (t *Table) Tuned(row int) Tuned { return Tuned{t.Rows[row].Scores[t.Main].Mean, t.Main, t.Form} }

// Workers has the workers of a scorer, for callers that score one end at a time from several
// goroutines.
type Workers struct {
	pool sync.Pool
	n    int
}

// NewWorkers returns the workers of a scorer.
func NewWorkers(sc Scorer) *Workers {
	return &Workers{pool: sync.Pool{New: func() any { return sc.Worker(links.Workers{}) }}, n: len(sc.Names())}
}

// Score returns the first score of the candidates of a kept end.
func (r *Workers) Score(kept int32, reverse bool, others []int32) []float64 {
	w := r.pool.Get().(Worker)
	defer r.pool.Put(w)
	out := make([][]float64, r.n)
	scoreInto(w, kept, reverse, others, out)
	return out[0]
}
