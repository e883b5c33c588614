package tables_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

var nan = math.NaN()

// collection has three graphs whose nodes and edges are not sorted by graph.
func collection() *tables.Set {
	return &tables.Set{
		Name: "toy", Level: tables.OfGraphs,
		NodeIDs: []string{"p", "q", "r", "s", "t"}, GraphIDs: []string{"one", "two", "three"}, GraphOf: []int32{1, 0, 1, 0, 2},
		Ends: []int32{0, 2, 1, 3, 2, 0},
		NodeColumns: []*tables.Column{
			{Name: "age", Value: []float64{1, 10, 3, 20, 99}},
			{Name: "kind", Code: []int32{0, 1, 0, 2, -1}, Text: []string{"x", "y", "z"}},
		},
		EdgeColumns: []*tables.Column{{Name: "w", Value: []float64{5, 6, nan}}},
		Targets:     []*tables.Column{{Name: "label", Code: []int32{1, 0, -1}, Text: []string{"good", "bad"}}},
	}
}

func TestGraphCollections(t *testing.T) {
	s := collection()
	e, err := s.FitGraphs([]int{1})
	if err != nil {
		t.Fatal(err)
	}
	// Fitted on graph two only: ages 1 and 3, kind x, weights 5 and missing.
	if want := []tables.Field{{Name: "age", Kind: schema.KindNumber, Mean: 2, Scale: 1}, {Name: "kind", Kind: schema.KindCategory, Width: 1, Values: []string{"x"}}}; !reflect.DeepEqual(e.Nodes, want) {
		t.Errorf("node fields %+v, want %+v", e.Nodes, want)
	}
	if want := []tables.Field{{Name: "w", Kind: schema.KindNumber, Mean: 5, Scale: 1, Gaps: true}}; !reflect.DeepEqual(e.Edges, want) {
		t.Errorf("edge fields %+v, want %+v", e.Edges, want)
	}
	if !slices.Equal(e.Classes, []string{"good"}) || e.Level != tables.OfGraphs {
		t.Errorf("classes %q at level %q", e.Classes, e.Level)
	}
	if gs, unseen, err := s.Graphs(e); err != nil || gs[0].Label != graph.NoLabel || unseen[len(unseen)-1].String() != `column "label" of 1 graphs has a class that training has not seen; scores leave them out; the first is "bad", expected one of ["good"]` {
		t.Errorf("%v and %v of a class that training lacks", unseen, err)
	}

	if e, err = s.FitGraphs([]int{1, 0}); err != nil {
		t.Fatal(err)
	}
	e.Nodes[1].Values = []string{"x"} // y and z are unknown
	gs, unseen, err := s.Graphs(e)
	if err != nil {
		t.Fatal(err)
	}
	if want := []tables.Unseen{{Of: tables.OfNodes, Column: "kind", Rows: 2, Example: "y"}}; !reflect.DeepEqual(unseen, want) {
		t.Errorf("unseen %+v, want %+v", unseen, want)
	}
	for k, want := range []struct {
		ends  []int32
		label int32
		codes []int32
	}{{[]int32{0, 1}, 0, []int32{-1, -1}}, {[]int32{0, 1, 1, 0}, 1, []int32{0, 0}}, {nil, graph.NoLabel, []int32{-1}}} {
		g := gs[k]
		if !slices.Equal(g.Ends, want.ends) || g.Label != want.label || !slices.Equal(g.Node.Code, want.codes) || g.NumNodes != len(want.codes) {
			t.Errorf("graph %d: %d nodes, ends %v, label %d, codes %v, want %+v", k, g.NumNodes, g.Ends, g.Label, g.Node.Code, want)
		}
	}
	if labels, _, err := s.GraphLabels(e); err != nil || !slices.Equal(labels, []int32{0, 1, -1}) {
		t.Errorf("labels %v, %v", labels, err)
	}
	s.Targets = nil
	if gs, _, err = s.Graphs(e); err != nil || gs[0].Label != graph.NoLabel || gs[0].Targets != nil {
		t.Errorf("%v: a label of new data without", err)
	}
	if _, err := s.Whole(e, tables.InputOptions{}); err == nil || !strings.Contains(err.Error(), "expected labelled edges") {
		t.Errorf("error %v of labelled graphs as labelled edges", err)
	}
	if _, err := s.Split(tables.SplitOptions{}); err == nil || !strings.Contains(err.Error(), "expected labelled edges") {
		t.Errorf("error %v of labelled graphs split by edge", err)
	}
	if _, err := s.Fit([]int{0}); err == nil || !strings.Contains(err.Error(), "the labels are of each graph") {
		t.Errorf("error %v of labelled graphs fitted by edge", err)
	}
}

func TestGraphTargets(t *testing.T) {
	s := collection()
	s.Targets = []*tables.Column{{Name: "a", Value: []float64{1, 3, nan}}, {Name: "b", Value: []float64{7, 7, 8}}}
	e, err := s.FitGraphs([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []tables.Unit{{Name: "a", Mean: 2, Scale: 1}, {Name: "b", Mean: 7, Scale: 1}}; !reflect.DeepEqual(e.Units, want) || e.Classes != nil || e.Scale != 0 {
		t.Errorf("units %+v, want %+v, and neither classes nor the scale of a label", e.Units, want)
	}
	var back tables.Encoder
	if err := json.Unmarshal([]byte(mustJSON(t, e)), &back); err != nil || !reflect.DeepEqual(*e, back) {
		t.Errorf("%v: the encoder does not survive JSON: %+v", err, back)
	}
	gs, _, err := s.Graphs(&back)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(gs[0].Targets, gs[2].Targets, gs[0].Label); got != "[1 7] [NaN 8] -1" {
		t.Errorf("targets %s", got)
	}
	s.Targets = s.Targets[:1]
	if _, _, err := s.Graphs(e); err == nil || !strings.Contains(err.Error(), "have 1 targets, and had 2 in training") {
		t.Errorf("error %v of a target that is gone", err)
	}
}

func TestNodes(t *testing.T) {
	s := collection()
	s.Level, s.Targets, s.GraphIDs, s.GraphOf = tables.OfNodes, nil, nil, nil
	s.Label = &tables.Column{Name: "label", Code: []int32{0, 1, -1, 0, 1}, Text: []string{"u", "v"}}
	e, err := s.FitNodes([]int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	// Nodes p and q are in training, and every edge has one of them as an end.
	if age := e.Nodes[0]; age.Mean != 5.5 || age.Scale != 4.5 {
		t.Errorf("age %+v, want that of the training nodes", age)
	}
	if w := e.Edges[0]; w.Mean != 5.5 || !w.Gaps {
		t.Errorf("weight %+v, want that of the edges at training nodes", w)
	}
	in, err := s.WholeNodes(e)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Graph.NodeLabel, []int32{0, 1, -1, 0, 1}) || in.Graph.NumNodes != 5 || !slices.Equal(in.Graph.Ends, s.Ends) {
		t.Errorf("labels %v of %d nodes, ends %v", in.Graph.NodeLabel, in.Graph.NumNodes, in.Graph.Ends)
	}
	if len(in.Unseen) != 1 || in.Unseen[0].Example != "z" {
		t.Errorf("unseen %+v, want kind z", in.Unseen)
	}
	if _, err := s.FitNodes([]int{5}); err == nil || !strings.Contains(err.Error(), "training node 5, expected 0 to 4") {
		t.Errorf("error %v", err)
	}
	if _, err := s.FitGraphs([]int{0}); err == nil {
		t.Error("labelled nodes fitted by graph")
	}
	edges := collection()
	edges.Level, edges.Targets = tables.OfEdges, nil
	if _, err := edges.Whole(e, tables.InputOptions{}); err == nil || !strings.Contains(err.Error(), "were of each node in training") {
		t.Errorf("error %v of an encoder of another level", err)
	}
}

func TestUnseen(t *testing.T) {
	s := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv", edgesCSV)
	split := &data.Split{Train: []int{0, 2}, Test: []int{1, 3, 4}}
	s.Label = nil
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Input(e, split, tables.Test, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []tables.Unseen{{Of: tables.OfNodes, Column: "kind", Rows: 1, Example: "company, limited"}, {Of: tables.OfEdges, Column: "channel", Rows: 2, Example: "wire"}}
	if !reflect.DeepEqual(in.Unseen, want) {
		t.Errorf("unseen %+v, want %+v", in.Unseen, want)
	}
	if in, err = s.Input(e, split, tables.Train, tables.InputOptions{}); err != nil || in.Unseen != nil {
		t.Errorf("%v: unseen %+v in training", err, in.Unseen)
	}
}
