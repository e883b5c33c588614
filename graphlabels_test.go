package ehgnn_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// opinions are edges between few nodes, with loops, parallel and reverse ones, and a label, as
// lines of a table and as slices.
type opinions struct {
	rows  []string
	ends  []int32
	nodes int
	class ehgnn.Strings
	value ehgnn.Numbers
}

func drawOpinions(nodes, edges int) (o opinions, header string) {
	r := rand.New(rand.NewPCG(8, 8))
	for range edges {
		u, v := r.IntN(nodes), r.IntN(nodes)
		class, value := "good", 3+r.NormFloat64()
		if v%3 == 0 {
			class, value = "bad", value-2
		}
		o.rows = append(o.rows, fmt.Sprintf("n%d,n%d,%s,%g\n", u, v, class, value))
		o.ends = append(o.ends, int32(u), int32(v))
		o.class, o.value = append(o.class, class), append(o.value, value)
	}
	o.nodes = nodes
	return o, "source,target,class,value\n"
}

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Edges beside those whose labels are known are predicted from slices as from tables with a
// context, and an edge whose own label is known as if it were not.
func TestLabels(t *testing.T) {
	const before = 110
	o, header := drawOpinions(12, 130)
	past, fresh := write(t, header+strings.Join(o.rows[:before], "")), write(t, header+strings.Join(o.rows[before:], ""))
	for name, given := range map[string]settings.Values{
		"edge-classification": {"label": "class", "ignore": []string{"value"}},
		"edge-regression":     {"label": "value", "ignore": []string{"class"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := trained(t, session.Request{Path: past, Task: name, Given: given.Over(settings.Values{"label-context": "on", "epochs": 3})})
			s, err := session.Load(t.Context(), dir, source.LoadOptions{Data: fresh, Context: past})
			if err != nil {
				t.Fatal(err)
			}
			table, err := s.Predict(t.Context(), source.PartAll)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := report.WriteCSV(&text, table); err != nil {
				t.Fatal(err)
			}
			want := strings.Split(strings.TrimSpace(text.String()), "\n")[1:]

			m := open(t, dir, ehgnn.Options{})
			g := &ehgnn.Graph{NumNodes: o.nodes, Ends: o.ends, Labels: slices.Clone(o.class)}
			if name == "edge-regression" {
				g.Labels = slices.Clone(o.value)
			}
			hide := func(e int) {
				switch l := g.Labels.(type) {
				case ehgnn.Strings:
					l[e] = ""
				case ehgnn.Numbers:
					l[e] = math.NaN()
				}
			}
			for e := before; e < len(o.rows); e++ {
				hide(e)
			}
			predict := func() []float64 {
				ps, err := m.Predict(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				var out []float64
				for _, x := range ps[0].Edges {
					out = append(out, append(x.Values, x.Probabilities...)[0])
				}
				return out
			}
			got := predict()
			for i, row := range want {
				cells := strings.Split(row, ",")
				at := len(cells) - 1
				if name == "edge-classification" {
					at-- // the probability of the first class
				}
				same(t, fmt.Sprint("edge ", i), got[before+i], cells[at])
			}

			// The label of an edge is known or another.
			for e := range 10 {
				g.Labels = slices.Clone(o.class)
				if name == "edge-regression" {
					g.Labels = slices.Clone(o.value)
				}
				first := predict()
				switch l := g.Labels.(type) {
				case ehgnn.Strings:
					l[e] = map[string]string{"good": "bad", "bad": "good"}[l[e]]
				case ehgnn.Numbers:
					l[e]++
				}
				if second := predict(); first[e] != second[e] || slices.Equal(first, second) {
					t.Errorf("edge %d: %v with its label and %v with another", e, first[e], second[e])
				}
			}
		})
	}
}

// After a split by time an edge from slices reads labels of earlier edges alone.
func TestLabelsInTime(t *testing.T) {
	const edges = 60
	r := rand.New(rand.NewPCG(6, 6))
	g := &ehgnn.Graph{NumNodes: 6}
	text, class := "source,target,time,label\n", ehgnn.Strings(nil)
	for range edges {
		u, v, at := r.IntN(g.NumNodes), r.IntN(g.NumNodes), r.IntN(40)
		class = append(class, []string{"bad", "good"}[r.IntN(2)])
		g.Ends, g.Time = append(g.Ends, int32(u), int32(v)), append(g.Time, float64(at))
		text += fmt.Sprintf("n%d,n%d,%d,%s\n", u, v, at, class[len(class)-1])
	}
	m := open(t, trained(t, session.Request{Path: write(t, text), Given: settings.Values{"split": "time", "label-context": "on", "epochs": 3}}), ehgnn.Options{})
	if c, ok := m.Tables(); !ok || c.Time != "time" {
		t.Errorf("columns %+v, want the times, which the run reads", c)
	}
	// Every third label is not known.
	predict := func(flip func(e int) bool) []ehgnn.Item {
		g.Labels = slices.Clone(class)
		for e := range class {
			switch {
			case e%3 == 0:
				g.Labels.(ehgnn.Strings)[e] = ""
			case flip(e):
				g.Labels.(ehgnn.Strings)[e] = map[string]string{"good": "bad", "bad": "good"}[class[e]]
			}
		}
		ps, err := m.Predict(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		return ps[0].Edges
	}
	before := predict(func(int) bool { return false })
	changed := 0
	for e := range edges {
		if after := predict(func(f int) bool { return g.Time[f] >= g.Time[e] }); after[e].Probabilities[0] != before[e].Probabilities[0] {
			t.Errorf("edge %d of time %v is %v, and %v with other labels from then on", e, g.Time[e], before[e].Probabilities, after[e].Probabilities)
		}
		if after := predict(func(f int) bool { return g.Time[f] < g.Time[e] }); after[e].Probabilities[0] != before[e].Probabilities[0] {
			changed++
		}
	}
	if changed < edges/2 {
		t.Errorf("earlier labels change %d of %d edges", changed, edges)
	}
}

// Labels that do not fit are refused.
func TestLabelsRefused(t *testing.T) {
	o, header := drawOpinions(12, 60)
	path := write(t, header+strings.Join(o.rows, ""))
	run := func(name, label string, more settings.Values) *ehgnn.Model {
		ignored := map[string]string{"class": "value", "value": "class"}[label]
		return open(t, trained(t, session.Request{Path: path, Task: name, Given: settings.Values{"label": label, "ignore": []string{ignored}}.Over(more)}), ehgnn.Options{})
	}
	on := settings.Values{"label-context": "on"}
	class, number, without := run("edge-classification", "class", on), run("edge-regression", "value", on), run("edge-classification", "class", nil)
	for _, test := range []struct {
		m      *ehgnn.Model
		labels ehgnn.Values
		want   string
	}{
		{class, ehgnn.Strings{"good"}, "1 labels for 2 edges"},
		{class, ehgnn.Strings{"good", "fair"}, `label of edge 1 is "fair", expected one of ["bad" "good"]`},
		{class, ehgnn.Numbers{1, 2}, "labels of edges are ehgnn.Numbers, expected Strings, the names of classes"},
		{number, ehgnn.Strings{"1", "two"}, `label of edge 1 is "two", expected a number`},
		{number, ehgnn.Codes{1, 2}, "labels of edges are ehgnn.Codes, expected Numbers"},
		{number, ehgnn.Numbers{1, math.Inf(1)}, "label of edge 1 is +Inf, expected a finite number"},
		{without, ehgnn.Strings{"good", "bad"}, "the run was trained without label context"},
	} {
		_, err := test.m.Predict(t.Context(), &ehgnn.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2}, Labels: test.labels})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// Times of edges given as slices are read as those of tables, and names of nodes are counted.
func TestTimesAndNames(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const nodes = 9
	g := &ehgnn.Graph{NumNodes: nodes}
	var text strings.Builder
	text.WriteString("source,target,time,label\n")
	number := map[int]int32{}
	node := func(v int) int32 {
		if _, ok := number[v]; !ok {
			number[v] = int32(len(g.NodeNames))
			g.NodeNames = append(g.NodeNames, fmt.Sprint("n", v))
		}
		return number[v]
	}
	for range 60 {
		u, v, at := r.IntN(nodes), r.IntN(nodes), r.IntN(40)
		fmt.Fprintf(&text, "n%d,n%d,%d,%d\n", u, v, at, (u+at)%2)
		g.Ends, g.Time = append(g.Ends, node(u), node(v)), append(g.Time, float64(at))
	}
	path := write(t, text.String())
	dir := trained(t, session.Request{Path: path, Given: settings.Values{"time-features": "on", "epochs": 3}})
	m := open(t, dir, ehgnn.Options{})
	ps, err := m.Predict(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	// A byte more, so that the data are not those of the training.
	other := write(t, text.String()+"\n")
	for i, row := range rowsOf(t, dir, other) {
		same(t, fmt.Sprint("edge ", i), ps[0].Edges[i].Probabilities[0], row["probability_0"])
	}
	for want, change := range map[string]func(g *ehgnn.Graph){
		"0 times for 60 edges": func(g *ehgnn.Graph) { g.Time = nil },
		"1 names for 9 nodes":  func(g *ehgnn.Graph) { g.NodeNames = []string{"n1"} },
	} {
		bad := *g
		change(&bad)
		if _, err := m.Predict(t.Context(), &bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	plain := open(t, trained(t, session.Request{Path: path, Given: settings.Values{"structure": []string{"none"}}}), ehgnn.Options{})
	if _, err := plain.Predict(t.Context(), g); err == nil || !strings.Contains(err.Error(), "times of edges are given, and the run reads none") {
		t.Errorf("%v", err)
	}
}

// Labels of edges that are known help to predict those around them.
func ExampleGraph_labels() {
	ctx := context.Background()
	work, err := os.MkdirTemp("", "ehgnn")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(work)
	o, header := drawOpinions(100, 800)
	path, dir := filepath.Join(work, "opinions.csv"), filepath.Join(work, "run")
	if err := os.WriteFile(path, []byte(header+strings.Join(o.rows, "")), 0o644); err != nil {
		panic(err)
	}
	// As: ehgnn train opinions.csv --label class --ignore value --label-context on --out DIR
	s, err := session.Open(ctx, session.Request{Path: path, Seed: 42, Given: settings.Values{"label": "class", "ignore": []string{"value"},
		"label-context": "on", "structure": []string{"none"}, "epochs": 100, "hidden": 16}})
	if err != nil {
		panic(err)
	}
	if _, err := s.Train(ctx, session.TrainOptions{Dir: dir}); err != nil {
		panic(err)
	}

	m, err := ehgnn.Open(ctx, dir, ehgnn.Options{})
	if err != nil {
		panic(err)
	}
	// What others think of node 0 is known, and what they think of node 1.
	ps, err := m.Predict(ctx, &ehgnn.Graph{NumNodes: 6,
		Ends:   []int32{2, 0, 3, 0, 4, 0, 5, 0, 2, 1, 3, 1, 4, 1, 5, 1},
		Labels: ehgnn.Strings{"bad", "bad", "bad", "", "good", "good", "good", ""}})
	if err != nil {
		panic(err)
	}
	fmt.Println(ps[0].Edges[3].Class, ps[0].Edges[7].Class)
	// Output: bad good
}
