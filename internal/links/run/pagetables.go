package run

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// board returns a table of the main score of all forms, sorted by the first form, and folded tables
// of all scores of each form.
func (r *Result) board(tables []*score.Table) []report.Part {
	first := tables[0]
	high := 0.0
	for _, row := range first.Rows {
		high = max(high, 100*row.Scores[first.Main].High, 100*row.Scores[first.Main].Mean)
	}
	axis := report.LinearAxis("", 0, max(high, 1))
	t := &report.DataTable{Label: "Models and negatives", Class: "board below", Columns: []report.DataColumn{{Name: "model", Left: true}, {Name: scoreTitle(first.Main) + ", drawn", Bar: &axis}}}
	for k, of := range tables {
		c := report.DataColumn{Name: scoreTitle(of.Main) + ", " + formTitle(of), Sort: true, Class: "p2"}
		if k == 0 {
			c.Sorted, c.Class = "descending", ""
		}
		t.Columns = append(t.Columns, c)
	}
	for _, row := range byMain(first) {
		v := row.Scores[first.Main]
		out := report.DataRow{Best: row.Model, Cells: []report.DataCell{report.TextCell(row.Name), {Value: v.Mean, Dots: []report.Dot{dotOf(v, "c5")}}}}
		if row.Model {
			out.Cells[0].Pill, out.Cells[1].Dots[0].Colour = "chosen", "c1"
		}
		for _, of := range tables {
			cell := report.TextCell(report.None)
			if k := slices.IndexFunc(of.Rows, func(x score.Row) bool { return x.Name == row.Name }); k >= 0 {
				s := of.Rows[k].Scores[of.Main]
				cell = report.NumberCell(number(of.Main, s.Mean), s.Mean)
				cell.Interval = intervalText(of.Main, s)
			}
			out.Cells = append(out.Cells, cell)
		}
		t.Rows = append(t.Rows, out)
	}
	lede := "Percent; brackets: 95 % bootstrap intervals over nodes."
	if len(tables) > 1 {
		lede += fmt.Sprintf(" The form of the negatives changes the question: the model was chosen among %s.", formTitle(first))
		if first.Form == score.All || first.Form == score.Lists {
			lede += " That is the question which recommend answers."
		}
	}
	out := []report.Part{report.Heading{Name: "Models and negatives", Title: "Models and negatives", Lines: []string{lede}}, t}
	for _, of := range tables {
		l := listing(of)
		l.Fold = "All scores: " + formTitle(of)
		for i, c := range l.Columns[1:] {
			name, _, _ := strings.Cut(c.Name, "/")
			l.Columns[i+1].Name = scoreTitle(name)
		}
		out = append(out, l)
	}
	return out
}

func dotOf(v rank.Interval, colour string) report.Dot {
	d := report.Dot{Value: 100 * v.Mean, Low: math.NaN(), Colour: colour}
	if v.Low < v.High {
		d.Low, d.High = 100*v.Low, 100*v.High
	}
	return d
}

// kindTitles are the properties that divide links into slices, and their titles.
var kindTitles = map[string]string{"degree": "degree of the rarer end", "distance": "distance without the link", "nodes": "nodes in training"}

// sliceName divides the name of a slice into its property and its values.
func sliceName(of string) (by, name string) {
	by, name, _ = strings.Cut(of, " ")
	title, ok := kindTitles[by]
	if !ok {
		return "", of
	}
	switch {
	case name == "more":
		name = "further"
	case name == "none":
		name = "no path"
	case name == "cold":
		name = "cold: an end has no pair in the graph"
	case strings.HasSuffix(name, "+"):
		name = strings.TrimSuffix(name, "+") + " and more"
	}
	return title, strings.Replace(name, "-", " to ", 1)
}

// slicesOf returns the main score of the model and of the best baseline on slices of links.
func slicesOf(t *score.Table) []report.Part {
	if len(t.Slices) == 0 {
		return nil
	}
	var of []score.Row
	for _, r := range t.Rows {
		if r.Model && len(of) == 0 {
			of = append(of, r)
		}
	}
	if len(of) == 1 {
		if k := slices.IndexFunc(t.Rows, func(b score.Row) bool { return b.Name == of[0].Baseline }); k >= 0 {
			of = append(of, t.Rows[k])
		}
	}
	high := 1.0
	for _, s := range t.Slices {
		for _, r := range of {
			high = max(high, 100*s.Scores[r.Name], 100*s.Intervals[r.Name].High)
		}
	}
	axis := report.LinearAxis("", 0, high)
	out := &report.DataTable{Label: "Slices", Class: "w1", Columns: []report.DataColumn{{Name: "links", Left: true}, {Name: "number", Class: "p2"}, {Name: scoreTitle(t.Main) + ", drawn", Bar: &axis}}}
	for k, r := range of {
		out.Columns = append(out.Columns, report.DataColumn{Name: r.Name})
		out.Keys = append(out.Keys, report.TableKey{Name: r.Name, Colour: report.ColourOf(k)})
	}
	if len(of) == 2 {
		out.Columns = append(out.Columns, report.DataColumn{Name: "difference", Class: "p2"})
	}
	last := ""
	for _, s := range t.Slices {
		by, name := sliceName(s.Of)
		if by != last {
			last = by
			out.Rows = append(out.Rows, report.DataRow{Group: by})
		}
		row := report.DataRow{Faint: s.Values < 20, Cells: []report.DataCell{report.TextCell(name), report.NumberCell(report.Count(s.Values), float64(s.Values)), {}}}
		for k, r := range of {
			v := s.Intervals[r.Name]
			v.Mean = s.Scores[r.Name]
			row.Cells[2].Dots = append(row.Cells[2].Dots, dotOf(v, report.ColourOf(k)))
			row.Cells = append(row.Cells, report.NumberCell(number(t.Main, s.Scores[r.Name]), s.Scores[r.Name]))
		}
		if len(of) == 2 {
			d := 100 * (s.Scores[of[0].Name] - s.Scores[of[1].Name])
			cell := report.NumberCell(report.Signed(d, 1), d)
			if m := s.Margin; m != nil && m.Low < m.High {
				cell.Interval = fmt.Sprintf("[%s, %s]", report.Signed(100*m.Low, 1), report.Signed(100*m.High, 1))
			}
			row.Cells = append(row.Cells, cell)
		}
		out.Rows = append(out.Rows, row)
	}
	return []report.Part{report.Heading{Name: "Slices", Title: "Slices", Lines: []string{fmt.Sprintf("%s among %s by kind of link, in percent. Rows of fewer than 20 links are grey: they say little.", scoreTitle(t.Main), formTitle(t))}}, out}
}

// misses returns the test links that the model ranks worst and the pairs without a link that it
// scores highest.
func (r *Result) misses(t *score.Table) []report.Part {
	var parts []report.Part
	if len(t.Misses) > 0 {
		l := &report.DataTable{Label: "Test links with the worst rank", Columns: []report.DataColumn{{Name: "pair", Left: true}, {Name: "rank"}, {Name: "what is known of the ends", Left: true}}}
		for _, m := range t.Misses {
			_, distance := sliceName(m.Distance)
			switch distance {
			case "no path":
			case "further":
				distance = "distance above 3"
			default:
				distance = "distance " + distance
			}
			l.Rows = append(l.Rows, report.DataRow{Cells: []report.DataCell{wrapped(r.pair(m.Source, m.Target)), report.NumberCell(report.Count(int(m.Rank+0.5)), m.Rank),
				wrapped(fmt.Sprintf("%s without the link; degrees %s and %s", distance, report.Count(m.Degrees[0]), report.Count(m.Degrees[1])))}})
		}
		parts = append(parts, report.Stacked{Title: "Test links with the worst rank", Parts: []report.Part{l}})
	}
	if len(r.Finds) > 0 {
		l := &report.DataTable{Label: "Pairs without a link, scored highest", Columns: []report.DataColumn{{Name: "pair", Left: true}, {Name: "score"}}, Note: "Candidates for links that are missing in the data."}
		reasons := slices.ContainsFunc(r.Finds, func(f Recommendation) bool { return f.Why != nil })
		if reasons {
			l.Columns = append(l.Columns, report.DataColumn{Name: "why", Left: true})
		}
		scores := report.Aligned(lists.Map(r.Finds, func(f Recommendation) float64 { return f.Score }))
		for k, f := range r.Finds {
			row := report.DataRow{Cells: []report.DataCell{wrapped(r.pair(f.Source, f.Target)), report.NumberCell(scores[k], f.Score)}}
			if reasons {
				row.Cells = append(row.Cells, wrapped(whyText(f.Why)))
			}
			l.Rows = append(l.Rows, row)
		}
		parts = append(parts, report.Stacked{Title: "Pairs without a link, scored highest", Parts: []report.Part{l}})
	}
	if parts == nil {
		return nil
	}
	return []report.Part{report.Heading{Name: "Misses and finds", Title: "Misses and finds", Lines: []string{fmt.Sprintf("Ranks are among %s.", formTitle(t))}}, report.Cards{Parts: parts}}
}

// pair returns the ends of a link, shortened for the page.
func (r *Result) pair(source, target string) string {
	between := " – "
	if r.Kind != links.Undirected {
		between = " → "
	}
	return sanitize.Short(source) + between + sanitize.Short(target)
}

// wrapped returns a cell with text that may take several lines.
func wrapped(text string) report.DataCell {
	c := report.TextCell(text)
	c.Wrap = true
	return c
}
