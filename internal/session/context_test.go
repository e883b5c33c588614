package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// columnsOf returns the rows of predictions for a part as fields, without the header.
func columnsOf(t *testing.T, s *Session, part string) [][]string {
	t.Helper()
	table, err := s.Predict(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, row := range testsets.CSVRows(t, table) {
		out = append(out, strings.Split(row, ","))
	}
	return out
}

// New rows predicted with the earlier rows as context have the predictions of the whole table.
// Without the context they differ.
func TestContext(t *testing.T) {
	whole := testsets.Transactions(t, 60, 300, nil)
	lines := slices.Collect(strings.Lines(testsets.Contents(t, whole, "edges.csv")))
	header, rows := lines[0], lines[1:]
	const before = 260
	nodes := testsets.Contents(t, whole, "nodes.csv")
	past := testsets.EdgeFolder(t, "nodes.csv", nodes, "edges.csv", header+strings.Join(rows[:before], ""))
	fresh := testsets.EdgeFolder(t, "nodes.csv", nodes, "edges.csv", header+strings.Join(rows[before:], ""))
	dir, _ := trained(t, Request{Path: past, Seed: 1, Threads: 2, Given: settings.Values{"epochs": 3, "hidden": 8}})

	open := func(o source.LoadOptions) *Session {
		o.Threads = 1
		s, err := Load(t.Context(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// The last columns are probabilities.
	differ := func(a, b [][]string) float64 {
		most := 0.0
		for i := range a {
			x, err := strconv.ParseFloat(a[i][len(a[i])-1], 64)
			y, other := strconv.ParseFloat(b[i][len(b[i])-1], 64)
			if err != nil || other != nil {
				t.Fatal(err, other)
			}
			most = max(most, math.Abs(x-y))
		}
		return most
	}
	want := columnsOf(t, open(source.LoadOptions{Data: whole}), source.PartAll)[before:]
	alone := columnsOf(t, open(source.LoadOptions{Data: fresh}), source.PartAll)
	if d := differ(alone, want); d < 1e-3 {
		t.Fatalf("alone, rows are off by %v at most: the test cannot tell", d)
	}
	for name, context := range map[string]string{"a path": past, "the training's": source.ContextTraining} {
		t.Run(name, func(t *testing.T) {
			s := open(source.LoadOptions{Data: fresh, Context: context})
			got := columnsOf(t, s, source.PartAll)
			if len(got) != len(rows)-before {
				t.Fatalf("%d rows, want %d", len(got), len(rows)-before)
			}
			if d := differ(got, want); d > 1e-5 {
				t.Errorf("with context rows are off by up to %v", d)
			}
			for i, row := range got {
				// source and target are those of the whole table, and edges are numbered as in DATA.
				if row[0] != fmt.Sprint(i) || !slices.Equal(row[1:5], want[i][1:5]) || !slices.Equal(row[1:4], alone[i][1:4]) {
					t.Fatalf("row %d is %q, in the whole %q", i, row, want[i])
				}
			}
			e, err := s.Evaluate(t.Context(), source.PartAll)
			if err != nil || e.Edges != len(got) {
				t.Errorf("%+v (%v), want the scores of %d edges", e, err, len(got))
			}
			vectors, err := s.Embed(t.Context(), source.PartAll, settings.Edges)
			if err != nil || vectors.Rows() != len(got) || !strings.HasPrefix(testsets.CSVRows(t, vectors)[0], "0,") {
				t.Errorf("%d vectors of edges (%v), want %d", vectors.Rows(), err, len(got))
			}
		})
	}
	// Neither the context nor the new rows need labels.
	var bare []string
	for _, row := range append([]string{header}, rows[before:]...) {
		bare = append(bare, row[:strings.LastIndexByte(row, ',')]+"\n")
	}
	unlabelled := testsets.EdgeFolder(t, "nodes.csv", nodes, "edges.csv", strings.Join(bare, ""))
	if d := differ(columnsOf(t, open(source.LoadOptions{Data: unlabelled, Context: past}), source.PartAll), want); d > 1e-5 {
		t.Errorf("without labels, rows are off by up to %v", d)
	}

	graphs, _ := trained(t, Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Given: quick()})
	for _, test := range []struct {
		run  string
		o    source.LoadOptions
		want string
	}{
		{dir, source.LoadOptions{Context: past}, "--context is given without DATA"},
		{dir, source.LoadOptions{Data: fresh, Context: filepath.Join(t.TempDir(), "absent")}, "--context: "},
		{graphs, source.LoadOptions{Data: whole, Context: past}, "--context does not apply to " + graphs},
		{graphs, source.LoadOptions{Data: whole, Nodes: tables.Files{"nodes.csv"}}, "--nodes does not apply to " + graphs},
		{dir, source.LoadOptions{Data: fresh, Set: "x"}, "--name does not apply to " + dir},
	} {
		_, err := Load(t.Context(), test.run, test.o)
		if testsets.Fails(t, err, test.want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
}

// A new edge reads labels of the context, also those of training edges. It does not read the label
// of an edge that the split would have kept in the same unit. After a split by time it reads labels
// of earlier edges only.
func TestContextLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, split := range map[string]settings.Values{
		"random": {}, "pairs": {"pairs": true}, "column": {"part": "part"}, "folds": {"split": settings.SplitFolds, "folds": 4, "fold": 2},
		"time": {"split": settings.SplitTime},
	} {
		t.Run(name, func(t *testing.T) {
			path := multigraph(t, 1)
			ignored := []string{"number", "part"}
			if name == "column" {
				ignored = ignored[:1]
			}
			dir, _ := trained(t, Request{Path: path, Seed: 1, Given: settings.Values{"label": "class", "ignore": ignored,
				"label-context": settings.ContextOn, "hidden": 8, "layers": 2, "epochs": 2}.Over(split)})
			lines := slices.Collect(strings.Lines(testsets.Contents(t, path, "edges.csv")))
			cells := func(line string) []string { return strings.Split(line, ",") }
			hidden := func(a, b []string) bool { // reports whether a does not read the label of b
				pair := a[0] == b[0] && a[1] == b[1] || a[0] == b[1] && a[1] == b[0]
				switch name {
				case "pairs":
					return pair
				case "column":
					return slices.Equal(a[:4], b[:4])
				case "time":
					x, _ := strconv.Atoi(a[3])
					y, _ := strconv.Atoi(b[3])
					return y >= x
				}
				return pair && slices.Equal(a[2:4], b[2:4])
			}
			fresh := []string{lines[0]}
			for i := 1; i < len(lines); i += 7 {
				fresh = append(fresh, lines[i])
			}
			data := testsets.EdgeFolder(t, "edges.csv", strings.Join(fresh, ""))
			predict := func(flip func(row []string) bool) [][]string {
				text := lines[0]
				for _, line := range lines[1:] {
					row := cells(line)
					if flip(row) {
						row[6] = map[string]string{"x": "y", "y": "z", "z": "x"}[row[6]]
					}
					text += strings.Join(row, ",")
				}
				if err := os.WriteFile(filepath.Join(path, "edges.csv"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := Load(t.Context(), dir, source.LoadOptions{Data: data, Context: source.ContextTraining, Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				return columnsOf(t, s, source.PartAll)
			}
			before := predict(func([]string) bool { return false })
			changed := 0
			for i, line := range fresh[1:] {
				row := cells(line)
				if after := predict(func(b []string) bool { return hidden(row, b) }); !slices.Equal(before[i], after[i]) {
					t.Errorf("row %d is %q, and %q with other labels that it must not read", i, before[i], after[i])
				}
				near := func(b []string) bool { return !hidden(row, b) && (b[0] == row[0] || b[1] == row[1]) }
				if after := predict(near); !slices.Equal(before[i], after[i]) {
					changed++
				}
			}
			// After a split by time the first rows have no label to read.
			if changed < len(before)/2 {
				t.Errorf("other labels of edges at a node of a row change %d of %d rows", changed, len(before))
			}
		})
	}
}

// After a split by group a new edge reads no label of its own group. All edges of a group have the same label here.
func TestContextGroups(t *testing.T) {
	const groups, nodes = 20, 15
	step := 1
	if testing.Short() {
		step = 4
	}
	r := rand.New(rand.NewPCG(4, 2))
	table := func(edges int, label func(group int) int) string {
		text := strings.Builder{}
		text.WriteString("source,target,weight,group,label\n")
		for e := range edges {
			g := e % groups
			fmt.Fprintf(&text, "%d,%d,%g,shop %d,%s\n", r.IntN(nodes), r.IntN(nodes), r.Float64(), g, []string{"x", "y"}[label(g)])
		}
		return text.String()
	}
	class := func(g int) int { return g / 2 % 2 }
	path := testsets.EdgeFolder(t, "edges.csv", table(200, class))
	data := testsets.EdgeFolder(t, "edges.csv", table(groups, class))
	context := testsets.Contents(t, path, "edges.csv")
	for name, split := range map[string]settings.Values{"group": {"split": settings.SplitGroup}, "folds of groups": {"split": settings.SplitGroup, "folds": 4, "fold": 2}} {
		t.Run(name, func(t *testing.T) {
			dir, _ := trained(t, Request{Path: path, Seed: 1, Given: settings.Values{"label-context": settings.ContextOn, "hidden": 8, "layers": 2, "epochs": 2}.Over(split)})
			predict := func(flip func(group string) bool) [][]string {
				var text strings.Builder
				for line := range strings.Lines(context) {
					row := strings.Split(strings.TrimSpace(line), ",")
					if flip(row[3]) {
						row[4] = map[string]string{"x": "y", "y": "x"}[row[4]]
					}
					text.WriteString(strings.Join(row, ",") + "\n")
				}
				s, err := Load(t.Context(), dir, source.LoadOptions{Data: data, Context: testsets.EdgeFolder(t, "edges.csv", text.String()), Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				return columnsOf(t, s, source.PartAll)
			}
			before, reads := predict(func(string) bool { return false }), false
			for g := 0; g < groups; g += step {
				own := fmt.Sprint("shop ", g)
				after := predict(func(group string) bool { return group == own })
				if !slices.Equal(before[g], after[g]) {
					t.Errorf("row %d is %q, and %q with other labels of its group", g, before[g], after[g])
				}
				reads = reads || !slices.EqualFunc(before, after, slices.Equal)
			}
			if !reads {
				t.Error("no row reads any label")
			}
			bare := testsets.EdgeFolder(t, "edges.csv", strings.Replace(testsets.Contents(t, data, "edges.csv"), ",group,", ",remark,", 1))
			for _, test := range []struct {
				data, context string
				want          int
			}{{bare, path, groups}, {bare, bare, groups}, {data, path, 0}, {data, bare, 0}} {
				s, err := Load(t.Context(), dir, source.LoadOptions{Data: test.data, Context: test.context, Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				if n := s.Groupless(); n != test.want {
					t.Errorf("%d edges without a group, want %d", n, test.want)
				}
			}
		})
	}
}

// A new edge without a time is treated as later than all labels, and a remark says so.
func TestContextWithoutTimes(t *testing.T) {
	path := multigraph(t, 1)
	dir, _ := trained(t, Request{Path: path, Given: settings.Values{"label": "class", "ignore": []string{"number", "part"}, "split": settings.SplitTime, "label-context": settings.ContextOn, "hidden": 8, "epochs": 2}})
	text := testsets.Contents(t, path, "edges.csv")
	lines := slices.Collect(strings.Lines(text))
	rows := func(data, context string, timeless int) [][]string {
		s, err := Load(t.Context(), dir, source.LoadOptions{Data: testsets.EdgeFolder(t, "edges.csv", data), Context: testsets.EdgeFolder(t, "edges.csv", context), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if n := s.Timeless(); n != timeless {
			t.Errorf("%d edges without a time, want %d", n, timeless)
		}
		return columnsOf(t, s, source.PartAll)
	}
	without, late := "source,target,weight\n", "source,target,weight,time\n"
	for _, line := range lines[1:6] {
		row := strings.Split(line, ",")
		without += strings.Join(row[:3], ",") + "\n"
		late += strings.Join(row[:3], ",") + ",99\n"
	}
	untimed := strings.Replace(text, ",time,", ",ignored,", 1)
	if got, want := rows(without, text, 5), rows(late, text, 0); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("rows without a time are %q, those of after all labels %q", got, want)
	}
	rows(without, untimed, 5+len(lines)-1)
}
