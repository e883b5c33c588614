package run

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links/score"
)

// If the search finds all candidates, two steps give the same lists as one. If it finds fewer, the
// candidates have the same scores as before and are in the node's group, and the result says how
// many of the best partners are found.
func TestTwoSteps(t *testing.T) {
	undirected := func(model string) *Settings { return newSettings(write(t, blocks(80, 0.4, 0.02)), model) }
	bipartite := newSettings(write(t, shop(60, 24)), Trees)
	bipartite.Select, bipartite.Tables = score.Lists, tables.Options{Source: "customer", Target: "item"}
	for name, s := range map[string]*Settings{"gae": undirected(GAE), "trees": undirected(Trees), "bipartite": bipartite} {
		t.Run(name, func(t *testing.T) {
			_, dir := train(t, s, Options{Forms: []string{score.Uniform}, NoBaselines: true})
			var told []string
			run, err := Load(t.Context(), dir, LoadOptions{Threads: 2, Tell: func(text string) { told = append(told, text) }})
			if err != nil {
				t.Fatal(err)
			}
			sources, _ := run.Data.Ends()
			q := Query{Top: 8}
			for _, v := range sources {
				q.For = append(q.For, run.Data.IDs[v])
			}
			recommend := func() []Recommendation {
				list, err := run.Recommend(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				return list
			}
			exact := recommend()
			if len(told) > 0 {
				t.Errorf("one step says %q", told)
			}
			links, err := run.TopLinks(t.Context(), Query{Top: 20})
			if err != nil {
				t.Fatal(err)
			}
			run.exact = 0
			if all := recommend(); fmt.Sprint(all) != fmt.Sprint(exact) {
				t.Error("two steps that find all candidates give other lists")
			}
			if again, err := run.TopLinks(t.Context(), Query{Top: 20}); err != nil || fmt.Sprint(again) != fmt.Sprint(links) {
				t.Errorf("and other links: %v", err)
			}
			if len(told) != 2 || !strings.Contains(told[0], "they have 100.0 % of what is in the first 8") {
				t.Errorf("two steps say %q", told)
			}
			run.most, run.each = 12, 4
			group, first := 0, 0
			few := recommend()
			for _, x := range few {
				if x.Known || x.Source == x.Target || math.IsNaN(x.Score) {
					t.Errorf("%+v", x)
				}
				var u, v int
				fmt.Sscanf(x.Source[1:], "%d", &u)
				fmt.Sscanf(x.Target[1:], "%d", &v)
				if x.Rank <= 3 {
					first++
					if u%2 == v%2 {
						group++
					}
				}
				if scored, err := run.Score(t.Context(), [][2]string{{x.Source, x.Target}}); x.Rank == 1 && (err != nil || scored[0].Score != x.Score) {
					t.Errorf("%+v is listed, the pair alone has %v, %v", x, scored, err)
				}
			}
			q.Exact = true
			if all := recommend(); fmt.Sprint(all) != fmt.Sprint(exact) {
				t.Error("lists that are to be exact are not")
			}
			said := len(told)
			if all, err := run.TopLinks(t.Context(), Query{Top: 20, Exact: true}); err != nil || fmt.Sprint(all) != fmt.Sprint(links) || len(told) > said {
				t.Errorf("missing links that are to be exact are not: %v, %q", err, told[said:])
			}
			q.Exact = false
			if group < first*8/10 {
				t.Errorf("of the first three of 12 candidates %d of %d are in the group of the node", group, first)
			}
			if last := told[len(told)-1]; strings.Contains(last, "100.0 %") {
				t.Errorf("of about 75 partners 12 are scored, and all are found: %q", last)
			}
			if run.t.threads = 7; fmt.Sprint(recommend()) != fmt.Sprint(few) {
				t.Error("the lists depend on the number of threads")
			}
		})
	}
}
