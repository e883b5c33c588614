package picture_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// On a path of seven nodes, two hops around node 3 reach the nodes 1 to 5. The record has what
// happened to the edges among them.
func TestAround(t *testing.T) {
	g := explain.GraphRecord{Graph: "p", Clusters: &explain.ClusterRecord{Of: 9}, Drops: []explain.DropRecord{{Layer: 1}},
		Explanation: &explain.Explanation{Method: "gradient"}}
	for v := range int32(7) {
		g.Nodes, g.Labels = append(g.Nodes, string('a'+v)), append(g.Labels, string('A'+v))
	}
	for e := range int32(6) {
		g.Edges, g.EdgeNames = append(g.Edges, [2]int32{e, e + 1}), append(g.EdgeNames, fmt.Sprint(100+e))
		g.Clusters.Cluster, g.Clusters.Weight = append(g.Clusters.Cluster, e), append(g.Clusters.Weight, float32(e))
		g.Explanation.Scores = append(g.Explanation.Scores, float32(e))
		d := &g.Drops[0]
		if e != 2 { // was dropped before
			d.Edges, d.Scores, d.Kept = append(d.Edges, e), append(d.Scores, float32(e)), append(d.Kept, e%2 == 0)
		}
	}
	want := explain.GraphRecord{Graph: "p", Nodes: []string{"b", "c", "d", "e", "f"}, Labels: []string{"B", "C", "D", "E", "F"},
		Edges:       [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}},
		EdgeNames:   []string{"101", "102", "103", "104"},
		Drops:       []explain.DropRecord{{Layer: 1, Edges: []int32{0, 2, 3}, Scores: []float32{1, 3, 4}, Kept: []bool{false, false, true}}},
		Clusters:    &explain.ClusterRecord{Of: 9, Cluster: []int32{1, 2, 3, 4}, Weight: []float32{1, 2, 3, 4}},
		Explanation: &explain.Explanation{Method: "gradient", Scores: []float32{1, 2, 3, 4}}}
	if diff := cmp.Diff(want, picture.Around(g, []int32{3}, 2, 100)); diff != "" {
		t.Errorf("- want, + got\n%s", diff)
	}
	if near := picture.Around(g, []int32{3}, 2, 3); len(near.Nodes) != 3 || len(near.Edges) != 2 {
		t.Errorf("at most 3 nodes: %v", near.Nodes)
	}
}
