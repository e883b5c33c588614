package auto

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
)

// With small components messages go farther, because a batch of rows has several components.
func TestHopsOfComponents(t *testing.T) {
	for _, c := range []struct {
		name    string
		length  int // number of edges in each path
		quality string
		want    []int
	}{
		{"one path", 1000, model.QualityGood, []int{2, 3, 3}},
		{"small paths", 4, model.QualityGood, []int{2, 3, 4, 5}},
		{"small paths, fast", 4, model.QualityFast, []int{2}},
	} {
		const edges = 1000
		g := &graph.Graph{Label: graph.NoLabel}
		p := &problem{}
		for e := range int32(edges) {
			first := e + e/int32(c.length)
			g.Ends = append(g.Ends, first, first+1)
			g.NumNodes = int(first) + 2
			p.edges = append(p.edges, e)
		}
		b, err := graph.Collate([]*graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		p.Request = Request{Train: b, Quality: c.quality}
		p.rows = model.NewEdgeRows(b, model.EdgeLayout{}, 1)
		p.around.components = p.smallComponents()
		if got := p.hops(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if of := p.around.components; of != nil && (len(of) != 2*edges || of[0] != of[edges] || of[0] == of[c.length]) {
			t.Errorf("%s: components of rows are %v", c.name, of[:c.length+1])
		}
	}
}
