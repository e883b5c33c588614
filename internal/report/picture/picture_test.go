package picture

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// square is a record of a square with a diagonal. The first pool keeps four of five edges, the
// second two of four.
func square() explain.GraphRecord {
	return explain.GraphRecord{Graph: "7", Nodes: []string{"0", "1", "2", "3"}, Labels: []string{"a", "b", "a", "b"},
		Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}},
		Drops: []explain.DropRecord{
			{Layer: 1, Edges: []int32{0, 1, 2, 3, 4}, Scores: []float32{0.5, 0.4, 0.3, 0.2, 0.1}, Kept: []bool{true, true, true, true, false}},
			{Layer: 2, Edges: []int32{0, 1, 2, 3}, Scores: []float32{0.9, 0.1, 0.8, 0.2}, Kept: []bool{true, false, true, false}},
		}}
}

func svgOf(t *testing.T, s *draw.Scene) string {
	t.Helper()
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}

// The higher the score of a kept edge, the wider it is. Edges that were dropped, in this layer or before, are dashed.
func TestRecord(t *testing.T) {
	p := keptPicture(square(), Kept{Layer: 2})
	for e, want := range []draw.Stroke{{Line: draw.DownInk, Width: 6}, {Line: draw.UpInk, Width: 2, Dash: "6 4"}, {Line: draw.DownInk, Width: 1.5}, {Line: draw.UpInk, Width: 2, Dash: "6 4"}, {Line: draw.LineInk, Width: 1.5, Dash: "2 4"}} {
		if got := p.looks[e].line; got != want {
			t.Errorf("edge %d is %+v, want %+v", e, got, want)
		}
	}
	if want := []int32{0, 2, 3, 1, 4}; !slices.Equal(p.order, want) || p.note != "Layer 2 kept 2 of 4 edges." || len(p.legend) != 3 {
		t.Errorf("order %v, %q, %v", p.order, p.note, p.legend)
	}
	p = keptPicture(square(), Kept{Layer: 2, By: ByComponent})
	if a, b := p.looks[0].line, p.looks[2].line; a.Line != groupInks[0] || b.Line != groupInks[1] || a.Dash == b.Dash || p.note != "Layer 2 kept 2 of 4 edges, 2 components." {
		t.Errorf("%+v and %+v, %q", a, b, p.note)
	}
	p = keptPicture(square(), Kept{Node: "2", To: "1"})
	if p.item != 1 || p.looks[1].line.Line != draw.TextInk || p.order[0] != 1 {
		t.Errorf("the edge from 2 to 1 is not marked: %d, %+v", p.item, p.looks)
	}
	svg := svgOf(t, Record(square(), Kept{Layer: 1}, nil, WideEdge))
	for _, want := range []string{"Graph 7", "Layer 1 kept 4 of 5 edges.", `data-line="4"`, ">0.100 dropped<", ">0 · a<", "dropped by the layer"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
}

// Components are numbered by size.
func TestComponents(t *testing.T) {
	edges := [][2]int32{{0, 1}, {2, 3}, {3, 4}, {5, 5}, {1, 2}}
	of, n := componentsOf(7, edges, []int32{0, 1, 2, 3})
	if want := []int{1, 1, 0, 0, 0, 2, -1}; n != 3 || !slices.Equal(of, want) {
		t.Errorf("%d components, %v, want %v", n, of, want)
	}
	if of, n = componentsOf(2, edges, nil); n != 0 || !slices.Equal(of, []int{-1, -1}) {
		t.Errorf("%d components, %v without edges", n, of)
	}
}

// Edges have the line style of their cluster, the largest clusters first. Edges of small clusters are grey.
func TestClusters(t *testing.T) {
	g := explain.GraphRecord{Graph: "0", Nodes: []string{"0", "1", "2"}, Directed: true, Edges: [][2]int32{{0, 1}, {1, 0}, {1, 2}},
		Clusters: &explain.ClusterRecord{Of: 30, Cluster: []int32{4, 4, 25}, Weight: []float32{1, 0.5, 0.4}}}
	p := keptPicture(g, Kept{})
	if p.looks[0].line != groupLine(0) || p.looks[1].line != groupLine(0) || p.looks[2].line != groupLine(1) || p.note != "2 of 30 clusters." || p.looks[2].text != "cluster 25" {
		t.Errorf("%+v, %q", p.looks, p.note)
	}
	if groupLine(9) != groupLine(4) || groupLine(4).Line != draw.OtherInk {
		t.Error("clusters after the fourth are not grey")
	}
	if c := Clusters([]int32{7, 25, 4, 25, 4, 25}); len(c) != 3 || c[25] != group(0) || c[4] != group(1) || c[7] != group(2) {
		t.Errorf("%v", c)
	}
	seen := map[draw.Ink]bool{}
	for k := range 60 {
		seen[group(k)] = true
	}
	if len(seen) != 60 {
		t.Errorf("60 groups have %d colours", len(seen))
	}
}

// For a large graph, one node is drawn with its edges in rows. The names in the rows link to other nodes.
func TestTies(t *testing.T) {
	g := scoredGraph(60, 0, nil, short)
	g.Explanation, g.Directed = nil, true
	for k := range int32(40) {
		g.Edges = append(g.Edges, [2]int32{k % 20 * 2, 55})
	}
	g.Edges = append(g.Edges, [2]int32{55, 1})
	svg := svgOf(t, Record(g, Kept{Link: func(node string) string { return "?node=" + node }}, nil, 1280))
	for _, want := range []string{">in 40<", ">out 1<", ">28 more<", "Node " + short(55) + " and its edges", `role="group"`, `<a href="?node=` + short(0) + `">`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%.2000s", want, svg)
		}
	}
	if n := strings.Count(svg, "<a "); n != mostTies+1 {
		t.Errorf("%d links, want %d", n, mostTies+1)
	}
	if one := svgOf(t, Record(g, Kept{Node: short(3)}, nil, 1280)); !strings.Contains(one, "Node "+short(3)) || strings.Contains(one, "<a ") {
		t.Error("another node is not drawn, or has links")
	}
}

// At a node, predicted edges come first, and among them wrong predictions. Edges have the colour of their class.
func TestTold(t *testing.T) {
	g := scoredGraph(60, 0, nil, short)
	g.Explanation, g.Directed = nil, true
	for k := range int32(4) {
		g.Edges = append(g.Edges, [2]int32{55, k})
	}
	p := keptPicture(g, Kept{Node: short(55), Told: map[string]Told{"1": {"friend", 0.9, false}, "2": {"enemy", 0.2, true}, "3": {"friend", 0.7, false}}})
	if got := p.order[:4]; !slices.Equal(got, []int32{2, 3, 1, 0}) {
		t.Errorf("edges in the order %v", got)
	}
	if p.looks[2].text != "✕ 0.200" || p.looks[1].line != groupLine(0) || p.looks[2].line != groupLine(1) || p.looks[0].line.Line != draw.LineInk {
		t.Errorf("%+v", p.looks)
	}
}

// At any size and width, no text of a record overlaps another one or leaves the picture.
func TestRecordGeometry(t *testing.T) {
	for name, g := range map[string]explain.GraphRecord{
		"5":       scoredGraph(5, 7, nil, func(k int) string { return fmt.Sprint(k) }),
		"40":      scoredGraph(40, 90, nil, short),
		"41":      scoredGraph(41, 300, nil, short),
		"500":     scoredGraph(500, 12000, nil, short),
		"none":    scoredGraph(2, 0, nil, short),
		"hostile": scoredGraph(12, 30, nil, hostile),
		"large":   scoredGraph(61, 900, nil, hostile),
	} {
		g.Explanation = nil
		drop := explain.DropRecord{Layer: 1}
		for e := range g.Edges {
			drop.Edges, drop.Scores, drop.Kept = append(drop.Edges, int32(e)), append(drop.Scores, float32(e)/99), append(drop.Kept, e%3 > 0)
		}
		g.Drops = []explain.DropRecord{drop}
		clustered := g
		clustered.Clusters = &explain.ClusterRecord{Of: 12, Cluster: make([]int32, len(g.Edges)), Weight: make([]float32, len(g.Edges))}
		for e := range g.Edges {
			clustered.Clusters.Cluster[e] = int32(e % 7)
		}
		for _, width := range []float64{NarrowEdge, 918, 1280, WideEdge} {
			for form, s := range map[string]*draw.Scene{"plain": Record(g, Kept{}, nil, width), "layer": Record(g, Kept{Layer: 1, By: ByComponent, Node: g.Nodes[0], To: g.Nodes[1]}, nil, width), "clusters": Record(clustered, Kept{}, nil, width)} {
				for _, fault := range s.Faults() {
					t.Errorf("%s, %s, %v: %s", name, form, width, fault)
				}
				if n := len(svgOf(t, s)); n > 60<<10 {
					t.Errorf("%s, %s: %d bytes", name, form, n)
				}
				keepPicture(t, fmt.Sprintf("record-%s-%s-%v", name, form, width), s)
			}
		}
	}
}

// drawn is a toolkit that puts atoms on a line.
type drawn struct{ chem.Toolkit }

func (drawn) DrawStructure(s *chem.Structure, bond float64, _ *chem.Structure) (*chem.Drawing, error) {
	d := &chem.Drawing{Width: bond * float64(len(s.Atoms)), Height: 20}
	for i := range s.Atoms {
		d.Atoms = append(d.Atoms, [2]float64{bond * float64(i), 10})
	}
	return d, nil
}

// The bonds of a molecule have the colours of their edges, and an edge that is not a bond is dashed. Several records
// form a grid with cells of one width.
func TestRecordOfMolecule(t *testing.T) {
	s := &chem.Structure{Atoms: make([]chem.Atom, 4), Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.Double}, {Begin: 1, End: 2, Type: chem.Single}, {Begin: 2, End: 3, Type: chem.NoBond}}}
	g := explain.GraphRecord{Graph: "5", Nodes: []string{"0", "1", "2", "3"}, Edges: [][2]int32{{1, 2}, {0, 1}}, Molecule: s,
		Drops: []explain.DropRecord{{Layer: 1, Edges: []int32{0, 1}, Scores: []float32{0.5, 0.1}, Kept: []bool{true, false}}}}
	svg := svgOf(t, Record(g, Kept{Layer: 1}, drawn{}, 918))
	// Once in the molecule and once in the legend. The legend has the colours behind bonds and no dashes.
	for want, times := range map[string]int{`stroke="#5a9fdd"`: 2, `stroke="#e58a2e"`: 2, `stroke-dasharray="3 3"`: 1, `stroke-dasharray="6 4"`: 0} {
		if strings.Count(svg, want) != times {
			t.Errorf("%d times %s, want %d", strings.Count(svg, want), want, times)
		}
	}
	scored := g
	scored.Explanation = &explain.Explanation{Method: "occlusion", Target: "active", OfClass: true, Scores: []float32{0.002, -0.001}}
	scored.Explanation.Score = 0.7891
	scored.Nodes = []string{"atom0", "atom1", "atom2", "atom3"}
	for _, fault := range Scores(scored, drawn{}, 918).Faults() {
		t.Errorf("the molecule with scores: %s", fault)
	}
	svg = svgOf(t, Scores(scored, drawn{}, 918))
	for _, want := range []string{`stroke="#e58a2e"`, `<title>+0.002</title>`, ">+2.00<", "[10⁻³]", "Probability 0.789.", "Which bonds the prediction of class active for molecule 5", ">atom0<", ">atom3<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the molecule with scores has no %s", want)
		}
	}
	scored.Explanation.Value = 1.3194 // the logit of 0.7891
	for unit, want := range map[string][]string{explain.LogOdds: {">0.789<", ">class active<", "below it the probability."}, explain.Number: {">0.789<", "below it the value."}} {
		scored.Explanation.Unit = unit
		svg := svgOf(t, AllScores([]explain.GraphRecord{scored, scored}, drawn{}, 984))
		for _, w := range append(want, "Which bonds predictions depend on") {
			if !strings.Contains(svg, w) {
				t.Errorf("the grid of unit %q has no %s", unit, w)
			}
		}
	}
	scene, err := AllRecords([]explain.GraphRecord{g, g, g, g, g}, "", drawn{}, 984)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(svgOf(t, scene), ">layer 1: 1 of 2 kept<"); n != 5 || scene.Faults() != nil {
		t.Errorf("%d cells, faults %q", n, scene.Faults())
	}
	captions := []Caption{{"price", "true 1 · predicted 0.006"}, {"", "label 0 · score 0.994"}}
	if Structures([]explain.GraphRecord{g, square()}, captions, drawn{}, 918) != nil {
		t.Error("a grid of molecules is for molecules")
	}
	svg = svgOf(t, Structures([]explain.GraphRecord{g}, captions, drawn{}, 918))
	for _, want := range []string{">price<", ">true 1 · predicted 0.006<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the grid has no %s", want)
		}
	}
}

// A record that cannot be drawn is refused, and the error says what to do instead.
func TestAllRecordsRefuses(t *testing.T) {
	many := slices.Repeat([]explain.GraphRecord{square()}, maxPictures/2+1)
	for want, records := range map[string][]explain.GraphRecord{"name fewer graphs": many, "no record": nil} {
		if _, err := AllRecords(records, "", nil, 918); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The document lists each edge with its scores and the layer that dropped it, or with its cluster.
func TestDocument(t *testing.T) {
	d := Document([]explain.GraphRecord{square()}, "hyperdrop", Kept{Layer: AllLayers}, nil)
	text := d.Text()
	for _, want := range []string{"Record of hyperdrop: edges that it kept and dropped", "\n7         4  0       2        0.1000                    1\n", "\n7         1  1       2        0.4000   0.1000           2\n", "\n7         0  0       1        0.5000   0.9000            \n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var page strings.Builder
	if err := d.WriteHTML(&page); err != nil || strings.Count(page.String(), "<figcaption>") != 2 || !strings.Contains(page.String(), "what layer 2 kept and dropped") {
		t.Errorf("%v\n%.500s", err, page.String())
	}
	g := square()
	g.Drops, g.Clusters = nil, &explain.ClusterRecord{Of: 2, Cluster: []int32{0, 1, 0, 1, 1}, Weight: []float32{1, 1, 1, 1, 0.75}}
	page.Reset()
	d = Document([]explain.GraphRecord{g}, "hypercluster", Kept{Layer: AllLayers}, nil)
	if err := d.WriteHTML(&page); err != nil || !strings.Contains(page.String(), `role="img"`) || !strings.Contains(page.String(), "0.7500") {
		t.Errorf("%v\n%.500s", err, page.String())
	}
	if text := d.Text(); !strings.Contains(text, "edges and their clusters") || !strings.Contains(text, "7         4  0       2             1  0.7500\n") {
		t.Errorf("\n%s", text)
	}
}
