package columns

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/linear"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// TestPrototype compares all columns with those of the prototype (testdata/make.py).
func TestPrototype(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "columns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Classes, Nodes int
		Ends, Rows     []int32
		Label          []float32
		Known          []bool
		Columns        [][]float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	start := func(_, _ int, source, target []float64) {
		for _, x := range [][]float64{source, target} {
			for i := range x {
				x[i] = startScale * math.Sin(0.7*float64(i+1))
			}
		}
	}
	for n, c := range cases {
		g := &Graph{Nodes: c.Nodes, Ends: c.Ends, Label: c.Label, Classes: c.Classes}
		got, err := columnsFrom(t.Context(), g, c.Known, c.Rows, par.New(2), start)
		if err != nil {
			t.Fatal(err)
		}
		names := Names(g, nil)
		if got.Width != len(c.Columns[0]) || len(names) != got.Width {
			t.Fatalf("case %d: %d columns with %d names, expected %d", n, got.Width, len(names), len(c.Columns[0]))
		}
		for i, want := range c.Columns {
			for k, w := range want {
				if v := float64(got.Data[i*got.Width+k]); math.Abs(v-w) > 1e-5*max(1, math.Abs(w)) {
					t.Errorf("case %d, edge %d, %s: %v, the prototype has %v", n, c.Rows[i], names[k].Text, v, w)
				}
			}
		}
	}
}

// random is a graph with loops and parallel edges, a share of whose labels are known.
func random(seed uint64, classes, nodes, edges int) (g *Graph, known []bool, rows []int32) {
	r := rng.Stream(seed, "columns")
	g = &Graph{Nodes: nodes, Classes: classes}
	for e := range int32(edges) {
		g.Ends = append(g.Ends, r.Int32N(int32(nodes)), r.Int32N(int32(nodes)))
		label := float32(r.NormFloat64())
		if classes > 0 {
			label = float32(r.IntN(classes))
		}
		g.Label, known = append(g.Label, label), append(known, r.Float64() < 0.7)
		if !known[e] {
			rows = append(rows, e)
		}
	}
	return g, known, rows
}

func columnsOf(t *testing.T, g *Graph, known []bool, rows []int32, threads int) Block {
	t.Helper()
	b, err := Columns(t.Context(), g, known, rows, threads)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Labels that are not known change no bit, whatever they are. Neither does the number of threads.
func TestUnknownLabels(t *testing.T) {
	for _, classes := range []int{0, 2, 5, 40} {
		g, known, rows := random(uint64(classes), classes, 30, 400)
		want := columnsOf(t, g, known, rows, 1)
		other := *g
		other.Label = slices.Clone(g.Label)
		for e := range other.Label {
			if !known[e] {
				other.Label[e] = []float32{float32(math.NaN()), 1e30, -7, 0.5}[e%4]
			}
		}
		for _, threads := range []int{1, 2, 5} {
			if got := columnsOf(t, &other, known, rows, threads); !slices.Equal(got.Data, want.Data) {
				t.Errorf("%d classes, %d threads: columns depend on labels that are not known, or on threads", classes, threads)
			}
		}
		changed := slices.Clone(g.Label)
		for e := range changed {
			if known[e] && classes == 0 {
				changed[e]++
			} else if known[e] {
				changed[e] = float32((int(changed[e]) + 1) % classes)
			}
		}
		other.Label = changed
		if got := columnsOf(t, &other, known, rows, 1); slices.Equal(got.Data, want.Data) {
			t.Errorf("%d classes: columns do not depend on known labels", classes)
		}
	}
}

func TestRefused(t *testing.T) {
	g, known, rows := random(1, 2, 10, 40)
	at := slices.Index(known, true)
	for _, c := range []struct {
		name string
		call func() error
		want string
	}{
		{"a known edge", func() error {
			_, err := Columns(t.Context(), g, known, append(slices.Clone(rows), int32(at)), 1)
			return err
		}, "is described and its label is known"},
		{"a class out of range", func() error {
			bad := *g
			bad.Label = slices.Clone(g.Label)
			bad.Label[at] = 2
			_, err := Columns(t.Context(), &bad, known, rows, 1)
			return err
		}, "has the known label 2"},
		{"lists of other lengths", func() error { _, err := Columns(t.Context(), g, known[1:], nil, 1); return err }, "40 edges with 40 labels, 39 of them"},
		{"a context that has ended", func() error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := Columns(ctx, g, known, rows, 1)
			return err
		}, "context canceled"},
	} {
		if err := c.call(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// With nothing known, and with no rows, columns are finite.
func TestNothingKnown(t *testing.T) {
	for _, classes := range []int{0, 2, 3} {
		g, known, _ := random(2, classes, 10, 40)
		clear(known)
		for _, v := range columnsOf(t, g, known, []int32{0, 5, 39}, 1).Data {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("%d classes: a column is %v", classes, v)
			}
		}
		if b := columnsOf(t, g, known, nil, 1); b.Rows != 0 || b.Width == 0 {
			t.Errorf("%d classes: %d rows of %d columns of no edge", classes, b.Rows, b.Width)
		}
	}
}

// Labels drawn at random cannot be predicted from the columns of hidden edges.
func TestRandomLabels(t *testing.T) {
	g, _, _ := random(3, 0, 200, 6000)
	edges := make([]int32, len(g.Label))
	for e := range edges {
		edges[e] = int32(e)
	}
	part := Folds(edges, nil, 5, rng.Stream(4, "folds").IntN)
	var x []float32
	var y []float64
	width := 0
	for k := range int8(5) {
		known, rows := make([]bool, len(edges)), []int32{}
		for e, p := range part {
			if known[e] = p != k; p == k {
				rows, y = append(rows, int32(e)), append(y, float64(g.Label[e]))
			}
		}
		b := columnsOf(t, g, known, rows, 0)
		x, width = append(x, b.Data...), b.Width
	}
	half := len(y) / 2
	m, err := linear.LeastSquares(linear.Columns{X: x[:half*width], K: width}, y[:half], linear.Options{Penalty: 1})
	if err != nil {
		t.Fatal(err)
	}
	var to [1]float64
	rest, total := 0.0, 0.0
	for i := half; i < len(y); i++ {
		m.Apply(to[:], x[i*width:][:width])
		rest += (y[i] - to[0]) * (y[i] - to[0])
		total += y[i] * y[i]
	}
	if r2 := 1 - rest/total; r2 > 0.02 {
		t.Errorf("R2 %.3f on labels that are drawn at random", r2)
	}
}

func TestFolds(t *testing.T) {
	edges, unit := []int32{4, 5, 6, 7, 8}, []int32{0, 0, 0, 0, 1, 2, 1, 3, 2}
	for seed := range uint64(20) {
		part := Folds(edges, unit, 5, rng.Stream(seed, "folds").IntN)
		if part[0] != part[2] || part[1] != part[4] {
			t.Errorf("parts %v divide a unit", part)
		}
	}
}

func BenchmarkColumns(b *testing.B) {
	for _, c := range []struct {
		name                  string
		classes, nodes, edges int
	}{{"numbers", 0, 10_000, 100_000}, {"classes", 64, 2_000, 60_000}} {
		b.Run(c.name, func(b *testing.B) {
			g, known, rows := random(1, c.classes, c.nodes, c.edges)
			for b.Loop() {
				if _, err := Columns(b.Context(), g, known, rows, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The row of an edge leaves out its own label: it is the row of the same edge where that label is not known.
func TestLabelRows(t *testing.T) {
	for _, classes := range []int{0, 2, 4} {
		for _, directed := range []bool{true, false} {
			r := rng.Stream(3, "rows", classes)
			const nodes, edges = 6, 40
			g := &Graph{Nodes: nodes, Classes: classes, Directed: directed}
			known := make([]bool, 0, 2*edges)
			for range edges {
				g.Ends = append(g.Ends, int32(r.IntN(nodes)), int32(r.IntN(nodes)))
				g.Label = append(g.Label, float32(r.IntN(cmp.Or(classes, 5))))
				known = append(known, r.IntN(3) > 0)
			}
			if !directed {
				for e := range edges {
					g.Ends = append(g.Ends, g.Ends[2*e+1], g.Ends[2*e])
				}
				g.Label, known = append(g.Label, g.Label...), append(known, known...)
			}
			// Means shrink towards the mean of all known labels, which includes the edge's own label.
			l, err := NewLabelRows(g, known, 1)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := Fit(t.Context(), g, known, 1)
			if err != nil {
				t.Fatal(err)
			}
			for e := range int32(edges) {
				row := make([]float32, l.Width)
				l.Row(row, e)
				of := make([]float32, l.Width)
				if fitted.LabelRows().Row(of, e); !slices.Equal(of, row) {
					t.Errorf("%d classes, directed %v, edge %d: %v of fitted labels, expected %v", classes, directed, e, of, row)
				}
				if l.RowBetween(of, g.source(e), g.target(e)); slices.Equal(of, row) == known[e] {
					t.Errorf("%d classes, directed %v, edge %d, known %v: %v of another edge with its ends, and %v", classes, directed, e, known[e], of, row)
				}
				hidden := slices.Clone(known)
				hidden[e] = false
				if !directed {
					hidden[e+edges] = false
				}
				other, err := NewLabelRows(g, hidden, 1)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]float32, l.Width)
				other.Row(want, e)
				for c := range row {
					// Both rows may differ only by that mean: the second one lacks the label of one edge in about 25.
					if math.Abs(float64(row[c]-want[c])) > 0.15 {
						t.Errorf("%d classes, directed %v, edge %d, column %d: %v with its label known, %v without", classes, directed, e, c, row[c], want[c])
					}
				}
			}
		}
	}
}

// Columns for all classes are named after the classes, in their order.
func TestByClass(t *testing.T) {
	for _, g := range []*Graph{{Classes: 4}, {Classes: 30}, {Classes: 30, Of: []int32{2, 3, 9}}} {
		classes := make([]string, g.Classes)
		for c := range classes {
			classes[c] = fmt.Sprintf("<%d>", c)
		}
		names, said := Names(g, classes), ByClass(g)
		seen := map[int]bool{}
		for _, places := range said {
			for k, c := range g.classes() {
				at := places[k]
				if !strings.Contains(names[at].Text, classes[c]) || strings.Contains(names[at].Text, "number of") || seen[at] {
					t.Errorf("column %d of class %d is %q", at, c, names[at].Text)
				}
				seen[at] = true
			}
		}
		for at, n := range names {
			if strings.Contains(n.Text, "share of") && !seen[at] {
				t.Errorf("column %q is of no class", n.Text)
			}
		}
	}
	if ByClass(&Graph{Classes: 2}) != nil || ByClass(&Graph{}) != nil {
		t.Error("of two classes and of numbers nothing is said by class")
	}
}
