package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Colours of edges that a prediction hangs on, and of those that speak against it: the blue
// and the orange of Okabe and Ito, paler where scores are nearer to 0. A scale of one direction, as
// that of shade, has no colour for 0.
var (
	forIt     = color.NRGBA{0x56, 0xB4, 0xE9, 255}
	againstIt = color.NRGBA{0xE6, 0x9F, 0x00, 255}
)

// towards is a colour between white and another.
func towards(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 + share*(float64(v)-255)) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// explained colours the edges of a diagram by the scores of an explanation.
func explained(plain draw.Diagram, x *explain.Explanation) draw.Diagram {
	d := with(plain)
	most := float32(0)
	for _, s := range x.Scores {
		most = max(most, s, -s)
	}
	strength := make([]float64, len(d.Edges))
	order := make([]int, len(d.Edges))
	for e, s := range x.Scores {
		order[e] = e
		if most == 0 {
			continue
		}
		strength[e] = float64(max(s, -s) / most)
		if d.Edges[e].Band = towards(forIt, strength[e]); s < 0 {
			d.Edges[e].Band = towards(againstIt, strength[e])
		}
	}
	// Strong bands lie above pale ones, which arcs of one pair share.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength[a], strength[b]) })
	lines := make([]draw.Line, len(order))
	for i, e := range order {
		lines[i] = d.Edges[e]
	}
	d.Edges = lines
	d.Title += fmt.Sprintf(": %s, %.3g", shortened(x.Target), x.Value)
	return d
}

// explanationKey explains the colours.
var explanationKey = []draw.Key{
	{Text: "the prediction hangs on it", Line: draw.Line{Band: forIt}},
	{Text: "less", Line: draw.Line{Band: towards(forIt, 0.3)}},
	{Text: "it speaks against it", Line: draw.Line{Band: againstIt}},
}
