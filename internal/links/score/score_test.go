package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
)

// by is a scorer that calls a function.
type by struct {
	name string
	of   func(u, v int32) float64
}

func (b by) Names() []string             { return []string{b.name} }
func (b by) Worker(links.Workers) Worker { return b }

func (b by) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	for i, v := range others {
		out[0][i] = b.of(kept, v)
		if reverse {
			out[0][i] = b.of(v, kept)
		}
	}
}

// setting returns a random graph with some positives.
func setting(t *testing.T, kind links.Kind, threads int) *Setting {
	t.Helper()
	r := rand.New(rand.NewPCG(6, 6))
	table := links.Table{Kind: kind}
	for v := range 40 {
		table.IDs = append(table.IDs, fmt.Sprintf("n%d", v))
	}
	for range 150 {
		u, v := r.IntN(40), r.IntN(40)
		if kind == links.Bipartite {
			u, v = u/2, 20+v/2
		}
		table.Ends = append(table.Ends, int32(u), int32(v))
	}
	d, err := links.NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	split := links.SplitRandom(d, [3]float64{0.6, 0.1, 0.3}, 1)
	plan := links.NewPlan(d, links.NewKnown(d), split, 1, false)
	s := &Setting{Data: d, Known: links.NewKnown(d), Columns: links.NewColumns(links.NewGraph(d, split.Visible(links.Train, false)), nil),
		Negatives: plan.Negatives[links.Test], Seed: 1, Threads: threads, K: 10, Listed: links.KnownIn(links.NewGraph(d, split.Visible(links.Train, false)))}
	for _, i := range split.Of(links.Test) {
		s.Positives = append(s.Positives, d.Pairs[i])
	}
	return s
}

// evaluate returns the table of one form.
func evaluate(t *testing.T, s *Setting, sc Scorer, form string, models ...string) (*Table, error) {
	t.Helper()
	tables, err := s.Evaluate(t.Context(), sc, []string{form}, models)
	if err != nil {
		return nil, err
	}
	return tables[0], nil
}

// The tables of forms that are evaluated together equal the tables of forms that are evaluated one
// after another.
func TestFormsTogether(t *testing.T) {
	for _, kind := range []links.Kind{links.Undirected, links.Directed, links.Bipartite} {
		s := setting(t, kind, 3)
		hash := by{"hash", func(u, v int32) float64 { return float64(links.Mix(uint64(u)<<32 | uint64(v))) }}
		sc := Joined{Heuristics{s.Columns}, hash}
		forms := []string{Uniform, Degree, Hard, All}
		if kind == links.Bipartite {
			forms = append(forms, Lists)
		}
		together, err := s.Evaluate(t.Context(), sc, forms, []string{"hash"})
		if err != nil {
			t.Fatal(err)
		}
		for i, form := range forms {
			alone, err := evaluate(t, s, sc, form, "hash")
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(together[i], alone) {
				t.Errorf("%s: together with other forms %s is\n%+v\nand alone\n%+v", kind, form, together[i], alone)
			}
		}
	}
}

// In every form, a scorer that knows the answer has rank 1, a constant scorer has the middle rank,
// and a hash has about the middle rank.
func TestForms(t *testing.T) {
	for _, kind := range []links.Kind{links.Undirected, links.Directed, links.Bipartite} {
		s := setting(t, kind, 2)
		sc := Joined{Heuristics{s.Columns},
			by{"oracle", func(u, v int32) float64 {
				if _, ok := s.Data.Find(u, v); ok {
					return 1
				}
				return 0
			}},
			by{"constant", func(u, v int32) float64 { return 7 }},
			by{"hash", func(u, v int32) float64 { return float64(links.Mix(uint64(min(u, v))<<32 | uint64(max(u, v)))) }}}
		for _, form := range []string{Degree, Hard, All} {
			table, err := evaluate(t, s, sc, form, "oracle")
			if err != nil {
				t.Fatal(err)
			}
			get := func(name, of string) float64 {
				at := slices.IndexFunc(table.Rows, func(r Row) bool { return r.Name == name })
				return table.Rows[at].Scores[of].Mean
			}
			if got := get("oracle", "mrr"); got != 1 {
				t.Errorf("%s, %s: MRR of the oracle is %v", kind, form, got)
			}
			if got := get("constant", "mean_rank_share"); math.Abs(got-0.5) > 0.06 {
				t.Errorf("%s, %s: a constant is ranked at %v, want the middle", kind, form, got)
			}
			if got := get("hash", "mean_rank_share"); math.Abs(got-0.5) > 0.15 {
				t.Errorf("%s, %s: a hash is ranked at %v, want about the middle", kind, form, got)
			}
			for _, r := range table.Rows {
				sum := 0
				for _, n := range r.Ranks {
					sum += n
				}
				if sum != table.Rankings || r.Name == "oracle" && len(r.Ranks) != 1 || r.Name == "constant" && r.Ranks[0] == sum {
					t.Errorf("%s, %s: the %d rankings of %s are counted as %v", kind, form, table.Rankings, r.Name, r.Ranks)
				}
				if (r.Verdict == "ahead of") != (r.Name == "oracle") {
					t.Errorf("%s, %s: verdict of %s is %q", kind, form, r.Name, r.Verdict)
				}
			}
		}
		table, err := evaluate(t, s, sc, Uniform)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Rows[len(table.Rows)-3].Scores["roc_auc"].Mean; got != 1 {
			t.Errorf("%s: ROC-AUC of the oracle is %v", kind, got)
		}
		if got := table.Rows[len(table.Rows)-2].Scores["hits@10"].Mean; got != 0 {
			t.Errorf("%s: Hits@10 of a constant is %v", kind, got)
		}
	}
}

// If ranking all nodes takes too long, Tuned names the form that was used instead.
func TestTuneSaysItsForm(t *testing.T) {
	s := setting(t, links.Undirected, 2)
	sc := by{"constant", func(u, v int32) float64 { return 7 }}
	for _, c := range []struct {
		most       int64
		form, want string
	}{{0, All, "mrr all"}, {1, All, "mrr degree1000"}, {0, Hard, fmt.Sprintf("mrr hard%d", s.K)}, {0, Uniform, "hits@"}} {
		s.Most, s.Least = c.most, 10
		v, err := s.Tune(t.Context(), sc, c.form)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Measure + " " + v.Form; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s within %d scores is %q, want %q", c.form, c.most, got, c.want)
		}
		if table, err := evaluate(t, s, sc, c.form); err != nil || (table.Asked != "") != (c.most == 1) {
			t.Errorf("%s within %d scores: asked for %q, %v", c.form, c.most, table.Asked, err)
		}
	}
}

// Tables have the same bits for any number of threads.
func TestThreads(t *testing.T) {
	for _, form := range []string{Uniform, Degree, Hard, All, Lists} {
		var first string
		for _, threads := range []int{1, 2, 7} {
			s := setting(t, links.Bipartite, threads)
			table, err := evaluate(t, s, Heuristics{s.Columns}, form)
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(table.Rows); first == "" {
				first = text
			} else if text != first {
				t.Errorf("%s: %d threads give another table", form, threads)
			}
		}
	}
}

func TestNaNIsAnError(t *testing.T) {
	s := setting(t, links.Undirected, 1)
	for _, form := range []string{Uniform, All} {
		if _, err := evaluate(t, s, by{"nan", func(u, v int32) float64 { return math.NaN() }}, form); err == nil {
			t.Errorf("%s: NaN is no error", form)
		}
	}
}

func TestTop(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		scores := make([]float64, r.IntN(30))
		for i := range scores {
			scores[i] = float64(r.IntN(6))
		}
		want := make([]int, len(scores))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return int(scores[b] - scores[a]) })
		k := r.IntN(12)
		if got := Top(scores, k); !slices.Equal(got, want[:min(k, len(want))]) {
			t.Fatalf("the first %d of %v are %v, want %v", k, scores, got, want[:min(k, len(want))])
		}
	}
}
