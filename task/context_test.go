package task

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// columnsOf are the rows of a part's predictions as fields, without the header.
func columnsOf(t *testing.T, s *Session, part string) [][]string {
	t.Helper()
	table, err := s.Predict(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, row := range csvRows(t, table) {
		out = append(out, strings.Split(row, ","))
	}
	return out
}

// New rows of tables with those before them as context are predicted as part of the whole
// table, and otherwise than alone.
func TestContext(t *testing.T) {
	whole := transactions(t, 60, 300, nil)
	lines := slices.Collect(strings.Lines(contents(t, whole, "edges.csv")))
	header, rows := lines[0], lines[1:]
	const before = 260
	nodes := contents(t, whole, "nodes.csv")
	past := edgeFolder(t, "nodes.csv", nodes, "edges.csv", header+strings.Join(rows[:before], ""))
	fresh := edgeFolder(t, "nodes.csv", nodes, "edges.csv", header+strings.Join(rows[before:], ""))
	dir, _ := trained(t, Request{Path: past, Seed: 1, Threads: 2, Given: Values{"epochs": 3, "hidden": 8}})

	open := func(o LoadOptions) *Session {
		o.Threads = 1
		s, err := Load(t.Context(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// probabilities are the last columns.
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
	want := columnsOf(t, open(LoadOptions{Data: whole}), PartAll)[before:]
	alone := columnsOf(t, open(LoadOptions{Data: fresh}), PartAll)
	if d := differ(alone, want); d < 1e-3 {
		t.Fatalf("alone, rows are off by %v at most: the test cannot tell", d)
	}
	for name, context := range map[string]string{"a path": past, "the training's": ContextTraining} {
		t.Run(name, func(t *testing.T) {
			s := open(LoadOptions{Data: fresh, Context: context})
			got := columnsOf(t, s, PartAll)
			if len(got) != len(rows)-before {
				t.Fatalf("%d rows, want %d", len(got), len(rows)-before)
			}
			if d := differ(got, want); d > 1e-5 {
				t.Errorf("with context rows are off by up to %v", d)
			}
			for i, row := range got {
				// source and target are as in the whole; edges are numbered as in DATA.
				if row[0] != fmt.Sprint(i) || !slices.Equal(row[1:5], want[i][1:5]) || !slices.Equal(row[1:4], alone[i][1:4]) {
					t.Fatalf("row %d is %q, in the whole %q", i, row, want[i])
				}
			}
			e, err := s.Evaluate(t.Context(), PartAll)
			if err != nil || e.Edges != len(got) {
				t.Errorf("%+v (%v), want the scores of %d edges", e, err, len(got))
			}
			vectors, err := s.Embed(t.Context(), PartAll, Edges)
			if err != nil || vectors.Rows() != len(got) || !strings.HasPrefix(csvRows(t, vectors)[0], "0,") {
				t.Errorf("%d vectors of edges (%v), want %d", vectors.Rows(), err, len(got))
			}
		})
	}
	// The context needs no labels, and neither do the rows.
	var bare []string
	for _, row := range append([]string{header}, rows[before:]...) {
		bare = append(bare, row[:strings.LastIndexByte(row, ',')]+"\n")
	}
	unlabelled := edgeFolder(t, "nodes.csv", nodes, "edges.csv", strings.Join(bare, ""))
	if d := differ(columnsOf(t, open(LoadOptions{Data: unlabelled, Context: past}), PartAll), want); d > 1e-5 {
		t.Errorf("without labels, rows are off by up to %v", d)
	}

	graphs, _ := trained(t, Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Given: quick()})
	for _, test := range []struct {
		run  string
		o    LoadOptions
		want string
	}{
		{dir, LoadOptions{Context: past}, "--context is given without DATA"},
		{dir, LoadOptions{Data: fresh, Context: filepath.Join(t.TempDir(), "absent")}, "--context: "},
		{graphs, LoadOptions{Data: whole, Context: past}, "--context does not apply to " + graphs},
		{graphs, LoadOptions{Data: whole, Nodes: "nodes.csv"}, "--nodes does not apply to " + graphs},
		{dir, LoadOptions{Data: fresh, Set: "x"}, "--name does not apply to " + dir},
	} {
		_, err := Load(t.Context(), test.run, test.o)
		if fails(t, err, test.want); !IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
}
