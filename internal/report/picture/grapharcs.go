package picture

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// shown returns the nodes and edges in the picture: all of a small graph, else the most important edges and the item.
func (p *graphPicture) shown() (nodes, edges []int32) {
	whole := len(p.g.Nodes) <= mostNodes && (p.g.Explanation == nil || p.g.Explanation.Item == nil)
	if whole {
		for e := range int32(len(p.g.Edges)) {
			edges = append(edges, e)
		}
	} else {
		edges = append(edges, p.order[:min(len(p.order), mostListed)]...)
		if p.item >= 0 {
			edges = append(edges, p.item)
		}
	}
	// Nodes are in breadth-first order from the item, or from the most important edge, so that most arcs are short.
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
	if whole {
		for v := range int32(len(p.g.Nodes)) {
			visit(v)
		}
	}
	return nodes, edges
}

// column is the width of the node labels.
func (p *graphPicture) column(nodes []int32) (width float64) {
	for _, v := range nodes {
		width = max(width, strong.WidthOf(p.label(v)))
	}
	return width
}

// Sizes of arcs: the height of a row in pixels; the largest bend of an arc for each pixel of its height; the share of
// the bend that the curve reaches.
const (
	arcRow   = 24.0
	mostBend = 1.6
	arcReach = 0.75 * mostBend
)

// drawArcs draws nodes in a column and edges as arcs on the right, and returns their lower end.
func (p *graphPicture) drawArcs(y, width float64) float64 {
	nodes, edges := p.shown()
	at := map[int32]float64{}
	column := min(p.column(nodes), 0.45*width)
	x := margin + column + 16
	for i, v := range nodes {
		at[v] = y + 12 + arcRow*float64(i)
	}
	height, longest := arcRow*float64(len(nodes)), p.longest(nodes, edges)
	reach := width - column - 40
	slices.SortStableFunc(edges, func(a, b int32) int { return cmp.Compare(p.looks[a].line.Width, p.looks[b].line.Width) })
	for _, e := range edges {
		p.arc(e, x, at, reach*1.33/(arcRow*float64(max(longest, 1))))
	}
	for _, v := range nodes {
		style := anchored(usual, draw.End)
		style.Bold = v == p.node || p.item >= 0 && (v == p.g.Edges[p.item][0] || v == p.g.Edges[p.item][1])
		p.Circle(x, at[v], 4.5, draw.Stroke{Fill: draw.ControlInk})
		if style.Bold {
			p.Circle(x, at[v], 5.5, draw.Stroke{Fill: draw.PageInk, Line: draw.TextInk, Width: 2})
		}
		p.nodeText(v, x-12, at[v]+4.5, style, column)
	}
	return p.drawRest(y+height+8, width, len(edges))
}

// arc draws an edge; curved is its width for each pixel of its height. An arc that goes up is wider than the reverse arc.
func (p *graphPicture) arc(e int32, x float64, at map[int32]float64, curved float64) {
	from, to := at[p.g.Edges[e][0]], at[p.g.Edges[e][1]]
	look := p.looks[e].line
	bend := max(min(curved, mostBend)*math.Abs(to-from), 16)
	if p.g.Directed && to < from {
		bend += 10
	}
	if from == to { // a loop
		from, to = from-5, to+5
	}
	p.Named(edgeName(p.g, int(e)), p.hover(e), func() {
		p.Path(draw.Data("M", x+5, from, "C", x+bend, from, x+bend, to, x+5, to), look)
		if p.g.Directed {
			half := 4 + look.Width/2
			p.Path(draw.Data("M", x+5, to, "L", x+14, to-half, "V", to+half, "Z"), draw.Stroke{Fill: look.Line})
		}
	})
}
