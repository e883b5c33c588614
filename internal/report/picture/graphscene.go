package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Bounds of the picture of a graph. Of larger graphs, and of what is around a node or edge, the edges with the highest scores are drawn.
const (
	mostNodes  = 40
	mostListed = 15
)

// Scores draws a graph whose edges have the scores of an explanation: a molecule as RDKit draws it, if the toolkit can, else nodes in a
// column with arcs between them; and bars of the highest scores. Nodes and edges have the names that the table has.
func Scores(g explain.GraphRecord, tk chem.Toolkit, width float64) *draw.Scene {
	p := newScorePicture(g)
	p.Width = width
	p.Label = p.title()
	y := p.head()
	left := width - 2*margin
	beside := left >= leastWide-2*margin
	if beside {
		left = left*0.6 - barsGap
	}
	molecule := p.molecule(tk, left-32)
	if nodes, _ := p.shown(); beside && molecule == nil { // arcs take no more than they need
		left = min(left, max(240, 24*float64(len(nodes))+p.column(nodes)))
	}
	var end float64
	if molecule != nil {
		end = p.drawMolecule(molecule, y, left)
	} else {
		end = p.drawArcs(y, left)
	}
	if beside {
		x := margin + left + barsGap
		end = max(end, p.drawScores(x, y, width-margin-x))
	} else {
		end = p.drawScores(margin, end+24, p.Width-2*margin)
	}
	p.Height = math.Ceil(end + 16)
	return &p.Scene
}

// AllScores draws several graphs: molecules as a grid on one scale, others below one another.
func AllScores(records []explain.GraphRecord, tk chem.Toolkit, width float64) *draw.Scene {
	if grid := moleculeGrid(records, width); tk != nil && grid != nil {
		if s, err := Molecules(*grid, tk); err == nil {
			return s
		}
	}
	out := &draw.Scene{Width: width}
	for _, g := range records {
		s := Scores(g, tk, width)
		out.Add(0, out.Height, s)
		out.Height += s.Height
		out.Label += s.Label + ". "
	}
	return out
}

// moleculeGrid is several molecules with the scores of their bonds; nil where some are none.
func moleculeGrid(records []explain.GraphRecord, width float64) *Grid {
	if len(records) < 2 {
		return nil
	}
	g := &Grid{Width: width, Contribution: "prediction", Title: "Which bonds predictions depend on"}
	for _, r := range records {
		if r.Molecule == nil {
			return nil
		}
		x := r.Explanation
		g.Note = fmt.Sprintf("Score by %s: how much of the prediction is lost without the bond.", x.Method)
		g.Cells = append(g.Cells, Cell{Structure: r.Molecule, TopLeft: r.Graph, TopRight: x.Target, BottomRight: plainTo(x.Value, 2), BottomLeft: "value", Bonds: newScorePicture(r).bondScores()})
	}
	return g
}

// bondScores are the scores of the bonds of a molecule, in its order.
func (p *scorePicture) bondScores() []float64 {
	of := map[[2]int32]float64{}
	for e, ends := range p.g.Edges {
		of[pair(ends[0], ends[1])] += p.score(int32(e))
	}
	out := []float64{}
	for _, b := range p.g.Molecule.Bonds {
		if b.Type != chem.NoBond {
			out = append(out, of[pair(b.Begin, b.End)])
		}
	}
	return out
}

// scorePicture is the picture of a graph with scores in the making.
type scorePicture struct {
	draw.Scene
	g     explain.GraphRecord
	order []int32 // edges with scores, the highest first, without the item itself
	most  float64
	item  int32 // the explained edge, or -1
	node  int32 // the explained node, or -1
}

func newScorePicture(g explain.GraphRecord) *scorePicture {
	p := &scorePicture{g: g, item: -1, node: -1}
	if x := g.Explanation.Item; x != nil && x.Kind == settings.Edges {
		p.item = x.Number
	} else if x != nil {
		p.node = x.Number
	}
	for e := range int32(len(g.Edges)) {
		if e != p.item {
			p.order = append(p.order, e)
			p.most = max(p.most, math.Abs(p.score(e)))
		}
	}
	slices.SortStableFunc(p.order, func(a, b int32) int { return cmp.Compare(math.Abs(p.score(b)), math.Abs(p.score(a))) })
	return p
}

func (p *scorePicture) score(e int32) float64 { return float64(p.g.Explanation.Scores[e]) }

func (p *scorePicture) title() string {
	of := "graph " + safe(p.g.Graph)
	if x := p.g.Explanation.Item; x != nil {
		of = string(x.Kind) + " " + safe(x.Name)
	}
	return fmt.Sprintf("Which edges the prediction of %s for %s depends on", safe(p.g.Explanation.Target), of)
}

// head draws the title and what colours mean.
func (p *scorePicture) head() float64 {
	e := edgePicture{Scene: draw.Scene{Width: p.Width}}
	y := e.paragraph(margin, 34, p.Width-2*margin, p.title(), draw.TextStyle{Size: 16, Bold: true})
	y = e.paragraph(margin, y, p.Width-2*margin, fmt.Sprintf("Score by %s: how much of the prediction is lost without the edge. Orange is lost, blue is gained.", p.g.Explanation.Method), muted)
	p.Add(0, 0, &e.Scene)
	return y + 8
}

// name is an edge as the table has it, with its ends.
func (p *scorePicture) name(e int32) string {
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

// signed writes a score with three digits that count.
func (p *scorePicture) signed(v float64) string {
	decimals := 2
	if p.most > 0 {
		decimals = min(max(2-int(math.Floor(math.Log10(p.most))), 0), 4)
	}
	return signedTo(v, decimals)
}

// drawScores draws bars of the highest scores and returns where they end.
func (p *scorePicture) drawScores(x, y, width float64) float64 {
	const row, valueRoom = 24.0, 64.0
	listed := p.order[:min(len(p.order), mostListed)]
	p.Text(x, y+13, draw.CutMiddle(fmt.Sprintf("edges with the highest scores, %d of %d", len(listed), len(p.order)), muted, width), muted)
	labels, low, high := 0.0, 0.0, 0.0
	for _, e := range listed {
		labels = max(labels, usual.WidthOf(p.name(e)))
		low, high = min(low, p.score(e)), max(high, p.score(e))
	}
	labels = min(labels, 0.5*width)
	scale := (width - labels - 12 - valueRoom) / max(high-low, 1e-12)
	zero := x + labels + 12 - low*scale
	y += 24
	p.Path(draw.Data("M", zero, y, "V", y+row*float64(len(listed))+4), draw.Stroke{Line: draw.ControlInk, Width: 1})
	for i, e := range listed {
		at, v := y+8+row*float64(i), p.score(e)
		p.Group(p.name(e)+": "+p.signed(v), func() {
			p.Text(x, at+12.5, draw.CutMiddle(p.name(e), usual, labels), usual)
			p.Box(min(zero, zero+v*scale), at, max(math.Abs(v)*scale, 1), 16, draw.Stroke{Fill: inkOfScore(v)})
			p.Text(x+width, at+12.5, p.signed(v), anchored(usual, draw.End))
		})
	}
	return y + row*float64(len(listed)) + 12
}

func inkOfScore(v float64) draw.Ink {
	if v < 0 {
		return draw.DownInk
	}
	return draw.UpInk
}

// shown are the nodes and edges of the picture: all of a small graph, else the edges with the highest scores and the item.
func (p *scorePicture) shown() (nodes, edges []int32) {
	if len(p.g.Nodes) <= mostNodes && p.g.Explanation.Item == nil {
		for e := range int32(len(p.g.Edges)) {
			edges = append(edges, e)
		}
	} else {
		edges = append(edges, p.order[:min(len(p.order), mostListed)]...)
	}
	if p.item >= 0 {
		edges = append(edges, p.item)
	}
	// Nodes stand in the order in which they are reached from the item, or from the edge with the highest score, so that most arcs are short.
	near := map[int32][]int32{}
	for _, e := range edges {
		u, v := p.g.Edges[e][0], p.g.Edges[e][1]
		near[u], near[v] = append(near[u], v), append(near[v], u)
	}
	seen := map[int32]bool{}
	visit := func(from int32) {
		for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
			if v := queue[0]; !seen[v] {
				seen[v] = true
				nodes = append(nodes, v)
				queue = append(queue, near[v]...)
			}
		}
	}
	if p.node >= 0 {
		visit(p.node)
	}
	if p.item >= 0 {
		visit(p.g.Edges[p.item][0])
	}
	for _, e := range p.order[:min(len(p.order), mostListed)] {
		visit(p.g.Edges[e][0])
	}
	if len(p.g.Nodes) <= mostNodes && p.g.Explanation.Item == nil {
		for v := range int32(len(p.g.Nodes)) {
			visit(v)
		}
	}
	return nodes, edges
}

// label is the name of a node and, where it has one, its label.
func (p *scorePicture) label(v int32) string {
	text := safe(p.g.Nodes[v])
	if p.g.Labels != nil && p.g.Labels[v] != "" && p.g.Labels[v] != p.g.Nodes[v] {
		text += " · " + safe(p.g.Labels[v])
	}
	return text
}

// column is the width of the labels of nodes.
func (p *scorePicture) column(nodes []int32) (width float64) {
	for _, v := range nodes {
		width = max(width, strong.WidthOf(p.label(v)))
	}
	return width
}

// drawArcs draws nodes in a column and edges as arcs at its right.
func (p *scorePicture) drawArcs(y, width float64) float64 {
	const row = 24.0
	nodes, edges := p.shown()
	at := map[int32]float64{}
	column := p.column(nodes)
	column = min(column, 0.45*width)
	x := margin + column + 16
	for i, v := range nodes {
		at[v] = y + 12 + row*float64(i)
	}
	height := row * float64(len(nodes))
	reach := width - column - 32
	slices.SortStableFunc(edges, func(a, b int32) int { return cmp.Compare(math.Abs(p.score(a)), math.Abs(p.score(b))) })
	for _, e := range edges {
		p.arc(e, x, at, reach*1.33/max(height, 1))
	}
	for _, v := range nodes {
		style := anchored(usual, draw.End)
		style.Bold = v == p.node || p.item >= 0 && (v == p.g.Edges[p.item][0] || v == p.g.Edges[p.item][1])
		p.Circle(x, at[v], 4.5, draw.Stroke{Fill: draw.ControlInk})
		if style.Bold {
			p.Circle(x, at[v], 5.5, draw.Stroke{Fill: draw.PageInk, Line: draw.TextInk, Width: 2})
		}
		p.Text(x-12, at[v]+4.5, draw.CutMiddle(p.label(v), style, column), style)
	}
	y += height + 8
	if left := len(p.g.Edges) - len(edges); left > 0 {
		p.Text(margin, y+13, draw.CutMiddle(fmt.Sprintf("%s not drawn: the table has all", report.Counted(left, "more edge")), muted, width), muted)
		y += 24
	}
	return y
}

// arc draws an edge; curved is how far it goes to the right for each pixel of its height.
func (p *scorePicture) arc(e int32, x float64, at map[int32]float64, curved float64) {
	from, to := at[p.g.Edges[e][0]], at[p.g.Edges[e][1]]
	look := draw.Stroke{Line: draw.LineInk, Width: 1.2}
	if v := p.score(e); p.most > 0 && math.Abs(v) >= 0.005*p.most {
		look = draw.Stroke{Line: inkOfScore(v), Width: 1.5 + 4.5*math.Abs(v)/p.most}
	}
	title := p.name(e) + ": " + p.signed(p.score(e))
	if e == p.item {
		look, title = draw.Stroke{Line: draw.TextInk, Width: 5}, p.name(e)
	}
	bend := max(min(curved, 1.6)*math.Abs(to-from), 16)
	if from == to { // a loop
		from, to = from-5, to+5
	}
	p.Group(title, func() {
		p.Path(draw.Data("M", x+5, from, "C", x+bend, from, x+bend, to, x+5, to), look)
		if p.g.Directed {
			half := 4 + look.Width/2
			p.Path(draw.Data("M", x+5, to, "L", x+14, to-half, "V", to+half, "Z"), draw.Stroke{Fill: look.Line})
		}
	})
}

// molecule is the graph as a molecule that the toolkit can draw within a width, with its bonds coloured; nil where it is none.
func (p *scorePicture) molecule(tk chem.Toolkit, room float64) *compound {
	if tk == nil || p.g.Molecule == nil {
		return nil
	}
	cell := Cell{Structure: p.g.Molecule, Bonds: p.bondScores()}
	bond := usualBond * 1.6
	c, err := drawCompound(cell, bond, nil, tk)
	if err == nil && c.Width > room {
		c, err = drawCompound(cell, max(bond*room/c.Width-0.5, leastBond), nil, tk)
	}
	if err != nil {
		return nil // more atoms than can be drawn
	}
	return c
}

// drawMolecule draws the molecule on a white plate with its colour bar.
func (p *scorePicture) drawMolecule(c *compound, y, width float64) float64 {
	most := 0.0
	for _, v := range c.Bonds {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		most = 1
	}
	scale := niceEnd(most)
	height := max(c.Height, 60) + 110
	p.Box(margin, y, width, height, draw.Stroke{Fill: draw.WhiteInk})
	c.on(&p.Scene, margin+(width-c.Width)/2, y+20, scale)
	bar := min(300, width-140)
	colourBar(&p.Scene, margin+(width-bar-120)/2, y+height-56, bar, scale, "prediction")
	return y + height
}
