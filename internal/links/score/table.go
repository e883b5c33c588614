package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Table has the scores of a form.
type Table struct {
	Form      string  `json:"form"`                     // with the number of negatives, such as hard500
	Asked     string  `json:"form_asked_for,omitempty"` // the requested form, if Form replaces it, such as all, which degree1000 replaces
	Main      string  `json:"main"`                     // the score that verdicts compare
	Positives int     `json:"positives"`
	Rankings  int     `json:"rankings"`
	Left      int     `json:"positives_left_out,omitempty"` // chosen by seed, because scoring all positives would take too long
	Negatives float64 `json:"negatives"`                    // average number in a ranking
	Rows      []Row   `json:"rows"`
	Slices    []Slice `json:"slices,omitempty"`
	Misses    []Miss  `json:"misses,omitempty"` // the positives that the model ranks worst
	ends      [][2]int32
}

// Row has the scores of one scorer.
type Row struct {
	Name   string                   `json:"name"`
	Model  bool                     `json:"model,omitempty"`
	Scores map[string]rank.Interval `json:"scores"`
	// Verdict compares a model with the best baseline by the main score.
	Verdict  string         `json:"verdict,omitempty"`
	Baseline string         `json:"best_baseline,omitempty"`
	Margin   *rank.Interval `json:"margin,omitempty"`
	// Ranks has the numbers of rankings in which the rank of the positive is below 2, then below 4,
	// below 8 and so on.
	Ranks  []int     `json:"ranks,omitempty"`
	values []float64 // the main score is their mean
}

// Slice is the main score on a part of the values.
type Slice struct {
	Of     string             `json:"of"`
	Values int                `json:"values"`
	Scores map[string]float64 `json:"scores"`
	// Intervals are the intervals of the model and of its best baseline. Margin is the interval of
	// their difference.
	Intervals map[string]rank.Interval `json:"intervals,omitempty"`
	Margin    *rank.Interval           `json:"margin,omitempty"`
}

// Miss is a positive with its rank, the degrees of its ends in the graph without it, and their
// distance, as in the name of a slice.
type Miss struct {
	Source   string  `json:"source"`
	Target   string  `json:"target"`
	Rank     float64 `json:"rank"`
	Distance string  `json:"distance"`
	Degrees  [2]int  `json:"degrees"`
}

// Evaluate computes the tables of all scorers in forms. Names in models are models; all others are
// baselines.
func (s *Setting) Evaluate(ctx context.Context, sc Scorer, forms, models []string) ([]*Table, error) {
	if len(s.Positives) == 0 {
		return nil, fmt.Errorf("there are no positives to score")
	}
	p := newPass(sc)
	finish := make([]func() *Table, len(forms))
	for i, form := range forms {
		var err error
		switch form {
		case Uniform:
			finish[i], err = s.sharedTable(p, models)
		case Lists:
			finish[i], err = s.listTable(ctx, p, models)
		default:
			finish[i], err = s.rankTable(p, form, models)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.run(ctx, s.Threads); err != nil {
		return nil, err
	}
	return lists.Map(finish, func(f func() *Table) *Table { return f() }), nil
}

// bootstrap resamples nodes: only the sources in a graph with sources.
func (s *Setting) bootstrap(ends [][2]int32) *rank.Bootstrap {
	return rank.NewBootstrap(ends, s.Data.Kind == links.Undirected, rng.Stream(s.Seed, "links", "bootstrap"))
}

// rankTable adds the tasks of a form in which each positive has its own negatives. It returns a
// function that makes the table when the tasks have run.
func (s *Setting) rankTable(p *pass, form string, models []string) (func() *Table, error) {
	r, err := s.of(form)
	if err != nil {
		return nil, err
	}
	counts, distance := r.count(p), s.distances(p, r)
	return func() *Table {
		t := &Table{Form: r.name, Main: "mrr", Positives: len(s.Positives), Rankings: len(r.ends), Left: r.left, ends: r.ends}
		if !strings.HasPrefix(t.Form, form) {
			t.Asked = form
		}
		for _, n := range counts.Negatives {
			t.Negatives += float64(n) / float64(len(r.ends))
		}
		names := p.scorer.Names()
		ranks := make([][]float64, len(names))
		for k := range ranks {
			ranks[k] = counts.Values(k, r.merge, len(r.ends))
		}
		t.fill(s.bootstrap(r.ends), names, ranks, models)
		t.addSlices(s, r, distance)
		return t
	}, nil
}

// OfRanks returns the table of given ranks. There are ranks for each name. The values belong to
// ends.
func (s *Setting) OfRanks(form string, names []string, ranks [][]float64, ends [][2]int32, negatives float64, models []string) *Table {
	t := &Table{Form: form, Main: "mrr", Positives: len(ends), Rankings: len(ends), Negatives: negatives, ends: ends}
	t.fill(s.bootstrap(ends), names, ranks, models)
	return t
}

// SliceBy adds a slice with the values for which holds is true.
func (t *Table) SliceBy(s *Setting, name string, holds []bool) {
	t.addSlice(s, name, lists.Where[int](holds, func(_ int, is bool) bool { return is }))
}

// addSlice adds a slice with the given values. Models and their best baseline have intervals in it.
func (t *Table) addSlice(s *Setting, name string, members []int) {
	sl := Slice{Of: name, Values: len(members), Scores: map[string]float64{}}
	var b *rank.Bootstrap
	if len(members) > 0 {
		b = s.bootstrap(lists.Take(t.ends, members))
	}
	for _, r := range t.Rows {
		values := lists.Take(r.values, members)
		for _, v := range values {
			sl.Scores[r.Name] += v / float64(len(values))
		}
		k := slices.IndexFunc(t.Rows, func(base Row) bool { return r.Model && base.Name == r.Baseline })
		if b == nil || k < 0 || sl.Margin != nil {
			continue
		}
		baseline := lists.Take(t.Rows[k].values, members)
		sl.Intervals = map[string]rank.Interval{r.Name: b.Mean(values), r.Baseline: b.Mean(baseline)}
		_, margin := b.Verdict(values, baseline)
		sl.Margin = &margin
	}
	t.Slices = append(t.Slices, sl)
}

// fill computes the rows from ranks and compares models with baselines.
func (t *Table) fill(b *rank.Bootstrap, names []string, all [][]float64, models []string) {
	for k, name := range names {
		ranks := all[k]
		row := Row{Name: name, Scores: map[string]rank.Interval{}, values: make([]float64, len(ranks))}
		share := make([]float64, len(ranks))
		for i, x := range ranks {
			row.values[i], share[i] = 1/x, x/(t.Negatives+1)
			for at := math.Ilogb(x); ; row.Ranks = append(row.Ranks, 0) {
				if at < len(row.Ranks) {
					row.Ranks[at]++
					break
				}
			}
		}
		row.Scores["mrr"] = b.Mean(row.values)
		row.Scores["mean_rank_share"] = b.Mean(share)
		for _, cut := range rank.Cuts() {
			row.Scores[fmt.Sprintf("hits@%d", cut)] = b.Mean(rank.Hits(ranks, cut))
		}
		t.Rows = append(t.Rows, row)
	}
	t.addVerdicts(b, models)
}

// sharedTable adds the tasks of positives and shared negatives. It returns a function that makes
// the table when the tasks have run.
func (s *Setting) sharedTable(p *pass, models []string) (func() *Table, error) {
	if len(s.Negatives) == 0 {
		return nil, fmt.Errorf("there are no negatives: every pair of nodes is known")
	}
	all := p.pairs(slices.Concat(s.Positives, s.Negatives))
	return func() *Table {
		positives, negatives := s.divide(all)
		return s.ofShared(p.scorer.Names(), positives, negatives, models)
	}, nil
}

// ofShared returns the table of the scores of positives and of shared negatives, for each name.
func (s *Setting) ofShared(names []string, positives, negatives [][]float64, models []string) *Table {
	t := &Table{Form: Uniform, Main: "roc_auc", Positives: len(s.Positives), Rankings: len(s.Positives), Negatives: float64(len(s.Negatives))}
	b := s.bootstrap(s.Positives)
	for _, cut := range rank.Cuts() {
		if cut <= len(s.Negatives) && cut >= 10 {
			t.Main = fmt.Sprintf("hits@%d", cut)
		}
	}
	for k, name := range names {
		row := Row{Name: name, Scores: map[string]rank.Interval{}}
		for _, cut := range rank.Cuts() {
			hit := rank.SharedHits(positives[k], negatives[k], cut)
			if hit == nil {
				continue
			}
			name := fmt.Sprintf("hits@%d", cut)
			row.Scores[name] = b.Mean(hit)
			if name == t.Main {
				row.values = hit
			}
		}
		auc, ap := rank.ROCAUC(positives[k], negatives[k]), rank.AveragePrecision(positives[k], negatives[k])
		row.Scores["roc_auc"], row.Scores["average_precision"] = rank.Interval{Mean: auc, Low: auc, High: auc}, rank.Interval{Mean: ap, Low: ap, High: ap}
		row.Scores["mrr"] = sharedMRR(positives[k], negatives[k])
		t.Rows = append(t.Rows, row)
	}
	t.addVerdicts(b, models)
	t.sliceSeen(s, s.Positives)
	return t
}

func sharedMRR(positives, negatives []float64) rank.Interval {
	ranks := make([]float64, len(positives))
	for i, p := range positives {
		ranks[i], _ = rank.Of(p, negatives) // no score is NaN here
	}
	m := rank.Reciprocal(ranks)
	return rank.Interval{Mean: m, Low: m, High: m}
}

// addVerdicts compares the rows of models with the best baseline of the form.
func (t *Table) addVerdicts(b *rank.Bootstrap, models []string) {
	best := -1
	for i, r := range t.Rows {
		t.Rows[i].Model = slices.Contains(models, r.Name)
		if !t.Rows[i].Model && r.values != nil && (best < 0 || r.Scores[t.Main].Mean > t.Rows[best].Scores[t.Main].Mean) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if !r.Model || r.values == nil {
			continue
		}
		verdict, margin := b.Verdict(r.values, t.Rows[best].values)
		r.Verdict, r.Baseline, r.Margin = verdict, t.Rows[best].Name, &margin
	}
}

// addSlices adds slices by the degree of the end with fewer pairs, and by distance.
func (t *Table) addSlices(s *Setting, r *rankings, distance []int8) {
	g := s.Columns.Graph
	members := map[string][]int{}
	for i, p := range r.ends {
		d := min(g.Both.Degree(p[0]), g.Both.Degree(p[1]))
		members[degreeSlice(d)] = append(members[degreeSlice(d)], i)
		of := distanceSlices[distance[i]]
		members[of] = append(members[of], i)
	}
	for _, name := range []string{"degree 0", "degree 1-3", "degree 4-15", "degree 16+", "distance 1, the other way", "distance 2", "distance 3", "distance more", "distance none"} {
		if len(members[name]) > 0 {
			t.addSlice(s, name, members[name])
		}
	}
	t.addMisses(s, r, distance)
}

// distanceSlices are the slices by distance.
var distanceSlices = map[int8]string{1: "distance 1, the other way", 2: "distance 2", 3: "distance 3", 4: "distance more", 5: "distance none"}

// distances adds tasks that compute the distance of the ends of each value.
func (s *Setting) distances(p *pass, r *rankings) []int8 {
	out := make([]int8, len(r.ends))
	for _, g := range byKept(r.ends) {
		p.add(g.Kept, func(st *state) error {
			w := st.of.Of(s.Columns)
			w.Keep(g.Kept)
			for i, v := range g.Others {
				raw := w.Raw(v, false)
				out[g.Place[i]] = int8(raw.Distance())
			}
			return nil
		})
	}
	return out
}

// mostMisses is the largest number of misses in a table.
const mostMisses = 8

// addMisses stores the positives that the model ranks worst, each positive once.
func (t *Table) addMisses(s *Setting, r *rankings, distance []int8) {
	k := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Model })
	if k < 0 {
		return
	}
	values := t.Rows[k].values
	order := lists.Range[int](len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	seen := map[int32]bool{}
	for _, i := range order {
		at := r.pairsOf[i]
		if seen[at] || len(t.Misses) == mostMisses {
			continue
		}
		seen[at] = true
		p, g := r.ends[i], s.Columns.Graph.Both
		t.Misses = append(t.Misses, Miss{Source: s.Data.IDs[p[0]], Target: s.Data.IDs[p[1]], Rank: 1 / values[i], Distance: distanceSlices[distance[i]], Degrees: [2]int{g.Degree(p[0]), g.Degree(p[1])}})
	}
	t.sliceSeen(s, r.ends)
}

// sliceSeen adds slices for a split of nodes: by whether training saw the nodes of a value. The
// cold slice has the values with a node that has no pair in the graph.
func (t *Table) sliceSeen(s *Setting, ends [][2]int32) {
	t.ends = ends
	if s.Unseen == nil || t.Rows[0].values == nil {
		return
	}
	for _, c := range []struct {
		name string
		is   func(p [2]int32) bool
	}{
		{"nodes all seen", func(p [2]int32) bool { return !s.Unseen[p[0]] && !s.Unseen[p[1]] }},
		{"nodes one unseen", func(p [2]int32) bool { return s.Unseen[p[0]] != s.Unseen[p[1]] }},
		{"nodes all unseen", func(p [2]int32) bool { return s.Unseen[p[0]] && s.Unseen[p[1]] }},
		{"nodes cold", func(p [2]int32) bool { return s.Cold[p[0]] || s.Cold[p[1]] }},
	} {
		if in := lists.Map(ends, c.is); slices.Contains(in, true) {
			t.SliceBy(s, c.name, in)
		}
	}
}

func degreeSlice(d int) string {
	switch {
	case d == 0:
		return "degree 0"
	case d <= 3:
		return "degree 1-3"
	case d <= 15:
		return "degree 4-15"
	}
	return "degree 16+"
}
