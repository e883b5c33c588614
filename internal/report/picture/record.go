package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/disjoint"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Options say how records are drawn.
type Options struct {
	Toolkit chem.Toolkit // places molecules; nil for none
	// Named gives the lines of edges the names that the listing of Document has for them.
	Named bool
	// By is what colours kept edges: ByScore, also when empty, or ByComponent.
	By string
}

// Values of Options.By.
const (
	ByScore     = "score"
	ByComponent = "component" // of the graph that is left, as in the paper
)

// maxPanels bounds the size of a figure.
const maxPanels = 64

// Colours of lines that are no longer there.
var (
	droppedNow    = color.NRGBA{0xD0, 0x6A, 0x10, 255}
	droppedBefore = color.NRGBA{0xC8, 0xC8, 0xC8, 255}
)

// Figure draws records: a row for each with the graph and, layer by layer, which edges were
// kept and which dropped; or, three in a row, graphs with their edges coloured by cluster. Explanations are
// drawn by Scores.
func Figure(records []explain.GraphRecord, o Options) (*draw.Figure, error) {
	if len(records) == 0 {
		return nil, settings.Misuse("picture: no record to draw, expected at least one")
	}
	columns, panels := min(len(records), 3), len(records)
	if layers := len(records[0].Drops); layers > 0 {
		columns, panels = 1+layers, len(records)*(1+layers)
	}
	if panels > maxPanels {
		return nil, settings.Misuse("picture: a figure of %d panels, expected at most %d; name fewer graphs", panels, maxPanels)
	}
	side := 0.0
	var clusters []int32
	for _, g := range records {
		side = max(side, math.Sqrt(float64(len(g.Nodes))))
		if g.Clusters != nil {
			clusters = append(clusters, g.Clusters.Cluster...)
		}
	}
	r := &recordFigure{Options: o, clusters: Clusters(clusters)}
	for _, g := range records {
		if err := r.add(g); err != nil {
			return nil, fmt.Errorf("picture: graph %s: %w", g.Graph, err)
		}
	}
	width := min(max(side*40, 210), 480)
	return &draw.Figure{Panels: r.panels, Columns: columns, Width: width, Height: width * 0.8, Key: r.key()}, nil
}

// recordFigure is a figure of records in the making.
type recordFigure struct {
	Options
	panels        []draw.Panel
	clusters      map[int32]color.NRGBA // that have an edge
	kept, dropped bool                  // that some edge is
}

// add adds the panels of a graph.
func (r *recordFigure) add(g explain.GraphRecord) error {
	plain, err := sketch(g, r.Toolkit)
	if err != nil {
		return err
	}
	plain.Title = "graph " + shortened(g.Graph)
	for e := range plain.Edges {
		if r.Named {
			plain.Edges[e].Name = strconv.Itoa(e)
		}
	}
	if c := g.Clusters; c != nil {
		d := with(plain)
		for e, k := range c.Cluster {
			d.Edges[e].Band = r.clusters[k]
		}
		d.Title += fmt.Sprintf(": %d of %s", len(Clusters(c.Cluster)), report.Counted(c.Of, "cluster"))
		r.panels = append(r.panels, d)
		return nil
	}
	r.panels = append(r.panels, plain)
	for _, drop := range g.Drops {
		r.panels = append(r.panels, r.layer(g, plain, drop))
	}
	return nil
}

// shortened is a name of the data as a title has room for it.
func shortened(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

// with is a copy of a diagram to colour.
func with(d draw.Diagram) draw.Diagram {
	d.Edges = slices.Clone(d.Edges)
	return d
}

// layer draws what one pool did.
func (r *recordFigure) layer(g explain.GraphRecord, plain draw.Diagram, drop explain.DropRecord) draw.Diagram {
	d := with(plain)
	for e := range d.Edges {
		d.Edges[e].Colour, d.Edges[e].Dashed = droppedBefore, true
	}
	var kept []int32
	var scores []float32
	for i, e := range drop.Edges {
		d.Edges[e] = plain.Edges[e]
		if drop.Kept[i] {
			kept, scores = append(kept, e), append(scores, drop.Scores[i])
			continue
		}
		d.Edges[e].Colour, d.Edges[e].Dashed = droppedNow, true
	}
	r.kept, r.dropped = r.kept || kept != nil, r.dropped || len(kept) < len(drop.Edges)
	for i, e := range kept {
		d.Edges[e].Band = shade(share(scores[i], scores))
	}
	d.Title = fmt.Sprintf("layer %d: %d of %d kept", drop.Layer, len(kept), len(drop.Edges))
	if r.By == ByComponent {
		of, n := components(len(g.Nodes), g.Edges, kept)
		for _, e := range kept {
			d.Edges[e].Band = group(of[g.Edges[e][0]])
		}
		d.Title += ", " + report.Counted(n, "component")
	}
	// Lines of kept edges lie above those of others, which arcs of one pair share.
	slices.SortStableFunc(d.Edges, func(a, b draw.Line) int { return cmp.Compare(a.Band.A, b.Band.A) })
	return d
}

// share is where a score lies among all.
func share(score float32, all []float32) float64 {
	low, high := slices.Min(all), slices.Max(all)
	if high == low {
		return 1
	}
	return float64((score - low) / (high - low))
}

// components numbers the components of the nodes that kept edges join, the largest first;
// nodes without an edge are none.
func components(nodes int, edges [][2]int32, kept []int32) (of []int, n int) {
	sets := disjoint.New(nodes)
	for _, e := range kept {
		sets.Join(edges[e][0], edges[e][1])
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

// key explains the colours.
func (r *recordFigure) key() []draw.Key {
	out := ClusterKey(r.clusters)
	switch {
	case !r.kept:
	case r.By == ByComponent:
		out = append(out, draw.Key{Text: "kept, a colour for each component", Line: draw.Line{Band: group(0)}})
	default:
		out = append(out, draw.Key{Text: "kept, lowest score of the panel", Line: draw.Line{Band: shade(0)}},
			draw.Key{Text: "highest", Line: draw.Line{Band: shade(1)}})
	}
	if r.dropped {
		out = append(out, draw.Key{Text: "dropped by the layer", Line: draw.Line{Colour: droppedNow, Dashed: true}},
			draw.Key{Text: "dropped before", Line: draw.Line{Colour: droppedBefore, Dashed: true}})
	}
	return out
}
