package graph_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
)

func TestNewErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	ones := graph.Ones
	for _, c := range []struct {
		name string
		g    graph.Graph
		want string
	}{
		{"negative size", graph.Graph{NumNodes: -1}, "graph: -1 nodes"},
		{"odd list", graph.Graph{NumNodes: 2, Ends: []int32{0, 1, 0}}, "graph: edge list has 3 ends, expected two per edge"},
		{"end above", graph.Graph{NumNodes: 2, Ends: []int32{0, 1, 1, 2}}, "graph: edge 1 ends in node 2, expected 0 to 1"},
		{"end below", graph.Graph{NumNodes: 2, Ends: []int32{-1, 1}}, "graph: edge 0 ends in node -1, expected 0 to 1"},
		{"edge without nodes", graph.Graph{Ends: []int32{0, 0}}, "graph: edge 0 ends in node 0, expected 0 to -1"},
		{"negative width", graph.Graph{NumNodes: 1, Node: graph.Features{Dim: -1}}, "graph: node features: negative width -1"},
		{"no codes", graph.Graph{NumNodes: 1, Node: graph.Features{Codes: []int{2, 0}}}, "graph: node features: categorical column 1 has 0 codes, expected at least 1"},
		{"node values", graph.Graph{NumNodes: 2, Node: graph.Features{Dim: 2, Dense: make([]float32, 3)}}, "graph: node features: 3 values, expected 2 rows of 2"},
		{"values without width", graph.Graph{NumNodes: 2, Node: graph.Features{Dense: make([]float32, 3)}}, "graph: node features: 3 values, expected 2 rows of 0"},
		{"node codes", graph.Graph{NumNodes: 2, Node: ones(1)}, "graph: node features: 1 codes, expected 2 rows of 1"},
		{"NaN", graph.Graph{NumNodes: 2, Node: graph.Features{Dim: 2, Dense: []float32{0, 0, 0, nan}}}, "graph: node features: row 1, column 1 is NaN, expected a finite number"},
		{"infinity", graph.Graph{NumNodes: 1, Node: graph.Features{Dim: 2, Dense: []float32{-inf, 0}}}, "graph: node features: row 0, column 0 is -Inf, expected a finite number"},
		{"code above", graph.Graph{NumNodes: 2, Node: graph.Features{Code: []int32{0, 3}, Codes: []int{3}}}, "graph: node features: row 1 has code 3 in categorical column 0, expected -1 to 2"},
		{"code below", graph.Graph{NumNodes: 1, Node: graph.Features{Code: []int32{-2}, Codes: []int{3}}}, "graph: node features: row 0 has code -2 in categorical column 0, expected -1 to 2"},
		{"codes without columns", graph.Graph{NumNodes: 2, Node: graph.Features{Code: []int32{0, 0}}}, "graph: node features: 2 codes, expected 2 rows of 0"},
		{"code of another column", graph.Graph{NumNodes: 2, Node: graph.Features{Code: []int32{4, 1, 0, 2}, Codes: []int{5, 2}}}, "graph: node features: row 1 has code 2 in categorical column 1, expected -1 to 1"},
		{"codes of one column", graph.Graph{NumNodes: 2, Node: graph.Features{Code: []int32{0, 1}, Codes: []int{5, 2}}}, "graph: node features: 2 codes, expected 2 rows of 2"},
		{"edge values", graph.Graph{NumNodes: 1, Ends: []int32{0, 0}, Edge: graph.Features{Dim: 3, Dense: make([]float32, 2)}}, "graph: edge features: 2 values, expected 1 rows of 3"},
		{"edge codes", graph.Graph{NumNodes: 1, Ends: []int32{0, 0}, Edge: ones(2)}, "graph: edge features: 2 codes, expected 1 rows of 1"},
		{"node labels", graph.Graph{NumNodes: 1, NodeLabel: []int32{}}, "graph: 0 node labels for 1 nodes"},
		{"edge labels", graph.Graph{NumNodes: 1, EdgeLabel: []int32{1}}, "graph: 1 edge labels for 0 edges"},
		{"edge targets", graph.Graph{NumNodes: 1, Ends: []int32{0, 0, 0, 0}, Edge: ones(2), EdgeTargets: []float32{1, 2, 3}}, "graph: 3 edge targets for 2 edges"},
		{"targets of no edge", graph.Graph{NumNodes: 1, EdgeTargets: []float32{1}}, "graph: 1 edge targets for 0 edges"},
		{"node targets", graph.Graph{NumNodes: 2, Node: ones(2), NodeTargets: []float32{1}}, "graph: 1 node targets for 2 nodes"},
		{"infinite node target", graph.Graph{NumNodes: 2, Node: ones(2), NodeTargets: []float32{0, 0, 0, -inf}}, "graph: target of node 1 is infinite"},
		{"infinite edge target", graph.Graph{NumNodes: 1, Ends: []int32{0, 0}, Edge: ones(1), EdgeTargets: []float32{-inf}}, "graph: target of edge 0 is infinite"},
		{"time of a label", graph.Graph{NumNodes: 1, Ends: []int32{0, 0}, Edge: ones(1), Observed: &graph.ObservedLabels{Label: []float32{1}, Time: []float64{math.NaN()}}},
			"graph: time of edge 0, whose label may be read, is not a number"},
		{"target", graph.Graph{Targets: []float32{0, nan, inf}}, "graph: target 2 is infinite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if g, err := graph.New(c.g); err == nil || err.Error() != c.want || g != nil {
				t.Errorf("New gave %v, error %v, want %q", g, err, c.want)
			}
		})
	}
}

func TestNewAccepts(t *testing.T) {
	for name, g := range map[string]graph.Graph{
		"nothing":        {},
		"isolated nodes": {NumNodes: 3, Node: graph.Ones(3)},
		"self-loop and parallel edges": {NumNodes: 2, Ends: []int32{0, 0, 0, 1, 1, 0, 0, 1},
			Edge: graph.Ones(4), EdgeLabel: make([]int32, 4), NodeLabel: []int32{graph.NoLabel, 1}},
		"missing edge target": {NumNodes: 1, Ends: []int32{0, 0}, Edge: graph.Ones(1), EdgeTargets: []float32{float32(math.NaN())}},
		"missing target":      {NumNodes: 1, Targets: []float32{float32(math.NaN()), 1}},
		"unknown code":        {NumNodes: 1, Node: graph.Features{Code: []int32{-1}, Codes: []int{2}}},
	} {
		if _, err := graph.New(g); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFeaturesRow(t *testing.T) {
	f := graph.Features{Dim: 2, Dense: []float32{1, 2, 3, 4, 5, 6}, Codes: []int{3}, Code: []int32{2, -1, 0}}
	if f.Width() != 5 {
		t.Errorf("width is %d, want 5", f.Width())
	}
	dst := []float32{9, 9, 9, 9, 9} // a row must overwrite what was there
	for i, want := range [][]float32{{1, 2, 0, 0, 1}, {3, 4, 0, 0, 0}, {5, 6, 1, 0, 0}} {
		if f.Row(i, dst); !slices.Equal(dst, want) {
			t.Errorf("row %d is %v, want %v", i, dst, want)
		}
	}
	if !slices.Equal(f.Blocks(), []int{2, 3}) {
		t.Errorf("blocks %v", f.Blocks())
	}
	f = graph.Features{Codes: []int{2, 1, 3}, Code: []int32{1, 0, 2, -1, -1, 0, 0, 0, -1}}
	if f.Width() != 6 || f.NumCodes() != 6 || !slices.Equal(f.Blocks(), f.Codes) {
		t.Errorf("several columns: width %d, %d codes, blocks %v", f.Width(), f.NumCodes(), f.Blocks())
	}
	dst = []float32{9, 9, 9, 9, 9, 9}
	for i, want := range [][]float32{{0, 1, 1, 0, 0, 1}, {0, 0, 0, 1, 0, 0}, {1, 0, 1, 0, 0, 0}} {
		if f.Row(i, dst); !slices.Equal(dst, want) {
			t.Errorf("several columns: row %d is %v, want %v", i, dst, want)
		}
	}
	var none graph.Features
	if none.Width() != 0 || none.Blocks() != nil {
		t.Errorf("the zero value has width %d, blocks %v", none.Width(), none.Blocks())
	}
	one := graph.Ones(2)
	if one.Width() != 1 {
		t.Errorf("width of ones is %d", one.Width())
	}
	if one.Row(1, dst[:1]); dst[0] != 1 {
		t.Errorf("ones are %v", dst[0])
	}
}

// contains fails unless err has text in its message.
func contains(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}
