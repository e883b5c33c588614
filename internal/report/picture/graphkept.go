package picture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/unionfind"
)

// Kept says what to draw of a record.
type Kept struct {
	Layer int // layer that kept and dropped edges; 0 for the whole graph, AllLayers for a picture of each
	// By is the meaning of the colours of kept edges: ByScore (also if empty) or ByComponent.
	By string
	// Node, and the edge from it to To, are marked; empty for none. In a large graph one node is drawn: Node, or else the
	// node with the most edges.
	Node, To string
	// Link returns the address of the picture of another node; nil for pictures without links.
	Link func(node string) string
	// Told has predictions for edges, by the edge numbers of the table; nil to show none. It applies to records without
	// results of pools.
	Told map[string]Told
}

// Told is the true class of an edge and its predicted probability.
type Told struct {
	Class       string
	Probability float64 // of the true class
	Wrong       bool    // another class was predicted
}

// AllLayers asks Document for a picture of each layer.
const AllLayers = -1

// Values of Kept.By.
const (
	ByScore     = "score"
	ByComponent = "component" // of the remaining graph, as in the paper
)

// maxPictures limits the number of graphs in a figure.
const maxPictures = 64

// Record draws which edges of a graph a layer kept and dropped, or the cluster of each edge, or only the graph if the
// record has neither.
func Record(g explain.GraphRecord, o Kept, tk chem.Toolkit, width float64) *draw.Scene {
	return keptPicture(g, o).draw(tk, width)
}

// AllRecords draws graphs with all of their layers: molecules as a grid, others one below another.
func AllRecords(records []explain.GraphRecord, by string, tk chem.Toolkit, width float64) (*draw.Scene, error) {
	if len(records) == 0 {
		return nil, settings.Misuse("picture: no record to draw, expected at least one")
	}
	pictures := []*graphPicture{}
	for _, g := range records {
		for layer := range len(g.Drops) + 1 {
			if layer > 0 || len(g.Drops) == 0 {
				pictures = append(pictures, keptPicture(g, Kept{Layer: layer, By: by}))
			}
		}
	}
	if len(pictures) > maxPictures {
		return nil, settings.Misuse("picture: a figure of %d panels, expected at most %d; name fewer graphs", len(pictures), maxPictures)
	}
	molecules := tk != nil
	for _, g := range records {
		molecules = molecules && g.Molecule != nil
	}
	if molecules && len(pictures) > 1 {
		return recordGrid(pictures, tk, width)
	}
	scenes := lists.Map(pictures, func(p *graphPicture) *draw.Scene { return p.draw(tk, width) })
	return below(scenes, width), nil
}

// Caption has the texts around a molecule other than its name: at the upper right, and below.
type Caption struct{ Above, Below string }

// Structures draws molecules with their captions as a grid for a page, which has its own margin; nil if some are not
// molecules or cannot be drawn.
func Structures(records []explain.GraphRecord, captions []Caption, tk chem.Toolkit, width float64) *draw.Scene {
	g := Grid{Width: width - 2*margin}
	for i, r := range records {
		if tk == nil || r.Molecule == nil {
			return nil
		}
		g.Cells = append(g.Cells, Cell{Structure: r.Molecule, TopLeft: r.Graph, TopRight: captions[i].Above, BottomLeft: captions[i].Below})
	}
	s, err := Molecules(g, tk)
	if err != nil {
		return nil
	}
	return s
}

// recordGrid has a cell for each graph and layer.
func recordGrid(pictures []*graphPicture, tk chem.Toolkit, width float64) (*draw.Scene, error) {
	g := Grid{Title: "What the model did with the bonds", Width: width}
	for _, p := range pictures {
		g.Cells = append(g.Cells, Cell{Structure: p.g.Molecule, Shades: p.shades(), TopLeft: p.g.Graph, BottomLeft: p.brief})
		for _, e := range haloKeys(p.legend) {
			if e.Line.Line != "" && !slices.ContainsFunc(g.Keys, func(k LegendEntry) bool { return k.Text == e.Text }) {
				g.Keys = append(g.Keys, e)
			}
		}
	}
	return Molecules(g, tk)
}

// HaloKey is the legend entry of a colour behind bonds.
func HaloKey(ink draw.Ink, text string) LegendEntry {
	return LegendEntry{draw.Stroke{Line: ink, Width: 10, Round: true}, text}
}

// haloKeys is a legend whose lines stand for colours behind bonds.
func haloKeys(legend []LegendEntry) []LegendEntry {
	return lists.Map(legend, func(e LegendEntry) LegendEntry {
		if e.Line.Line == "" {
			return e
		}
		return HaloKey(haloOf[e.Line.Line], e.Text)
	})
}

// haloOf is the colour behind black letters that replaces the ink of a line.
var haloOf = map[draw.Ink]draw.Ink{draw.DownInk: "#5a9fdd", draw.UpInk: "#e58a2e", draw.ThirdInk: "#44bb99", draw.FourthInk: "#d9a3dd", draw.OtherInk: "#bfc5cd", draw.LineInk: "#e4e7ec"}

// keptPicture is the picture of a record.
func keptPicture(g explain.GraphRecord, o Kept) *graphPicture {
	p := &graphPicture{g: g, item: -1, node: int32(slices.Index(g.Nodes, o.Node)), link: o.Link, heading: "Graph " + safe(g.Graph), looks: make([]edgeLook, len(g.Edges)), order: make([]int32, len(g.Edges))}
	for e := range p.order {
		p.order[e], p.looks[e].line = int32(e), draw.Stroke{Line: draw.ControlInk, Width: 1.5}
	}
	switch {
	case g.Clusters != nil:
		p.clusters()
	case o.Layer > 0 && o.Layer <= len(g.Drops):
		p.layer(g.Drops[o.Layer-1], o.By)
	default:
		p.note = counted(len(g.Nodes), "node") + " and " + counted(len(g.Edges), "edge") + "."
		if o.Told != nil {
			p.showPredictions(o.Told)
		}
	}
	if to := int32(slices.Index(g.Nodes, o.To)); to >= 0 && p.node >= 0 {
		for e, ends := range g.Edges {
			if ends[0] == p.node && ends[1] == to || !g.Directed && ends[1] == p.node && ends[0] == to {
				p.item = int32(e)
				p.looks[e].line = draw.Stroke{Line: draw.TextInk, Width: 5, Dash: p.looks[e].line.Dash}
				p.order = slices.Insert(slices.DeleteFunc(p.order, func(k int32) bool { return k == p.item }), 0, p.item)
			}
		}
		if p.item >= 0 {
			p.legend = append(p.legend, LegendEntry{draw.Stroke{Line: draw.TextInk, Width: 5}, "the edge from " + safe(o.Node) + " to " + safe(o.To)})
		}
	}
	if p.inRows() {
		if p.node < 0 {
			p.node = busiest(g)
		}
		p.bars, p.heading = "", fmt.Sprintf("Node %s and its edges", safe(g.Nodes[p.node]))
	}
	return p
}

// showPredictions shows the classes of predicted edges, wrong predictions first; other edges are faint.
func (p *graphPicture) showPredictions(of map[string]Told) {
	count := map[string]int{}
	for _, t := range of {
		count[t.Class]++
	}
	classes := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	rank := make([]int, len(p.looks))
	wrong := false
	for e := range p.looks {
		t, ok := of[edgeName(p.g, e)]
		look := &p.looks[e]
		if !ok {
			rank[e], look.line = 2, draw.Stroke{Line: draw.LineInk, Width: 1.5}
			continue
		}
		look.line, look.value, look.text = groupLine(slices.Index(classes, t.Class)), t.Probability, report.Score(t.Probability)
		if rank[e] = 1; t.Wrong {
			rank[e], look.text, wrong = 0, "✕ "+look.text, true
		}
	}
	slices.SortStableFunc(p.order, func(a, b int32) int {
		return cmp.Or(rank[a]-rank[b], cmp.Compare(p.looks[a].value, p.looks[b].value))
	})
	p.legend = groupLegend(len(classes), func(k int) string { return safe(classes[k]) }, "other classes")
	p.legend = append(p.legend, LegendEntry{draw.Stroke{Line: draw.LineInk, Width: 1.5}, "not in the test set"}, LegendEntry{Text: "number: probability of the true class"})
	if wrong {
		p.legend = append(p.legend, LegendEntry{Text: "✕ predicted wrongly"})
	}
}

// busiest is the node with the most edges.
func busiest(g explain.GraphRecord) (best int32) {
	degree := make([]int, len(g.Nodes))
	for _, e := range g.Edges {
		for _, v := range e {
			if degree[v]++; degree[v] > degree[best] {
				best = v
			}
		}
	}
	return best
}

// layer shows the result of one pool: kept edges by score, then the edges that it dropped, then edges dropped before.
func (p *graphPicture) layer(d explain.DropRecord, by string) {
	place, low, high := map[int32]int{}, float32(0), float32(0)
	var keptEdges []int32
	for i, e := range d.Edges {
		place[e] = i
		if d.Kept[i] {
			if keptEdges == nil {
				low, high = d.Scores[i], d.Scores[i]
			}
			keptEdges, low, high = append(keptEdges, e), min(low, d.Scores[i]), max(high, d.Scores[i])
		}
	}
	of, components := componentsOf(len(p.g.Nodes), p.g.Edges, keptEdges)
	for e := range p.looks {
		i, there := place[int32(e)]
		look := &p.looks[e]
		switch {
		case !there:
			look.line, look.text = draw.Stroke{Line: draw.LineInk, Width: 1.5, Dash: "2 4"}, "dropped before"
		case !d.Kept[i]:
			look.line, look.text = draw.Stroke{Line: draw.UpInk, Width: 2, Dash: "6 4"}, plainTo(float64(d.Scores[i]), 3)+" dropped"
			look.value = float64(d.Scores[i])
		default:
			share := 1.0
			if high > low {
				share = float64((d.Scores[i] - low) / (high - low))
			}
			look.line, look.text, look.value = draw.Stroke{Line: draw.DownInk, Width: 1.5 + 4.5*share}, plainTo(float64(d.Scores[i]), 3), float64(d.Scores[i])
			if look.halo = mixed(-0.25 - 0.75*share); by == ByComponent {
				k := of[p.g.Edges[e][0]]
				look.line = groupLine(k)
				look.line.Width = max(look.line.Width, 3)
				look.text += fmt.Sprintf(" component %d", k+1)
			}
		}
		if look.halo == "" || by == ByComponent {
			look.halo = haloOf[look.line.Line]
		}
	}
	rank := func(e int32) int {
		i, there := place[e]
		switch {
		case !there:
			return 2
		case !d.Kept[i]:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(p.order, func(a, b int32) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(p.looks[b].value, p.looks[a].value))
	})
	p.bars = fmt.Sprintf("edges by their score in layer %d", d.Layer)
	p.note = fmt.Sprintf("Layer %d kept %s of %s.", d.Layer, report.Count(len(keptEdges)), counted(len(d.Edges), "edge"))
	p.brief = fmt.Sprintf("layer %d: %d of %d kept", d.Layer, len(keptEdges), len(d.Edges))
	p.legend = []LegendEntry{{draw.Stroke{Line: draw.DownInk, Width: 5}, "kept, the stronger the higher its score"}}
	if by == ByComponent {
		p.note = fmt.Sprintf("Layer %d kept %s of %s, %s.", d.Layer, report.Count(len(keptEdges)), counted(len(d.Edges), "edge"), counted(components, "component"))
		p.legend = groupLegend(components, func(k int) string { return fmt.Sprintf("kept, component %d", k+1) }, "kept, smaller components")
	}
	if len(keptEdges) < len(d.Edges) {
		p.legend = append(p.legend, LegendEntry{draw.Stroke{Line: draw.UpInk, Width: 2, Dash: "6 4"}, "dropped by the layer"})
	}
	if len(d.Edges) < len(p.g.Edges) {
		p.legend = append(p.legend, LegendEntry{draw.Stroke{Line: draw.LineInk, Width: 1.5, Dash: "2 4"}, "dropped before"})
	}
}

// clusters shows the cluster of each edge, largest clusters first.
func (p *graphPicture) clusters() {
	c := p.g.Clusters
	size := map[int32]int{}
	for _, k := range c.Cluster {
		size[k]++
	}
	names := slices.SortedFunc(maps.Keys(size), func(a, b int32) int { return cmp.Or(size[b]-size[a], int(a-b)) })
	place := lists.Places[int](names)
	for e, k := range c.Cluster {
		look := &p.looks[e]
		look.line, look.value, look.text = groupLine(place[k]), float64(c.Weight[e]), fmt.Sprintf("cluster %d", k)
		look.halo = haloOf[look.line.Line]
	}
	slices.SortStableFunc(p.order, func(a, b int32) int {
		return cmp.Or(place[c.Cluster[a]]-place[c.Cluster[b]], cmp.Compare(c.Weight[b], c.Weight[a]))
	})
	p.bars = "edges by the weight in their cluster"
	p.brief = fmt.Sprintf("%d of %s", len(names), counted(c.Of, "cluster"))
	p.note = p.brief + "."
	p.legend = groupLegend(len(names), func(k int) string { return fmt.Sprintf("cluster %d", names[k]) }, "other clusters")
}

// groupInks are the colours of the largest groups; other groups are grey.
var groupInks = []draw.Ink{draw.DownInk, draw.UpInk, draw.ThirdInk, draw.FourthInk}

var groupDashes = []string{"", "6 4", "2 3", "10 4 2 4"}

// groupLine is the line style of an edge of a group, by its number from 0.
func groupLine(k int) draw.Stroke {
	if k < 0 || k >= len(groupInks) {
		return draw.Stroke{Line: draw.OtherInk, Width: 1.5}
	}
	return draw.Stroke{Line: groupInks[k], Width: 3, Dash: groupDashes[k]}
}

func groupLegend(n int, name func(k int) string, others string) (out []LegendEntry) {
	for k := range min(n, len(groupInks)) {
		out = append(out, LegendEntry{groupLine(k), name(k)})
	}
	if n > len(groupInks) {
		out = append(out, LegendEntry{groupLine(n), others})
	}
	return out
}

// componentsOf numbers the components of nodes joined by kept edges, largest first. Nodes without
// edges have no component.
func componentsOf(nodes int, edges [][2]int32, kept []int32) (of []int, n int) {
	sets := unionfind.New(nodes)
	for _, e := range kept {
		sets.Union(edges[e][0], edges[e][1])
	}
	size := map[int32]int{}
	for _, e := range kept {
		size[sets.Find(edges[e][0])]++
	}
	order := slices.SortedFunc(maps.Keys(size), func(a, b int32) int { return cmp.Or(size[b]-size[a], int(a-b)) })
	of = make([]int, nodes)
	for v := range of {
		of[v] = slices.Index(order, sets.Find(int32(v)))
	}
	return of, len(order)
}
