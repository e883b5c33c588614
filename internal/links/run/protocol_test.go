package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links/score"
)

// small changes settings so that training takes a moment.
func small(s *Settings) *Settings {
	s.GAE.Epochs, s.GAE.Every, s.GAE.Width = 8, 4, 8
	return s
}

// bipartiteOnly reports whether a model is only for bipartite graphs.
func bipartiteOnly(model string) bool {
	k, _ := kindOf(model)
	return k.bipartite
}

// No model or baseline predicts held-out pairs that are drawn at random and are no edges: the model
// cannot see the pairs that it is tested on.
func TestFooled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(6, 6))
	for _, model := range Models()[1:] {
		rows, parts := blocks(60, 0.5, 0.02), []string{"valid", "test", "test"}
		random := func() string { return fmt.Sprintf("n%d,n%d", r.IntN(60), r.IntN(60)) }
		if bipartiteOnly(model) {
			rows = []string{"source,target"}
			for _, row := range shop(60, 24)[1:] {
				rows = append(rows, row[:strings.LastIndex(row, ",")])
			}
			random = func() string { return fmt.Sprintf("c%d,i%d", r.IntN(60), r.IntN(24)) }
		}
		taken := map[string]bool{}
		for i, row := range rows {
			if i > 0 {
				taken[row] = true
				rows[i] = row + ",train"
			}
		}
		rows[0] += ",part"
		for k := 0; k < 150; {
			row := random()
			u, v, _ := strings.Cut(row, ",")
			if u == v || taken[row] || taken[v+","+u] {
				continue
			}
			taken[row] = true
			rows = append(rows, row+","+parts[k%3])
			k++
		}
		s := small(newSettings(write(t, rows), model))
		s.Split, s.Tables.Part = ByColumn, "part"
		if bipartiteOnly(model) {
			s.Tables.Form, s.Select = 0, score.Lists
		}
		res, _ := train(t, s, Options{Forms: []string{score.All}})
		for _, row := range res.Tables[0].Rows {
			if m := row.Scores["mean_rank_share"]; m.High < 0.45 {
				t.Errorf("%s beside %s ranks random pairs at %.2f [%.2f, %.2f], which is better than chance", row.Name, model, m.Mean, m.Low, m.High)
			}
		}
	}
}

// The order of rows, their direction and repeated rows do not change the scores of any model, to
// the bit.
func TestRowsChangeNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(8, 8))
	for _, model := range Models()[1:] {
		rows := blocks(40, 0.5, 0.05)
		if bipartiteOnly(model) {
			rows = shop(40, 24)
		}
		other := slices.Clone(rows[1:])
		for range 30 {
			other = append(other, other[r.IntN(len(other))])
		}
		r.Shuffle(len(other), func(i, k int) { other[i], other[k] = other[k], other[i] })
		if !bipartiteOnly(model) {
			for i, row := range other {
				if u, v, _ := strings.Cut(row, ","); r.IntN(2) == 0 {
					other[i] = v + "," + u
				}
			}
		}
		var all []string
		for k, rows := range [][]string{rows, append([]string{rows[0]}, other...)} {
			s := small(newSettings(write(t, rows), model))
			if bipartiteOnly(model) {
				s.Tables, s.Select = tables.Options{Source: "customer", Target: "item"}, score.Lists
			}
			res, _ := train(t, s, Options{Threads: 1 + k, Forms: []string{score.Uniform, score.All}})
			text := ""
			for _, table := range res.Tables {
				for _, row := range table.Rows {
					text += fmt.Sprintln(table.Form, row.Name, row.Scores)
				}
			}
			all = append(all, text)
		}
		if all[0] != all[1] {
			t.Errorf("%s: other rows of the same pairs give\n%s\nwant\n%s", model, all[1], all[0])
		}
	}
}

// In a complete bipartite graph without a matching, the models recommend the matching.
func TestMatching(t *testing.T) {
	rows := []string{"source,target"}
	for u := range 14 {
		for v := range 14 {
			if u != v {
				rows = append(rows, fmt.Sprintf("u%02d,i%02d", u, v))
			}
		}
	}
	for _, model := range []string{IALS, Trees, LightGCN} {
		s := small(newSettings(write(t, rows), model))
		s.Tables.Form, s.Select, s.Fractions = 0, score.Lists, [3]float64{0.9, 0.05, 0.05}
		_, dir := train(t, s, Options{Forms: []string{score.Uniform}})
		run, err := Load(t.Context(), dir, LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := run.TopLinks(t.Context(), Query{Top: 20})
		if err != nil || len(list) != 14 {
			t.Fatalf("%s: %d missing links, %v, want 14", model, len(list), err)
		}
		for _, x := range list {
			if x.Source[1:] != x.Target[1:] || x.Known {
				t.Errorf("%s: %+v is not of the matching", model, x)
			}
		}
	}
}

// Remarks name properties of the data that a user might not expect.
func TestRemarks(t *testing.T) {
	rows := []string{"source,target,time,label"}
	for i, row := range blocks(30, 0.5, 0.1)[1:] {
		rows = append(rows, fmt.Sprintf("%s,%d,%s", row, i, []string{"yes", "no"}[i%2]))
	}
	rows = append(rows, rows[1], "n1,n1,9,no")
	s := newSettings(write(t, rows), Trees)
	d, err := Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(d.Notes, "\n")
	for _, want := range []string{"label is no feature of link prediction; to learn it use --task edge-classification", "1 rows are loops", "1 rows repeat a pair", "--split time asks"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the remarks lack %q:\n%s", want, notes)
		}
	}
}

// Ids that no table has are an error that names similar ids, or are skipped.
func TestUnknownIDs(t *testing.T) {
	_, dir := train(t, small(newSettings(write(t, blocks(30, 0.5, 0.1)), Trees)), Options{Forms: []string{score.Uniform}})
	run, err := Load(t.Context(), dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{For: []string{"n3", "n3x"}, Top: 2}
	if _, err := run.Recommend(t.Context(), q); err == nil || !strings.Contains(err.Error(), `similar ids are "n3"; --context`) {
		t.Errorf("error %v, want one that names n3", err)
	}
	q.SkipUnknown = true
	list, err := run.Recommend(t.Context(), q)
	if err != nil || len(list) != 2 || list[0].Source != "n3" {
		t.Errorf("%v, %v, want two partners of n3", list, err)
	}
	q.For = []string{"n3", "n4", "n3"}
	if list, err = run.Recommend(t.Context(), q); err != nil || len(list) != 4 || list[2].Source != "n4" {
		t.Errorf("%v, %v, want two partners of n3 and of n4, each node once", list, err)
	}
	if list, err = run.Recommend(t.Context(), Query{For: []string{"n3"}, Top: 100, Known: true}); err != nil || len(list) != 29 || !slices.ContainsFunc(list, func(x Recommendation) bool { return x.Known }) {
		t.Errorf("%d partners with known ones, %v, want 29", len(list), err)
	}
}
