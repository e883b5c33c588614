package picture

import (
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// maxLabel is how many characters a label of a node may have to be drawn.
const maxLabel = 4

// sketch draws the graph of a record, in which each edge has the line of its number: as a
// molecule where it is one. Of two arcs that join the same nodes each is half of the line.
func sketch(g explain.GraphRecord, tk chem.Toolkit) (draw.Diagram, error) {
	d := draw.Diagram{Dots: true, Labels: g.Labels}
	var err error
	bonds := map[[2]int32]draw.Line{}
	if m := g.Molecule; m != nil {
		if d.Points, err = Place(m, tk); err != nil {
			return d, err
		}
		drawn := Molecule(m, d.Points)
		d.Labels, d.Dots = drawn.Labels, false
		for _, l := range drawn.Edges {
			bonds[pair(l.From, l.To)] = l
		}
	} else {
		var ends []int32
		for _, e := range g.Edges {
			ends = append(ends, e[0], e[1])
		}
		if d.Points, err = draw.Layout(len(g.Nodes), ends); err != nil {
			return d, settings.Misuse("%w; its record has everything in numbers (--out FILE.json)", err)
		}
		for _, l := range d.Labels {
			if utf8.RuneCountInString(l) > maxLabel {
				d.Labels = nil
				break
			}
		}
	}
	arcs := map[[2]int32]bool{}
	for _, e := range g.Edges {
		arcs[e] = true
	}
	for _, e := range g.Edges {
		line := bonds[pair(e[0], e[1])]
		line.From, line.To = e[0], e[1]
		line.Half = g.Directed && arcs[[2]int32{e[1], e[0]}]
		d.Edges = append(d.Edges, line)
	}
	return d, nil
}

func pair(u, v int32) [2]int32 { return [2]int32{min(u, v), max(u, v)} }
