package explain

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// whyColumns is how many contributions a reason names, and whyRows how many rows are processed together.
const (
	whyColumns = 3
	whyRows    = 1 << 12
)

// Why names, for each row of predictions, the columns that contribute most: to the probability of the
// positive class, of more than two classes to that of the predicted class, or to the number.
func Why(s *session.Session, ctx context.Context, p *session.Predictions) (report.Column, error) {
	if len(p.At) == 0 {
		return WhyRows(s, ctx, nil, nil, p.Table)
	}
	edges := lists.Map(p.At, func(at source.Place) int32 { return int32(at.Item) })
	return WhyRows(s, ctx, p.Part.Graphs[0], edges, p.Table)
}

// WhyOf is WhyRows for a graph that does not belong to a data set.
func WhyOf(r *session.Run, ctx context.Context, g *graph.Graph, edges []int32, t *report.Table, threads int) (report.Column, error) {
	s, err := sessionOf(r, threads)
	if err != nil {
		return report.Column{}, err
	}
	return WhyRows(s, ctx, g, edges, t)
}

// WhyRows is Why for a table of predictions whose rows are edges of a graph.
func WhyRows(s *session.Session, ctx context.Context, g *graph.Graph, edges []int32, t *report.Table) (report.Column, error) {
	if !HasColumns(s) {
		return report.Column{}, settings.Misuse("--why is for runs of %s with learners on columns, and this run has the model %s; ehgnn explain shows what its predictions depend on", model.AutoName, s.Settings.ModelName)
	}
	words := make([]string, len(edges))
	if len(edges) == 0 {
		return report.Strings(whyName(t), words), nil
	}
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		return report.Column{}, err
	}
	class := whyClasses(s, t)
	title, value := session.ColumnNames(&s.Settings), valuesOf(t)
	rows := lists.Range[int](len(edges))
	slices.SortStableFunc(rows, func(a, b int) int { return class[a] - class[b] })
	for from := 0; from < len(rows); {
		to := from
		var some []int32
		for ; to < len(rows) && to-from < whyRows && class[rows[to]] == class[rows[from]]; to++ {
			some = append(some, edges[rows[to]])
		}
		got, err := s.Model.(*model.Auto).Contributions(ctx, b, some, class[rows[from]], s.Threads)
		if err != nil {
			return report.Column{}, err
		}
		for i, row := range rows[from:to] {
			words[row] = inWords(columnRecord(&s.Settings, got[i], title), s.Task.Number, func(column string) string { return value(column, row) })
		}
		from = to
	}
	return report.Strings(whyName(t), words), nil
}

// whyName is the name of the column; the data may use the same name.
func whyName(t *report.Table) string {
	name := "why"
	for slices.ContainsFunc(t.Columns, func(c report.Column) bool { return c.Name == name }) {
		name += "_"
	}
	return name
}

// whyClasses returns the explained output of each row.
func whyClasses(s *session.Session, t *report.Table) []int {
	rows := t.Rows()
	switch {
	case s.Task.Number:
		return make([]int, rows)
	case s.Settings.Model.Out == 2:
		return slices.Repeat([]int{s.Settings.Target.PositiveClass()}, rows)
	}
	out, number := make([]int, rows), lists.Places[int](targets(s))
	at := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Name == "prediction" })
	for i, name := range t.Columns[at].Texts() {
		out[i] = number[name]
	}
	return out
}

// valuesOf returns the value of a data column in a row of predictions; empty if the row does not have it.
func valuesOf(t *report.Table) func(column string, row int) string {
	columns := map[string][]string{}
	for _, c := range t.Columns {
		if texts := c.Texts(); texts != nil && columns[c.Name] == nil {
			columns[c.Name] = texts
		}
	}
	return func(column string, row int) string {
		if texts := columns[column]; texts != nil {
			return texts[row]
		}
		return ""
	}
}

// inWords lists the largest contributions to a number or a probability.
func inWords(r ColumnRecord, number bool, value func(column string) string) string {
	var out []string
	for _, c := range r.Columns {
		if len(out) == whyColumns {
			break
		}
		verb, by := "raises", c.Contribution
		if by < 0 {
			verb, by = "lowers", -by
		}
		digits := strconv.FormatFloat(by, 'f', 3, 64)
		switch {
		case number:
			digits = strconv.FormatFloat(by, 'g', 3, 64)
		case by < 0.0005:
			return strings.Join(out, "; ") // the others are also 0.000
		}
		out = append(out, fmt.Sprintf("%s %s it by %s", withValue(c.Column, value), verb, digits))
	}
	return strings.Join(out, "; ")
}

// withValue is a column with its value, if the row has it: "amount 12.50", "channel = card", or
// "channel not card" if the row has another value.
func withValue(column string, value func(column string) string) string {
	if v := value(column); v != "" {
		return column + " " + v
	}
	if name, is, ok := strings.Cut(column, " = "); ok {
		if v := value(name); v != "" && v != is {
			return name + " not " + is
		}
	}
	return column
}
