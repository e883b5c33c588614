package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Scores draws a graph whose edges have the scores of an explanation: a molecule drawn by RDKit, if the toolkit can,
// else nodes in a column with arcs between them; and bars of the highest scores.
func Scores(g explain.GraphRecord, tk chem.Toolkit, width float64) *draw.Scene {
	return scored(g).draw(tk, width)
}

// AllScores draws several graphs: molecules as a grid on one scale, others one below another.
func AllScores(records []explain.GraphRecord, tk chem.Toolkit, width float64) *draw.Scene {
	if grid := moleculeGrid(records, width); tk != nil && grid != nil {
		if s, err := Molecules(*grid, tk); err == nil {
			return s
		}
	}
	scenes := lists.Map(records, func(g explain.GraphRecord) *draw.Scene { return Scores(g, tk, width) })
	return below(scenes, width)
}

// below draws pictures one below another.
func below(scenes []*draw.Scene, width float64) *draw.Scene {
	out := &draw.Scene{Width: width}
	for _, s := range scenes {
		out.Add(0, out.Height, s)
		out.Height += s.Height
		out.Label += s.Label + ". "
	}
	return out
}

// moleculeGrid draws several molecules with the scores of their bonds; nil if some graphs are not molecules.
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
		text, what := report.Score(x.Score), "probability"
		if x.Unit == explain.Number {
			text, what = valueText(x.Score), "value"
		}
		g.Note, g.Foot = meaning(x.Method, "bond"), "At the top the molecule and what is predicted, below it the "+what+"."
		g.Cells = append(g.Cells, Cell{Structure: r.Molecule, TopLeft: r.Graph, TopRight: targetOf(x), BottomLeft: text, Bonds: bondScores(r)})
	}
	return g
}

// valueText formats a prediction: with three decimals below 10, else with three digits.
func valueText(v float64) string {
	if math.Abs(v) < 10 {
		return report.Fixed(v, 3)
	}
	return report.Significant(v)
}

// meaning describes the score of an edge by a method.
func meaning(method, edge string) string {
	what := "how much of the prediction is lost without the " + edge
	switch method {
	case explain.Gradient:
		what = "how much the " + edge + " adds to the prediction, by its derivative"
	case explain.Mask:
		what = "the weight that the " + edge + " needs for the prediction to stay"
	case explain.Chance:
		what = "drawn at random, to compare with"
	}
	return fmt.Sprintf("Score by %s: %s.", method, what)
}

// bondScores are the scores of the bonds of a molecule, in its order.
func bondScores(g explain.GraphRecord) []float64 {
	of := map[[2]int32]float64{}
	for e, ends := range g.Edges {
		of[pair(ends[0], ends[1])] += float64(g.Explanation.Scores[e])
	}
	return ofBonds(g.Molecule, of)
}

// scored is the picture of an explanation.
func scored(g explain.GraphRecord) *graphPicture {
	x := g.Explanation
	edge, of := "edge", "graph "+safe(g.Graph)
	if g.Molecule != nil {
		edge, of = "bond", "molecule "+safe(g.Graph)
	}
	p := &graphPicture{g: g, item: -1, node: -1, bars: edge + "s with the highest scores", looks: make([]edgeLook, len(g.Edges))}
	p.note = fmt.Sprintf("%s %s Orange is for it, blue against it.", predictionText(x), meaning(x.Method, edge))
	if item := x.Item; item != nil {
		of = string(item.Kind) + " " + safe(item.Name)
		if item.Kind == settings.Edges {
			p.item = item.Number
		} else {
			p.node = item.Number
		}
	}
	p.heading = fmt.Sprintf("Which %ss the prediction of %s for %s depends on", edge, targetOf(x), of)
	score := func(e int32) float64 { return float64(x.Scores[e]) }
	most := 0.0
	for e := range int32(len(g.Edges)) {
		if e != p.item {
			p.order = append(p.order, e)
			most = max(most, math.Abs(score(e)))
		}
	}
	slices.SortStableFunc(p.order, func(a, b int32) int { return cmp.Compare(math.Abs(score(b)), math.Abs(score(a))) })
	decimals := 2
	if most > 0 {
		decimals = report.ThreeDigits(most)
	}
	p.scale = 1
	if g.Molecule != nil {
		p.bonds = bondScores(g)
		for _, v := range p.bonds {
			if v != 0 {
				p.scale = niceEnd(max(slices.Max(p.bonds), -slices.Min(p.bonds)))
				break
			}
		}
	}
	power := 0 // power of 10, the unit of small scores
	if most > 0 && most < 0.005 {
		power = int(math.Floor(math.Log10(most)))
		decimals, p.bars = 2, p.bars+" [10"+superscript(power)+"]"
	}
	for e := range p.looks {
		v := score(int32(e))
		look := edgeLook{line: draw.Stroke{Line: draw.LineInk, Width: 1.2}, value: v, text: signedTo(v*math.Pow10(-power), decimals)}
		if most > 0 && math.Abs(v) >= 0.005*most {
			look.line = draw.Stroke{Line: inkOfScore(v), Width: 1.5 + 4.5*math.Abs(v)/most}
		}
		p.looks[e] = look
	}
	if p.item >= 0 {
		p.looks[p.item].line = draw.Stroke{Line: draw.TextInk, Width: 5}
	}
	return p
}

// targetOf names what is explained: a class, or a label or number by its name.
func targetOf(x *explain.Explanation) string {
	if x.OfClass {
		return "class " + safe(x.Target)
	}
	return safe(x.Target)
}

// predictionText says in a sentence what is predicted.
func predictionText(x *explain.Explanation) string {
	if x.Unit == explain.Number {
		return "Predicted: " + report.Significant(x.Score) + "."
	}
	return "Probability " + report.Score(x.Score) + "."
}

func inkOfScore(v float64) draw.Ink {
	if v < 0 {
		return draw.DownInk
	}
	return draw.UpInk
}

// superscript formats a whole number as superscript.
func superscript(n int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}
