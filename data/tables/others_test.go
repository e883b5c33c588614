package tables_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// The other classes of an edge are those of all edges between its nodes, in any part. In an
// undirected set both directions count.
func TestOtherClasses(t *testing.T) {
	text := "source,target,label\na,b,x\na,b,y\nb,a,z\na,b,x\na,b,\nc,d,x\nc,d,x\na,b,w\nd,c,y\n"
	split := &data.Split{Train: []int{0, 2, 5, 8}, Valid: []int{1, 4}, Test: []int{3, 6, 7}} // no training edge has class w
	for _, c := range []struct {
		form data.Edges
		part string
		want map[int][]string // by edge of the set
	}{
		{data.Directed, tables.Train, map[int][]string{0: {"y"}}},
		{data.Directed, tables.Valid, map[int][]string{1: {"x"}}},
		{data.Directed, tables.Test, map[int][]string{3: {"y"}}},
		{data.Undirected, tables.Train, map[int][]string{0: {"y", "z"}, 2: {"x", "y"}, 5: {"y"}, 8: {"x"}}},
		{data.Undirected, tables.Test, map[int][]string{3: {"y", "z"}, 6: {"y"}}},
	} {
		s := read(t, tables.Options{Form: c.form}, "edges.csv", text)
		e, err := s.Fit(split.Train)
		if err != nil {
			t.Fatal(err)
		}
		in := &tables.Input{}
		for i := range int32(s.NumEdges()) {
			in.Edges = append(in.Edges, i)
		}
		for _, i := range map[string][]int{tables.Train: split.Train, tables.Valid: split.Valid, tables.Test: split.Test}[c.part] {
			in.Scored = append(in.Scored, int32(i))
		}
		got := map[int][]string{}
		for i, classes := range s.OtherClasses(e, in) {
			for _, k := range classes {
				got[int(i)] = append(got[int(i)], e.Classes[k])
			}
			slices.Sort(got[int(i)])
		}
		if !maps.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v, %s: %v, want %v", c.form, c.part, got, c.want)
		}
	}
	numbers := read(t, tables.Options{Number: true}, "edges.csv", "source,target,label\na,b,1\na,b,2\n")
	e, err := numbers.Fit([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	if got := numbers.OtherClasses(e, &tables.Input{}); got != nil {
		t.Error(fmt.Sprint("other classes of numbers: ", got))
	}
}

// Nodes have no other classes.
func TestOtherClassesOfNodes(t *testing.T) {
	s := read(t, tables.Options{Label: "role"}, "nodes.csv", "id,role\na,x\nb,y\nc,z\n", "edges.csv", "source,target\na,b\na,b\na,b\nb,c\n")
	e, err := s.FitNodes([]int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.WholeNodes(e)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.OtherClasses(e, in); got != nil {
		t.Errorf("other classes %v", got)
	}
}
