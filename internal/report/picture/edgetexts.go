package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/source"
)

// many is a number of edges, optionally with a description.
func (p *edgePicture) many(n int) string {
	if n == 1 {
		return "1 " + p.words.Edge
	}
	return report.Count(n) + " " + p.words.Edge + "s"
}

// scoreText is the formatted score.
func (p *edgePicture) scoreText() string { return "score " + p.score(p.x.Score) }

func (p *edgePicture) score(v float64) string {
	if p.x.Unit == explain.Number {
		return plainTo(v, p.decimals)
	}
	return report.Score(v)
}

// plainTo is a number with so many decimals, without a plus sign.
func plainTo(v float64, decimals int) string {
	text := signedTo(v, decimals)
	if text == "0" {
		return strconv.FormatFloat(0, 'f', decimals, 64)
	}
	return strings.TrimPrefix(text, "+")
}

// subject says what is explained; note identifies the edge.
func (p *edgePicture) subject() (title, note string) {
	of := safe(p.x.Class)
	title = fmt.Sprintf("Why %s %s has a score of %s for %s", p.words.Edge, p.own.id, p.score(p.x.Score), of)
	if p.x.Unit == explain.Number {
		title = fmt.Sprintf("Why %s of %s %s is %s", of, p.words.Edge, p.own.id, p.score(p.x.Score))
	}
	note = "From " + p.own.source + " to " + p.own.target
	for i, name := range p.x.Shown {
		if p.x.Labels[i] != "" {
			note += " · " + safe(name) + " " + cell(p.x.Labels[i])
		}
	}
	return title, note
}

// verdict says in a sentence, with numbers, whether the listed edges explain the score.
func (p *edgePicture) verdict() (sentence, numbers string) {
	f := p.x.Fidelity
	if f == nil {
		return fmt.Sprintf("There is no other %s around: its own columns decide.", p.words.Edge), ""
	}
	base := 1 / (1 + math.Exp(-p.x.Base))
	these := "these " + p.many(f.Edges)
	if f.Edges == 1 {
		these = "this " + p.words.Edge
	}
	switch {
	case f.Holds:
		sentence = fmt.Sprintf("The explanation holds: %s move the score.", these)
		if f.Edges == 1 {
			sentence = fmt.Sprintf("The explanation holds: %s moves the score.", these)
		}
	case f.Moves:
		sentence = fmt.Sprintf("Other %ss at the same ends do as much: do not rely on %s alone.", p.words.Edge, these)
	case p.x.Unit == explain.LogOdds && math.Abs(p.x.Score-base) <= 0.05:
		sentence = fmt.Sprintf("The score is near the base, %s: as a probability, nothing moves it much.", p.score(base))
	case p.restWeight() > p.ownWeight(), p.x.Unit == explain.LogOdds && math.Abs(p.x.Score-f.Alone) > 0.15:
		sentence = fmt.Sprintf("Many %ss count together, none much by itself: without %s the score is nearly the same.", p.words.Edge, these)
	default:
		sentence = fmt.Sprintf("The neighbourhood matters little: without %s the score is nearly the same.", these)
		if len(p.x.Columns) > 0 {
			sentence += fmt.Sprintf(" The %s’s own columns decide.", p.words.Edge)
		}
	}
	numbers = fmt.Sprintf("Score %s. With only %s around: %s. Without: %s.", p.score(p.x.Score), these, p.score(f.Alone), p.score(f.Without))
	if f.Draws > 0 {
		numbers += fmt.Sprintf(" With as many at random of the same ends: %s [%s, %s].", p.score(f.Random), p.score(f.Low), p.score(f.High))
	} else {
		numbers += fmt.Sprintf(" There is no other %s at the ends to compare with.", p.words.Edge)
	}
	return sentence, numbers
}

// restWeight and ownWeight are the sizes of the contributions of the edges that are not listed, and of the own columns.
func (p *edgePicture) restWeight() float64 {
	return lists.SumOf(p.rest, func(r explain.RestPart) float64 { return math.Abs(r.Contribution) })
}

func (p *edgePicture) ownWeight() float64 {
	return lists.SumOf(p.x.Columns, func(c explain.ColumnPart) float64 { return math.Abs(c.Contribution) })
}

// restText describes the total contribution of edges that are not drawn.
func (p *edgePicture) restText(r explain.RestPart) (what, together string) {
	end := map[explain.Side]string{explain.AtSource: p.words.Source, explain.AtTarget: p.words.Target}[r.Side]
	switch {
	case r.Side == explain.AtBoth:
		what = p.manyMore(r.Edges) + " of the pair"
	case r.Steps > 1:
		what = report.Count(r.Edges) + " two steps from the " + end
	default:
		what = p.manyMore(r.Edges) + " of the " + end
	}
	return what, "together " + p.signed(r.Contribution)
}

func (p *edgePicture) manyMore(n int) string {
	return strings.Replace(p.many(n), " ", " more ", 1)
}

func (p *edgePicture) signed(v float64) string { return signedTo(v, p.decimals) }

// columnName is the name of an own column, with the user's word for its end.
func (p *edgePicture) columnName(name string) string {
	for ending, word := range map[string]string{source.OfSource: p.words.Source, source.OfTarget: p.words.Target} {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			name = rest + " of the " + word
		}
	}
	return safe(name)
}
