package substructure_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/substructure"
)

// molecule is a graph with a category of each node and of each edge.
func molecule(node []int32, ends, edge []int32) *graph.Graph {
	return &graph.Graph{NumNodes: len(node), Ends: ends, Node: graph.Features{Code: node, Codes: []int{4}}, Edge: graph.Features{Code: edge, Codes: []int{3}}}
}

func counts(t *testing.T, c substructure.Counter, gs ...*graph.Graph) [][]substructure.Count {
	t.Helper()
	b, err := graph.Collate(gs)
	if err != nil {
		t.Fatal(err)
	}
	return c.Counts(b.View, b.N)
}

func TestCountsOfRenamedGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n := 3 + r.IntN(8)
		var node, ends, edge []int32
		for range n {
			node = append(node, int32(r.IntN(4)))
		}
		for range 2 * n {
			ends, edge = append(ends, int32(r.IntN(n)), int32(r.IntN(n))), append(edge, int32(r.IntN(3)))
		}
		name := r.Perm(n)
		other, turned := make([]int32, n), []int32{}
		for u, c := range node {
			other[name[u]] = c
		}
		for k := range edge { // the other end first
			turned = append(turned, int32(name[ends[2*k+1]]), int32(name[ends[2*k]]))
		}
		got := counts(t, substructure.Counter{Radius: 2}, molecule(node, ends, edge), molecule(other, turned, edge))
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Fatalf("a graph with other numbers of nodes has counts %v, expected %v", got[1], got[0])
		}
		total := int32(0)
		for _, c := range got[0] {
			total += c.Times
		}
		if total != int32(3*n) {
			t.Fatalf("%d counts of %d nodes at radius 0, 1 and 2", total, n)
		}
	}
}

func TestCountsTellApart(t *testing.T) {
	path := molecule([]int32{0, 0, 0, 1}, []int32{0, 1, 1, 2, 2, 3}, []int32{0, 0, 0})
	tests := []struct {
		name   string
		other  *graph.Graph
		radius int // at which the graphs differ; below it they are equal
	}{
		{"another category of a node", molecule([]int32{0, 0, 0, 2}, path.Ends, []int32{0, 0, 0}), 0},
		{"another degree", molecule([]int32{0, 0, 0, 1}, []int32{0, 1, 1, 2, 1, 3}, []int32{0, 0, 0}), 0},
		{"another category of an edge", molecule([]int32{0, 0, 0, 1}, path.Ends, []int32{0, 1, 0}), 1},
		{"another order", molecule([]int32{0, 1, 0, 0}, path.Ends, []int32{0, 0, 0}), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for radius := range 3 {
				got := counts(t, substructure.Counter{Radius: radius}, path, test.other)
				if same := reflect.DeepEqual(got[0], got[1]); same != (radius < test.radius) {
					t.Errorf("radius %d: equal counts are %v", radius, same)
				}
			}
		})
	}
}

func TestFrequent(t *testing.T) {
	of := [][]substructure.Count{{{ID: 7, Times: 1}, {ID: 9, Times: 5}}, {{ID: 3, Times: 1}, {ID: 9, Times: 1}}, {{ID: 3, Times: 2}, {ID: 4, Times: 1}, {ID: 9, Times: 1}}}
	for most, want := range [][]int32{{}, {9}, {3, 9}, {3, 9}} {
		if got := substructure.Frequent(of, most); !slices.Equal(got, want) {
			t.Errorf("%d at most: %v, expected %v", most, got, want)
		}
	}
}
