package picture

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Limits of the picture of a graph. Of larger graphs, and around a node or edge, only a part is drawn.
const (
	mostNodes  = 40
	mostListed = 15
)

// graphPicture is the state of drawing a graph: a molecule drawn by RDKit, nodes in a column with arcs between them, or
// one node with its edges in rows; and bars of the most important edges. Nodes and edges have the same names as in the
// table.
type graphPicture struct {
	draw.Scene
	g       explain.GraphRecord
	looks   []edgeLook // of each edge
	order   []int32    // edges by decreasing importance, without the explained one
	heading string
	note    string
	brief   string // note for a cell of a grid
	legend  []LegendEntry
	bars    string // meaning of the bars; empty for none
	item    int32  // explained or requested edge, or -1
	node    int32  // explained or requested node, or -1
	link    func(node string) string
	scale   float64   // end of the colour bar of a molecule; 0 for none
	bonds   []float64 // contributions of its bonds; nil if edges have shades
}

// edgeLook is the appearance of an edge.
type edgeLook struct {
	line  draw.Stroke
	halo  draw.Ink // under its bond; empty for none
	value float64  // length of its bar
	text  string   // beside the bar
}

// LegendEntry is a line style with its meaning; without a line it is a remark.
type LegendEntry struct {
	Line draw.Stroke
	Text string
}

func (p *graphPicture) draw(tk chem.Toolkit, width float64) *draw.Scene {
	p.Width, p.Label = width, p.heading
	room := width - 2*margin
	left, beside := room, room >= leastWide-2*margin && p.bars != ""
	if beside {
		left = room*0.6 - barsGap
	}
	m := p.molecule(tk, left-64)
	if m != nil {
		p.legend = haloKeys(p.legend)
	}
	y := p.head()
	end := p.graph(m, y, left, beside)
	switch {
	case beside:
		x := margin + min(left, end.width) + barsGap
		end.y = max(end.y, p.drawBars(x, y, min(width-margin-x, 640)))
	case p.bars != "":
		end.y = p.drawBars(margin, end.y+24, room)
	}
	p.Height = math.Ceil(end.y + 16)
	return &p.Scene
}

// extent is the end of a drawing.
type extent struct{ y, width float64 }

// graph draws the graph in one of the three forms.
func (p *graphPicture) graph(m *compound, y, room float64, beside bool) extent {
	if m != nil {
		return extent{p.drawMolecule(m, y, room), room}
	}
	if p.inRows() {
		return p.drawTies(y, room)
	}
	width := room
	if nodes, edges := p.shown(); beside || room > 500 { // arcs take only the width that they need
		width = min(room, max(300, p.column(nodes)+48+arcReach*arcRow*float64(p.longest(nodes, edges))))
	}
	return extent{p.drawArcs(y, width), width}
}

// longest is the number of rows that the longest arc spans.
func (p *graphPicture) longest(nodes, edges []int32) (rows int) {
	at := lists.Places[int](nodes)
	for _, e := range edges {
		d := at[p.g.Edges[e][0]] - at[p.g.Edges[e][1]]
		rows = max(rows, d, -d)
	}
	return rows
}

// head draws the title and the legend.
func (p *graphPicture) head() float64 {
	e := edgePicture{Scene: draw.Scene{Width: p.Width}}
	y := e.paragraph(margin, 34, p.Width-2*margin, p.heading, draw.TextStyle{Size: 16, Bold: true})
	y = e.paragraph(margin, y, p.Width-2*margin, p.note, muted)
	p.Add(0, 0, &e.Scene)
	if p.g.Labels != nil {
		p.legend = append(p.legend, LegendEntry{Text: "node · its label"})
	}
	if len(p.legend) > 0 {
		y = drawLegend(&p.Scene, p.legend, y+8, muted) + 12
	}
	return y + 8
}

// drawLegend draws entries in as many lines as needed, the first at y, and returns the position of the last.
func drawLegend(s *draw.Scene, entries []LegendEntry, y float64, style draw.TextStyle) float64 {
	const sample = 30.0
	x, room := 0.0, s.Width-2*margin
	for _, e := range entries {
		before := sample
		if e.Line == (draw.Stroke{}) {
			before = 0
		}
		text := draw.CutMiddle(e.Text, style, room-before)
		w := before + style.WidthOf(text)
		if x > 0 && x+w > room {
			x, y = 0, y+20
		}
		if before > 0 {
			end := 0.0 // of a round line, which extends beyond its ends
			if e.Line.Round {
				end = e.Line.Width / 2
			}
			s.Path(draw.Data("M", margin+x+end, y-4.5, "H", margin+x+22-end), e.Line)
		}
		s.Text(margin+x+before, y, text, style)
		x += w + 24
	}
	return y
}

// name is the name of an edge in the table, with its ends.
func (p *graphPicture) name(e int32) string {
	arrow := " – "
	if p.g.Directed {
		arrow = " → "
	}
	ends := p.g.Edges[e]
	text := safe(p.g.Nodes[ends[0]]) + arrow + safe(p.g.Nodes[ends[1]])
	if p.g.EdgeNames != nil {
		text = safe(p.g.EdgeNames[e]) + ": " + text
	}
	return text
}

// hover is the pointer text of an edge.
func (p *graphPicture) hover(e int32) string {
	if text := p.looks[e].text; text != "" && e != p.item {
		return p.name(e) + ": " + text
	}
	return p.name(e)
}

// drawBars draws bars of the most important edges and returns their lower end.
func (p *graphPicture) drawBars(x, y, width float64) float64 {
	const row = 24.0
	listed := p.order[:min(len(p.order), mostListed)]
	p.Text(x, y+13, draw.CutMiddle(fmt.Sprintf("%s, %d of %d", p.bars, len(listed), len(p.order)), muted, width), muted)
	labels, texts, low, high := 0.0, 0.0, 0.0, 0.0
	for _, e := range listed {
		labels, texts = max(labels, usual.WidthOf(p.name(e))), max(texts, usual.WidthOf(p.looks[e].text))
		low, high = min(low, p.looks[e].value), max(high, p.looks[e].value)
	}
	labels = min(labels, 0.5*(width-texts))
	scale := max(width-labels-24-texts, 8) / max(high-low, 1e-12)
	zero := x + labels + 12 - low*scale
	y += 24
	p.Path(draw.Data("M", zero, y, "V", y+row*float64(len(listed))+4), draw.Stroke{Line: draw.ControlInk, Width: 1})
	for i, e := range listed {
		at, look := y+8+row*float64(i), p.looks[e]
		p.Named(edgeName(p.g, int(e)), p.hover(e), func() {
			p.Text(x, at+12.5, draw.CutMiddle(p.name(e), usual, labels), usual)
			p.Box(min(zero, zero+look.value*scale), at, max(math.Abs(look.value)*scale, 1), 16, draw.Stroke{Fill: look.line.Line})
			p.Text(x+width, at+12.5, look.text, anchored(usual, draw.End))
		})
	}
	return y + row*float64(len(listed)) + 12
}

// molecule is the graph as a molecule with coloured bonds that the toolkit can draw within a width; nil if it is not a molecule.
func (p *graphPicture) molecule(tk chem.Toolkit, room float64) *compound {
	if tk == nil || p.g.Molecule == nil {
		return nil
	}
	cell := Cell{Structure: p.g.Molecule, Bonds: p.bonds}
	if p.bonds == nil {
		cell.Shades = p.shades()
	}
	bond := usualBond * 1.6
	c, err := drawCompound(cell, bond, nil, tk)
	if err == nil && c.Width > room {
		c, err = drawCompound(cell, max(bond*room/c.Width-0.5, leastBond), nil, tk)
	}
	if err != nil {
		return nil // too many atoms to draw
	}
	c.shade(p.scale)
	return c
}

// shades returns the halos of the bonds of the molecule, in its order; a bond with two arcs gets that of the more important arc.
func (p *graphPicture) shades() []Shade {
	of := map[[2]int32]Shade{}
	for _, e := range slices.Backward(p.order) {
		ends := p.g.Edges[e]
		of[pair(ends[0], ends[1])] = Shade{Ink: p.looks[e].halo, Title: p.hover(e), Name: edgeName(p.g, int(e))}
	}
	return ofBonds(p.g.Molecule, of)
}

// ofBonds returns the values of the bonds of a molecule, in its order, given the value of each pair of atoms.
func ofBonds[T any](m *chem.Structure, of map[[2]int32]T) []T {
	out := []T{}
	for _, b := range m.Bonds {
		if b.Type != chem.NoBond {
			out = append(out, of[pair(b.Begin, b.End)])
		}
	}
	return out
}

// drawMolecule draws the molecule on a white plate, with a colour bar if there is a scale.
func (p *graphPicture) drawMolecule(c *compound, y, width float64) float64 {
	// There is room around the molecule for the numbers of atoms.
	const around = 28.0
	height := max(c.Height, 60) + 2*around
	if p.scale > 0 {
		height += 70
	}
	p.Box(margin, y, width, height, draw.Stroke{Fill: draw.WhiteInk})
	x := margin + (width-c.Width)/2
	c.on(&p.Scene, x, y+around)
	if p.bars != "" {
		names := map[int32]string{}
		for v, name := range p.g.Nodes {
			names[int32(v)] = safe(name)
		}
		c.number(&p.Scene, x, y+around, names)
	}
	if p.scale > 0 {
		bar := min(300, width-140)
		colourBar(&p.Scene, margin+(width-bar-120)/2, y+height-56, bar, p.scale, "prediction")
	}
	return y + height
}

// label is the name of a node with its label, if it has one.
func (p *graphPicture) label(v int32) string {
	text := safe(p.g.Nodes[v])
	if p.g.Labels != nil && p.g.Labels[v] != "" {
		text += " · " + safe(p.g.Labels[v])
	}
	return text
}

// nodeText writes the label of a node, as a link if there are addresses.
func (p *graphPicture) nodeText(v int32, x, y float64, style draw.TextStyle, most float64) {
	write := func() { p.Text(x, y, draw.CutMiddle(p.label(v), style, most), style) }
	if p.link == nil || v == p.node {
		write()
		return
	}
	style.Ink = draw.LinkInk
	p.Link(p.link(p.g.Nodes[v]), write)
}

// drawRest is a line about edges that are not drawn.
func (p *graphPicture) drawRest(y, width float64, drawn int) float64 {
	if left := len(p.g.Edges) - drawn; left > 0 {
		p.Text(margin, y+13, draw.CutMiddle(fmt.Sprintf("%s not drawn: the table has all", counted(left, "more edge")), muted, width), muted)
		y += 24
	}
	return y
}

// counted formats a number of things for pictures.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return report.Count(n) + " " + thing
}

func pair(u, v int32) [2]int32 { return [2]int32{min(u, v), max(u, v)} }
