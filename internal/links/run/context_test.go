package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// A new node with edges to the block of even nodes is scored like even nodes. Scores of nodes far
// from it keep their bits. The order of the edges does not matter.
func TestContextOfBlocks(t *testing.T) {
	file := write(t, append(blocks(60, 0.5, 0.02), "far1,far2", "far2,far3", "far3,far1"))
	edges := [][2]string{{"new", "n2"}, {"new", "n8"}, {"n14", "new"}, {"new", "n20"}, {"n2", "other"}, {"new", "n30"}}
	models := []string{GAE, GAECN, EHGNN, Trees, Auto}
	if testing.Short() {
		models = models[1:] // gae-cn is gae with additional columns
	}
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			_, dir := train(t, newSettings(file, model), Options{Forms: []string{score.Uniform}, NoBaselines: true})
			run, err := Load(t.Context(), dir, LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Recommend(t.Context(), Query{For: []string{"new"}, Top: 3}); err == nil || !strings.Contains(err.Error(), "--context") {
				t.Errorf("error %v of a node that is not there, want one that names --context", err)
			}
			with, err := run.With(t.Context(), edges, nil)
			if err != nil {
				t.Fatal(err)
			}
			list, err := with.Recommend(t.Context(), Query{For: []string{"new"}, Top: 10})
			if err != nil || len(list) != 10 {
				t.Fatalf("%v, %v", list, err)
			}
			even := 0
			for _, x := range list {
				if !x.Cold || x.Known || x.Popular {
					t.Errorf("%+v, want cold, not known and not popular", x)
				}
				if n := 0; strings.HasPrefix(x.Target, "n") {
					if fmt.Sscanf(x.Target, "n%d", &n); n%2 == 0 {
						even++
					}
				}
			}
			if even < 8 {
				t.Errorf("%d of 10 partners are in the block of the node: %v", even, list)
			}
			turned := [][2]string{}
			for i := range edges {
				turned = append(turned, edges[(i+3)%len(edges)])
			}
			other, err := run.With(t.Context(), turned, nil)
			if err != nil {
				t.Fatal(err)
			}
			again, err := other.Recommend(t.Context(), Query{For: []string{"new"}, Top: 10})
			if fmt.Sprint(again) != fmt.Sprint(list) {
				t.Errorf("another order of the edges gives %v, want %v; %v", again, list, err)
			}
			pairs := [][2]string{{"far1", "far2"}, {"new", "n2"}, {"n4", "n8"}}
			scored, err := with.Score(t.Context(), pairs)
			if err != nil || scored[0].Cold || !scored[1].Cold || !scored[1].Known || !scored[1].SourceSeen {
				t.Errorf("%+v, %v", scored, err)
			}
			before, err := run.Score(t.Context(), pairs[:1])
			if err != nil || before[0] != scored[0] {
				t.Errorf("edges elsewhere change %+v to %+v, %v", before, scored[0], err)
			}
		})
	}
}

// A new customer gets the same vector, to the bit, as a training customer with the same orders, and
// gets the items of its group. If the model uses PageRank, which the new orders change, the scores
// are nearly the same. A new item is recommended to customers who bought the same things as its
// buyers.
func TestContextOfShop(t *testing.T) {
	for _, model := range []string{IALS, Auto} {
		t.Run(model, func(t *testing.T) { contextOfShop(t, model) })
	}
}

func contextOfShop(t *testing.T, model string) {
	rows := shop(60, 24)
	s := newSettings(write(t, rows), model)
	s.Select, s.Tables = score.Lists, tables.Options{Source: "customer", Target: "item"}
	_, dir := train(t, s, Options{Forms: []string{score.Uniform}})
	run, err := Load(t.Context(), dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var edges [][2]string
	for _, row := range rows[1:] {
		cells := strings.Split(row, ",")
		if cells[0] == "c4" {
			edges = append(edges, [2]string{"new", cells[1]})
		}
	}
	for c := 1; c < 21; c += 2 {
		edges = append(edges, [2]string{fmt.Sprintf("c%d", c), "item"})
	}
	with, err := run.With(t.Context(), edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	same, err := run.Recommend(t.Context(), Query{For: []string{"c4"}, Top: 5})
	if err != nil {
		t.Fatal(err)
	}
	list, err := with.Recommend(t.Context(), Query{For: []string{"new"}, Top: 5})
	if err != nil || len(list) != 5 {
		t.Fatalf("%v, %v", list, err)
	}
	for i, x := range list {
		diff := math.Abs(x.Score - same[i].Score)
		if x.Target != same[i].Target || diff > 0.1 || model == IALS && diff != 0 || !x.Cold || same[i].Cold {
			t.Errorf("the new customer gets %+v, one with the same orders %+v", x, same[i])
		}
	}
	whom, err := with.Recommend(t.Context(), Query{For: []string{"item"}, Top: 10, Sources: true})
	if err != nil {
		t.Fatal(err)
	}
	odd := 0
	for _, x := range whom {
		n := 0
		if fmt.Sscanf(x.Target, "c%d", &n); n%2 == 1 {
			odd++
		}
	}
	if odd < 9 {
		t.Errorf("%d of 10 customers are of the group that buys the item: %v", odd, whom)
	}
	for _, same := range []string{"new,i1\nnew,i3", "item,customer\ni1,new\ni3,new", "target,source\ni1,new\ni3,new"} { // without a header; other columns
		other, err := run.WithFile(t.Context(), write(t, strings.Split(same, "\n")), 0)
		if err != nil {
			t.Fatalf("%q: %v", same, err)
		}
		scored, err := other.Score(t.Context(), [][2]string{{"new", "i1"}, {"new", "i3"}, {"new", "i5"}})
		if err != nil || !scored[0].Known || !scored[1].Known || scored[2].Known {
			t.Errorf("%q as context: %+v, %v", same, scored, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"c1,i1\nc2,i3", "[[c1 i1] [c2 i3]] [1 2]"},
		{"a,b\nc1,i1\nc2,i3", "[[c1 i1] [c2 i3]] [2 3]"},
		{"item,customer\ni1,c1", "[[c1 i1]] [2]"},
		{"target,source\ni1,c1", "[[c1 i1]] [2]"},
		{"c1,c1\nc2,i3", "[[c1 c1] [c2 i3]] [1 2]"}, // a loop, which another check refuses
	} {
		pairs, lines, err := run.ReadPairs(write(t, strings.Split(c.text, "\n")), 0)
		if got := fmt.Sprint(pairs, lines); err != nil || got != c.want {
			t.Errorf("the candidates of %q are %s, %v, want %s", c.text, got, err, c.want)
		}
	}
	for _, bad := range []struct{ want, text string }{
		{`:3: "i2" is a source here and a target elsewhere`, "customer,item\nnew,i1\ni2,new2"},
		{`:3: "new" is a target here and a source elsewhere`, "customer,item\nnew,i1\nc1,new"},
		{`:2: the edge of "x" and "x" is a loop`, "customer,item\nx,x"},
		{":2: an edge without a node", "customer,item\nc1,"},
		{"has no edge", "customer,item"},
		{"has 1 columns", "customer\nc1"},
	} {
		if _, err := run.WithFile(t.Context(), write(t, strings.Split(bad.text, "\n")), 0); !settings.IsUsage(err) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: error %v, want one of usage that contains %q", bad.text, err, bad.want)
		}
	}
}

// Nodes of a table without an edge are scored by their features. Without features they get popular
// partners and no score.
func TestColdNodes(t *testing.T) {
	for _, featured := range []bool{true, false} {
		dir := t.TempDir()
		nodes := []string{"id,group"}
		for v := range 60 {
			nodes = append(nodes, fmt.Sprintf("n%d,g%d", v, v%2))
		}
		nodes = append(nodes, "lone,g0")
		if !featured {
			for i := range nodes {
				nodes[i], _, _ = strings.Cut(nodes[i], ",")
			}
		}
		for name, rows := range map[string][]string{"edges.csv": blocks(60, 0.5, 0.02), "nodes.csv": nodes} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := newSettings(dir, GAE)
		s.GAE.Structure = false
		_, out := train(t, s, Options{Forms: []string{score.Uniform}, NoBaselines: true})
		run, err := Load(t.Context(), out, LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := run.Recommend(t.Context(), Query{For: []string{"lone"}, Top: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			if !x.Cold || x.Popular == featured {
				t.Errorf("features %v: %+v", featured, x)
			}
		}
		scored, err := run.Score(t.Context(), [][2]string{{"n3", "lone"}})
		if featured && (err != nil || !scored[0].Cold || scored[0].TargetSeen || math.IsNaN(scored[0].Score)) {
			t.Errorf("%+v, %v", scored, err)
		}
		if !featured && (!settings.IsUsage(err) || !strings.Contains(err.Error(), `candidate 1: "lone" has neither`)) {
			t.Errorf("%+v, %v, want an error of usage", scored, err)
		}
	}
}

// In a split of nodes the tables have a row for pairs of which training saw no end, one end or both
// ends, and for cold nodes.
func TestUnseenSlices(t *testing.T) {
	for _, observed := range []float64{0, 0.5} {
		s := newSettings(write(t, blocks(60, 0.5, 0.05)), Trees)
		s.Split, s.Fractions, s.Observed = ByNodes, [3]float64{0.6, 0.2, 0.2}, observed
		r, _ := train(t, s, Options{Forms: []string{score.All, score.Uniform}})
		for _, table := range r.Tables {
			values := map[string]int{}
			for _, sl := range table.Slices {
				values[sl.Of] = sl.Values
			}
			sum := values["nodes all seen"] + values["nodes one unseen"] + values["nodes all unseen"]
			if sum != table.Rankings || values["nodes one unseen"] == 0 || values["nodes all unseen"] == 0 {
				t.Errorf("%s: %v of %d rankings", table.Form, values, table.Rankings)
			}
			if (observed == 0) != (values["nodes cold"] == sum) {
				t.Errorf("%s: %d of %d are cold, with a share of %v shown", table.Form, values["nodes cold"], sum, observed)
			}
		}
	}
}

// messages returns rows of sender, receiver and time, with a day or less between rows. Friends
// write in both directions.
func messages(people, rows int) []string {
	r := rand.New(rand.NewPCG(5, 6))
	out := []string{"from,to,when"}
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		u := r.IntN(people)
		v := (u + 2*(1+r.IntN(4))) % people
		out = append(out, fmt.Sprintf("n%d,n%d,%s", u, v, day.Add(time.Duration(i)*6*time.Hour).Format(time.RFC3339)))
	}
	return out
}

// In a run with a split by time, later rows as context of the training graph give the same scores,
// to the bit, as the graph of all rows. Their order does not matter, and each needs its time.
func TestContextByTime(t *testing.T) {
	rows := messages(30, 400)
	for _, model := range []string{Trees, GAE, Auto} {
		t.Run(model, func(t *testing.T) {
			s := newSettings(write(t, rows), model)
			s.Split, s.Fractions = ByTime, [3]float64{0.6, 0.2, 0.2}
			s.Tables = tables.Options{Source: "from", Target: "to", Time: "when", Form: data.Directed}
			_, dir := train(t, s, Options{Forms: []string{score.Uniform}, NoBaselines: true})
			load := func(training bool) *Run {
				r, err := Load(t.Context(), dir, LoadOptions{Training: training})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			all, early := load(false), load(true)
			header, held := rows[0], slices.Clone(rows[1+400*6/10:])
			half := len(held) / 2
			with := func(r *Run, rows []string) *Run {
				out, err := r.WithFile(t.Context(), write(t, append([]string{header}, rows...)), 0)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			list := func(r *Run) string {
				var text []string
				for _, id := range []string{"n0", "n7", "n21"} {
					of, err := r.Recommend(t.Context(), Query{For: []string{id}, Top: 10, Known: true})
					if err != nil {
						t.Fatal(err)
					}
					for _, x := range of {
						text = append(text, fmt.Sprintf("%s %s %v", x.Source, x.Target, x.Score))
					}
				}
				return strings.Join(text, "\n")
			}
			want := list(all)
			if list(early) == want {
				t.Fatal("the rows after the training change nothing")
			}
			once := with(early, held)
			if got := list(once); got != want {
				t.Errorf("the rows after the training as context give\n%s\nwant\n%s", got, want)
			}
			if got := list(with(with(early, held[half:]), held[:half])); got != want {
				t.Errorf("in two steps, the later half first, they give\n%s\nwant\n%s", got, want)
			}
			if model == Trees { // trees read times
				moved := with(all, []string{"n0,n29,2024-06-01T00:00:00Z"})
				if a, b := list(moved), list(with(all, []string{"n0,n29,2025-06-01T00:00:00Z"})); a == b {
					t.Error("the time of an edge of context changes nothing")
				}
			}
			for _, bad := range []struct{ want, text string }{
				{`has no column "when" of times, which a run with --split time needs; there are: from, to`, "from,to\nn0,n1"},
				{`:3: column "when" is missing, expected a time`, "from,to,when\nn0,n1,2024-06-01T00:00:00Z\nn0,n2,"},
				{`:2: column "when" is "soon", expected a time`, "from,to,when\nn0,n1,soon"},
			} {
				if _, err := all.WithFile(t.Context(), write(t, strings.Split(bad.text, "\n")), 0); !settings.IsUsage(err) || !strings.Contains(err.Error(), bad.want) {
					t.Errorf("%q: error %v, want one of usage that contains %q", bad.text, err, bad.want)
				}
			}
			if _, err := all.With(t.Context(), [][2]string{{"n0", "n1"}}, nil); err == nil || !strings.Contains(err.Error(), "1 further edges have 0 times") {
				t.Errorf("edges without times: %v", err)
			}
		})
	}
}
