package picture

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// scoredGraph is a graph with random scores.
func scoredGraph(nodes, edges int, item *explain.ExplainedItem, name func(k int) string) explain.GraphRecord {
	r := rng.Stream(uint64(nodes), "scored graph")
	g := explain.GraphRecord{Graph: "3", Directed: nodes%2 == 0, Explanation: &explain.Explanation{Method: "occlusion", Target: "fraud", Value: 1.5, Item: item}}
	for v := range nodes {
		g.Nodes = append(g.Nodes, name(v))
	}
	for range edges {
		g.Edges = append(g.Edges, [2]int32{r.Int32N(int32(nodes)), r.Int32N(int32(nodes))})
		g.Explanation.Scores = append(g.Explanation.Scores, float32(r.NormFloat64()))
	}
	return g
}

// At any size and width, no text in the picture of a graph overlaps another one or leaves the picture.
func TestScoresGeometry(t *testing.T) {
	for name, g := range map[string]explain.GraphRecord{
		"5":       scoredGraph(5, 7, nil, func(k int) string { return fmt.Sprint(k) }),
		"40":      scoredGraph(40, 90, nil, short),
		"500":     scoredGraph(500, 1200, nil, short),
		"none":    scoredGraph(2, 0, nil, short),
		"hostile": scoredGraph(12, 30, nil, hostile),
		"node":    scoredGraph(60, 200, &explain.ExplainedItem{Kind: settings.Nodes, Name: "C1000", Number: 0}, short),
		"edge":    scoredGraph(61, 200, &explain.ExplainedItem{Kind: settings.Edges, Name: "C1000:C1097", Number: 3}, short),
	} {
		for _, width := range []float64{NarrowEdge, 918, WideEdge} {
			scene := Scores(g, nil, width)
			for _, fault := range scene.Faults() {
				t.Errorf("%s, %v: %s", name, width, fault)
			}
			svg, err := scene.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if len(svg) > 60<<10 {
				t.Errorf("%s: %d bytes", name, len(svg))
			}
			keepPicture(t, fmt.Sprintf("graph-%s-%v", name, width), scene)
		}
	}
}

// keepPicture writes a picture into the folder EHGNN_KEEP, for inspection.
func keepPicture(t *testing.T, name string, s *draw.Scene) {
	t.Helper()
	dir := os.Getenv("EHGNN_KEEP")
	if dir == "" {
		return
	}
	svg, err := s.SVG()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".svg"), svg, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
