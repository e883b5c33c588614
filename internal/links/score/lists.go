package score

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// listCuts are the K of recommendation lists.
var listCuts = []int{10, 20}

// listTable ranks all targets for each source that has positives, without partners that are in the graph.
func (s *Setting) listTable(ctx context.Context, sc Scorer, models []string) (*Table, error) {
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
	groups := make([]Group, len(sources))
	for i, u := range sources {
		groups[i] = Group{Kept: u, Place: []int32{int32(i)}}
	}
	tops, err := s.tops(ctx, sc, groups, known)
	if err != nil {
		return nil, err
	}
	t := &Table{Form: Lists, Main: "ndcg@20", Positives: len(s.Positives), Rankings: len(groups), Left: all - len(groups)}
	_, targets := s.Data.Ends()
	ends := make([][2]int32, len(groups))
	for i, g := range groups {
		ends[i] = [2]int32{g.Kept, g.Kept}
		t.Negatives += float64(len(targets)-len(known.Of(g.Kept, false))-len(held[g.Kept])) / float64(len(groups))
	}
	b := s.bootstrap(ends)
	for k, name := range sc.Names() {
		lists, of := make([][]int32, len(groups)), make([][]int32, len(groups))
		for i, g := range groups {
			lists[i], of[i] = tops[i][k], held[g.Kept]
		}
		t.Rows = append(t.Rows, s.listRow(name, b, lists, of))
	}
	t.judge(b, models)
	t.sliceSeen(s, ends)
	return t, nil
}

// Lists are made of all sources up to listScores scores, beyond it of leastLists sources or more.
const (
	listScores = 50_000_000
	leastLists = 1000
)

// someSources are the sources whose lists are scored, drawn by a hash of ids and seed, in their order.
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

// tops are the best targets of groups by each score: [group][score].
func (s *Setting) tops(ctx context.Context, sc Scorer, groups []Group, known *links.Known) ([][][]int32, error) {
	tops := make([][][]int32, len(groups))
	most := listCuts[len(listCuts)-1]
	if p, ok := sc.(*Products); ok {
		kept := lists.Map(groups, func(g Group) int32 { return g.Kept })
		best, err := p.Top(ctx, s.Threads, kept, false, most, known, known.Allowed)
		for i, list := range best {
			of := lists.Map(list, func(x Ranked) int32 { return x.Node })
			tops[i] = [][]int32{of}
		}
		return tops, err
	}
	if j, ok := sc.(Joined); ok {
		for _, part := range j {
			of, err := s.tops(ctx, part, groups, known)
			if err != nil {
				return nil, err
			}
			for i := range tops {
				tops[i] = append(tops[i], of[i]...)
			}
		}
		return tops, nil
	}
	n := len(sc.Names())
	type state struct {
		worker Worker
		out    [][]float64
	}
	states := sync.Pool{New: func() any { return &state{sc.Worker(links.Workers{}), make([][]float64, n)} }}
	errs, err := par.Map(ctx, s.Threads, groups, func(g Group) error {
		st := states.Get().(*state)
		defer states.Put(st)
		others := known.Candidates(s.Data, g.Kept, false)
		scoreInto(st.worker, g.Kept, false, others, st.out)
		lists := make([][]int32, n)
		for k, scores := range st.out {
			if rank.HasNaN(scores) {
				return fmt.Errorf("%s: %w", sc.Names()[k], rank.ErrNaN)
			}
			for _, i := range Top(scores, most) {
				lists[k] = append(lists[k], others[i])
			}
		}
		tops[g.Place[0]] = lists
		return nil
	})
	if err != nil {
		return nil, err
	}
	return tops, errors.Join(errs...)
}

// listRow scores lists of one scorer.
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

// Top are the places of the k largest scores, the largest first; of equal ones the smaller place is first.
func Top(scores []float64, k int) []int {
	best := NewBest(k)
	for i, x := range scores {
		if best.takes(x) {
			best.Add(Ranked{int32(i), x})
		}
	}
	return lists.Map(best.Sorted(), func(x Ranked) int { return int(x.Node) })
}

// Tuned is a score by which is chosen on validation.
type Tuned struct {
	Value   float64
	Measure string // as mrr
	Form    string // of the negatives that were taken, as hard100; degree1000 where all is too dear
}

// Tune is the score of a scorer in a form by its main measure, for choices on validation.
func (s *Setting) Tune(ctx context.Context, sc Scorer, form string) (Tuned, error) {
	t, err := s.Evaluate(ctx, sc, form, nil)
	if err != nil {
		return Tuned{}, err
	}
	return t.Tuned(0), nil
}

// Tuned is the main score of a row.
func (t *Table) Tuned(row int) Tuned { return Tuned{t.Rows[row].Scores[t.Main].Mean, t.Main, t.Form} }

// Workers are the workers of a scorer, for those who score one end at a time from several goroutines.
type Workers struct {
	pool sync.Pool
	n    int
}

// NewWorkers keeps the workers of a scorer.
func NewWorkers(sc Scorer) *Workers {
	return &Workers{pool: sync.Pool{New: func() any { return sc.Worker(links.Workers{}) }}, n: len(sc.Names())}
}

// Score scores candidates of a kept end by the first score.
func (r *Workers) Score(kept int32, reverse bool, others []int32) []float64 {
	w := r.pool.Get().(Worker)
	defer r.pool.Put(w)
	out := make([][]float64, r.n)
	scoreInto(w, kept, reverse, others, out)
	return out[0]
}
