package picture

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// EdgeDocument shows explanations of edges: the picture of each, and a table of the contributions of columns and edges.
func EdgeDocument(records []explain.EdgeExplanation, words EdgeWords, model string) *report.Document {
	d := &report.Document{Title: "What predictions of " + model + " are made of", Value: records}
	for _, x := range records {
		p := newEdgePicture(x, words.filled())
		d.Parts = append(d.Parts, report.SceneOf(p.listing(), func(width float64) *draw.Scene { return Edge(x, words, width) }))
		sentence, numbers := p.verdict()
		d.Remarks = append(d.Remarks, sentence+" "+numbers)
		if x.StandardError > 0 {
			d.Remarks = append(d.Remarks, fmt.Sprintf("%s %s: contributions of edges are estimated from permutations, with a standard error of at most %s.",
				p.words.Edge, p.own.id, plainTo(x.StandardError, max(p.decimals, 2))))
		}
	}
	return d
}

// listing is the table of an explanation, whose rows add up.
func (p *edgePicture) listing() *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: p.words.Edge + " " + p.own.id + ", " + safe(p.x.Class), Left: true}, {Name: p.words.Source, Left: true},
		{Name: p.words.Target, Left: true}}}
	for _, name := range p.x.Shown {
		l.Columns = append(l.Columns, report.ListingColumn{Name: safe(name)})
	}
	l.Columns = append(l.Columns, report.ListingColumn{Name: map[string]string{explain.LogOdds: "contribution, log-odds"}[p.x.Unit]})
	if last := &l.Columns[len(l.Columns)-1]; last.Name == "" {
		last.Name = "contribution"
	}
	row := func(name, source, target string, labels []string, v string) {
		cells := []string{name, source, target}
		for i := range p.x.Shown {
			text := ""
			if i < len(labels) {
				text = tableCell(labels[i])
			}
			cells = append(cells, text)
		}
		l.Rows = append(l.Rows, append(cells, v))
	}
	row("base", "", "", nil, signedZero(p.base, p.decimals))
	for _, c := range p.x.Columns {
		name := p.columnName(c.Column)
		if c.Value != "" {
			name += " = " + tableCell(c.Value)
		}
		row(name, "", "", nil, p.signed(c.Contribution))
	}
	for i, e := range p.x.Edges {
		row(p.words.Edge+" "+e.ID, e.Source, e.Target, e.Labels, p.signed(p.rows[i].v))
	}
	for _, r := range p.rest {
		what, _ := p.restText(r)
		row(what, "", "", nil, p.signed(r.Contribution))
	}
	sum := p.x.Unit
	if sum == explain.Number {
		sum = "prediction"
	}
	row(sum, "", "", nil, signedZero(p.value, p.decimals))
	row("score", "", "", nil, p.score(p.x.Score))
	return l
}
