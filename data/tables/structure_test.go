package tables_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph/structure"
)

// The features of an edge are its numbers, its structure columns and its categories. Structure is
// counted among the training edges, or among all edges in the transductive case, without the edge
// itself. It is standardised with the training edges and bounded.
func TestStructure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	s := read(t, tables.Options{}, "edges.csv", text(randomRows(r, 200)))
	split, err := s.Split(tables.SplitOptions{Fractions: [3]float64{0.6, 0.2, 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	names, err := structure.Names(true, structure.Groups()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []tables.InputOptions{{}, {Transductive: true}} {
		e, err := s.Fit(split.Train)
		if err != nil {
			t.Fatal(err)
		}
		plain := *e
		if err := s.FitStructure(e, split, structure.Groups(), o); err != nil {
			t.Fatal(err)
		}
		var first []float32
		for _, part := range []string{tables.Train, tables.Valid, tables.Test} {
			without, err := s.Input(&plain, split, part, o)
			if err != nil {
				t.Fatal(err)
			}
			in, err := s.Input(e, split, part, o)
			if err != nil {
				t.Fatal(err)
			}
			own, got := without.Graph.Edge, in.Graph.Edge
			if got.Dim != own.Dim+len(e.Structure) || !slices.Equal(got.Code, own.Code) || !reflect.DeepEqual(got.Codes, own.Codes) {
				t.Fatalf("%s: %d numbers and codes %v, of its own %d and %v", part, got.Dim, got.Codes, own.Dim, own.Codes)
			}
			var base []int32
			known := make([]bool, len(in.Edges))
			for i, edge := range in.Edges {
				if known[i] = o.Transductive || slices.Contains(split.Train, int(edge)) || !touches(s, split.Train, s.Ends[2*edge:][:2]); known[i] {
					base = append(base, in.Graph.Ends[2*i], in.Graph.Ends[2*i+1])
				}
			}
			g, err := structure.New(in.Graph.NumNodes, base, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			trains := numbers(in, split.Train) // they are the same in all inputs
			if first == nil {
				first = trains
			}
			if !slices.Equal(trains, first) {
				t.Errorf("%s: training edges have other numbers than in training", part)
			}
			rows, err := g.Columns(names, structure.Pairs{Ends: in.Graph.Ends, Own: known, Together: true})
			if err != nil {
				t.Fatal(err)
			}
			for i := range in.Edges {
				row := got.Dense[i*got.Dim:][:got.Dim]
				if !slices.Equal(row[:own.Dim], own.Dense[i*own.Dim:][:own.Dim]) {
					t.Fatalf("%s: edge %d has numbers %v, without structure %v", part, i, row[:own.Dim], own.Dense[i*own.Dim:][:own.Dim])
				}
				for k, f := range e.Structure {
					x := (float64(rows[i*len(names)+slices.Index(names, f.Name)]) - f.Mean) / f.Scale
					if want := min(max(x, -5), 5); math.Abs(float64(row[own.Dim+k])-want) > 1e-6 {
						t.Fatalf("%s: edge %d has %s %v, expected %v", part, i, f.Name, row[own.Dim+k], want)
					}
				}
			}
			if part == tables.Train {
				standardised(t, e, in, own.Dim)
			}
		}
	}
}

// numbers returns the numeric features of some edges of an input.
func numbers(in *tables.Input, edges []int) []float32 {
	var out []float32
	edge := in.Graph.Edge
	for i, e := range in.Edges {
		if slices.Contains(edges, int(e)) {
			out = append(out, edge.Dense[i*edge.Dim:][:edge.Dim]...)
		}
	}
	return out
}

// touches reports whether some edges have one of two nodes as an end.
func touches(s *tables.Set, edges []int, nodes []int32) bool {
	return slices.ContainsFunc(edges, func(e int) bool {
		return slices.Contains(nodes, s.Ends[2*e]) || slices.Contains(nodes, s.Ends[2*e+1])
	})
}

// standardised checks that columns have mean 0 on training edges, and deviation 1, or a little less
// if values were clipped.
func standardised(t *testing.T, e *tables.Encoder, in *tables.Input, first int) {
	t.Helper()
	edge := in.Graph.Edge
	for k, f := range e.Structure {
		sum, squares := 0.0, 0.0
		for _, i := range in.Scored {
			x := float64(edge.Dense[int(i)*edge.Dim+first+k])
			sum, squares = sum+x, squares+x*x
		}
		n := float64(len(in.Scored))
		if mean := sum / n; math.Abs(mean) > 0.1 || squares/n < 0.5 || squares/n > 1.0001 {
			t.Errorf("%s has mean %v and mean square %v over the training edges", f.Name, mean, squares/n)
		}
	}
}

// Structure columns replace the constant feature of edges without features. A column that is
// constant on the training edges is left out. The graphs of a collection are counted separately.
func TestStructureAlone(t *testing.T) {
	// Two triangles and two paths of three nodes. The last path is for testing.
	s := read(t, tables.Options{Form: data.Undirected}, "edges.csv", "graph,source,target,label\n"+
		"1,a,b,x\n1,b,c,x\n1,c,a,x\n2,a,b,x\n2,b,c,x\n2,c,a,x\n3,a,b,y\n3,b,c,y\n4,a,b,y\n4,b,c,y\n")
	split := &data.Split{Train: []int{0, 1, 2, 3, 4, 5, 6, 7}, Test: []int{8, 9}}
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FitStructure(e, split, []string{structure.Pair, structure.Common, structure.Core}, tables.InputOptions{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range e.Structure {
		names = append(names, f.Name)
	}
	if want := "core_mean common adamic_adar jaccard"; strings.Join(names, " ") != want {
		t.Errorf("columns %q, expected %q", names, want)
	}
	in, err := s.Input(e, split, tables.Test, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if edge := in.Graph.Edge; edge.Dim != 4 || edge.Codes != nil {
		t.Fatalf("%d numbers and codes %v, expected the structure alone", edge.Dim, edge.Codes)
	} else if !slices.Equal(edge.Dense[8*4:9*4], edge.Dense[6*4:7*4]) || slices.Equal(edge.Dense[8*4:9*4], edge.Dense[:4]) {
		t.Errorf("rows %v: expected those of one path to be those of the other, and not of a triangle", edge.Dense)
	}
}

// Edges to predict see the context edges in the same way as edges of a test part see the training edges.
func TestStructureOfContext(t *testing.T) {
	s := read(t, tables.Options{Form: data.Directed}, "edges.csv", text(randomRows(rand.New(rand.NewPCG(1, 4)), 80)))
	const known = 50
	split := &data.Split{}
	for i := range s.NumEdges() {
		if i < known {
			split.Train = append(split.Train, i)
		} else {
			split.Test = append(split.Test, i)
		}
	}
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FitStructure(e, split, structure.Groups(), tables.InputOptions{}); err != nil {
		t.Fatal(err)
	}
	want, err := s.Input(e, split, tables.Test, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := make([]bool, s.NumEdges())
	for i := range known {
		first[i] = true
	}
	got, err := s.Whole(e, tables.InputOptions{Context: known, Known: first})
	if err != nil || !reflect.DeepEqual(got.Graph.Edge, want.Graph.Edge) {
		t.Errorf("features (%v) differ from those of a test part", err)
	}
	alone, err := s.Whole(e, tables.InputOptions{})
	if err != nil || reflect.DeepEqual(alone.Graph.Edge, want.Graph.Edge) {
		t.Errorf("features (%v) are the same without context", err)
	}
}

// Data that inputs share do not change the inputs, also with edges between nodes without a training
// edge.
func TestStructureShared(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 11))
		rows := randomRows(r, 150)
		s := read(t, tables.Options{}, "edges.csv", text(rows))
		split := &data.Split{}
		for i := range s.NumEdges() {
			between := s.Ends[2*i]%3 != 0 && s.Ends[2*i+1]%3 != 0 // a third of the nodes has no training edge
			switch k := r.IntN(10); {
			case k < 6 && between:
				split.Train = append(split.Train, i)
			case k%2 == 0:
				split.Valid = append(split.Valid, i)
			default:
				split.Test = append(split.Test, i)
			}
		}
		for _, o := range []tables.InputOptions{{}, {Transductive: true}} {
			e, err := s.Fit(split.Train)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.FitStructure(e, split, structure.Groups(), o); err != nil {
				t.Fatal(err)
			}
			shared := o
			shared.Structures = &tables.Structures{}
			other := *e
			if err := s.FitStructure(&other, split, structure.Groups(), shared); err != nil || !reflect.DeepEqual(&other, e) {
				t.Fatalf("seed %d: another encoder (%v)", seed, err)
			}
			var first []float32 // numeric features of the first input
			for _, part := range []string{tables.Train, tables.Valid, tables.Test, tables.Valid} {
				want, err := s.Input(e, split, part, o)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Input(e, split, part, shared)
				if err != nil || !reflect.DeepEqual(got.Graph.Edge, want.Graph.Edge) {
					t.Errorf("seed %d, %s, %+v: other features (%v)", seed, part, o, err)
				}
				if first == nil {
					first = got.Graph.Edge.Dense
				}
				if o.Transductive && &got.Graph.Edge.Dense[0] != &first[0] {
					t.Errorf("seed %d, %s: a copy of the features of the same edges", seed, part)
				}
			}
		}
	}
}

func TestStructureErrors(t *testing.T) {
	s := read(t, tables.Options{Form: data.Undirected}, "edges.csv", "source,target,label\na,b,x\nb,c,y\n")
	split := &data.Split{Train: []int{0, 1}}
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FitStructure(e, split, []string{structure.Reciprocity}, tables.InputOptions{}); err == nil || !strings.Contains(err.Error(), `no group "reciprocity" of columns for undirected graphs`) {
		t.Errorf("error %v", err)
	}
	e.Structure = []tables.Field{{Name: "beauty", Scale: 1}}
	if _, err := s.Whole(e, tables.InputOptions{}); err == nil || !strings.Contains(err.Error(), `no column "beauty"`) {
		t.Errorf("error %v", err)
	}
}
