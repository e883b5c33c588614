package serve

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/parquet"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/source"
)

// table has a row for each graph, or for each of its nodes or edges, with the columns that ehgnn
// predict and ehgnn embed write. at has the items of the rows of predictions.
func (r *replyNames) table(answers []answer, level ehgnn.Level) (t *report.Table, at []rowOf, p *Problem) {
	var graphs []string
	var rows []int
	var names names
	if len(answers) > 0 {
		names.readColumns(&answers[0])
	}
	if len(answers) > 0 && answers[0].embedding != nil {
		var vectors []float32
		width := 0
		for _, a := range answers {
			e := a.embedding
			width = e.Width
			for i := 0; i < len(e.Rows); i += e.Width {
				graphs, rows = append(graphs, a.id), append(rows, i/e.Width)
				names.add(&a, i/e.Width)
			}
			vectors = append(vectors, e.Rows...)
		}
		return &report.Table{Columns: append(names.addAfter(naming(level, graphs, rows), nil), report.Vectors("vector", vectors, width))}, nil, nil
	}
	var items []*ehgnn.Item
	level = r.level
	for k, a := range answers {
		of := []ehgnn.Item{a.prediction.Item}
		switch {
		case a.prediction.Nodes != nil && a.prediction.Edges != nil:
			return nil, nil, problemf(http.StatusNotAcceptable, "the run predicts for nodes and edges, which do not fit into one table; ask for application/json or application/x-ndjson")
		case level == ehgnn.Nodes:
			of = a.prediction.Nodes
		case level == ehgnn.Edges:
			of = a.prediction.Edges
		}
		for i := range of {
			if a.score == nil || a.score[i] {
				graphs, rows, items = append(graphs, a.id), append(rows, i), append(items, &of[i])
				names.add(&a, i)
				at = append(at, rowOf{k, i})
			}
		}
	}
	named, predicted := naming(level, graphs, rows), r.columns(items)
	return &report.Table{Columns: append(names.addAfter(named, predicted), predicted...)}, at, nil
}

// names are the columns that name edges in addition to their numbers: their ends and, for tables, their keys or all columns.
type names struct {
	columns []string
	own     []bool // it is not a key
	texts   [][]string
}

// readColumns reads the columns of an answer; all answers have the same.
func (n *names) readColumns(a *answer) {
	for _, c := range a.naming {
		n.columns, n.own = append(n.columns, c.Name), append(n.own, c.MayLack())
	}
	n.texts = make([][]string, len(n.columns))
}

// add adds the names of an edge.
func (n *names) add(a *answer, edge int) {
	for k := range n.texts {
		n.texts[k] = append(n.texts[k], a.naming[k].Texts()[edge])
	}
}

// addAfter adds the columns after others. Their names are made unique, also among those of predictions.
func (n *names) addAfter(named, predicted []report.Column) []report.Column {
	taken := lists.Map(slices.Concat(named, predicted), func(c report.Column) string { return c.Name })
	for k, name := range n.columns {
		if k >= 2 { // after source and target
			name = source.FreeName(name, taken)
		}
		column := report.Strings(name, n.texts[k])
		if n.own[k] {
			column = report.Cells(name, n.texts[k])
		}
		named, taken = append(named, column), append(taken, name)
	}
	return named
}

// endsOf returns the columns that name the ends of edges, by the names of nodes or their numbers.
func endsOf(g *ehgnn.Graph) []report.Column {
	var ends [2][]string
	for i, v := range g.Ends {
		name := strconv.Itoa(int(v))
		if g.NodeNames != nil {
			name = g.NodeNames[v]
		}
		ends[i%2] = append(ends[i%2], name)
	}
	return []report.Column{report.Strings("source", ends[0]), report.Strings("target", ends[1])}
}

// naming returns the columns that identify rows.
func naming(level ehgnn.Level, graphs []string, rows []int) []report.Column {
	out := []report.Column{report.Strings("graph", graphs)}
	if level != ehgnn.Graphs {
		out = append(out, report.Ints(string(level), rows))
	}
	return out
}

// columns returns the columns of predictions.
func (r *replyNames) columns(items []*ehgnn.Item) []report.Column {
	if len(items) == 0 {
		one := report.Table{Columns: r.columns([]*ehgnn.Item{r.example()})}
		return one.Pick(nil).Columns
	}
	var out []report.Column
	floats := func(name string, of func(*ehgnn.Item) []float64, k int) {
		values := make([]float32, len(items))
		for i := range items {
			row := of(items[i])
			if k >= len(row) {
				return
			}
			values[i] = float32(row[k])
		}
		out = append(out, report.Floats(name, values))
	}
	texts := func(name string, of func(*ehgnn.Item) string) {
		out = append(out, report.Strings(name, lists.Map(items, of)))
	}
	probability := func(x *ehgnn.Item) []float64 { return x.Probabilities }
	std := func(x *ehgnn.Item) []float64 { return x.Std }
	if items[0].Class != "" {
		texts("prediction", func(x *ehgnn.Item) string { return x.Class })
		for k, c := range r.classes {
			floats("probability_"+c, probability, k)
		}
		if items[0].Set != nil {
			texts("set", func(x *ehgnn.Item) string { return strings.Join(x.Set, "|") })
		}
		floats("std", std, 0)
		return out
	}
	width := max(len(items[0].Probabilities), len(items[0].Values))
	for k := range width {
		name := func(of string) string {
			if k < len(r.targets) {
				return of + "_" + r.targets[k]
			}
			if width > 1 {
				return fmt.Sprintf("%s_%d", of, k)
			}
			return of
		}
		floats(name("probability"), probability, k)
		floats(name("prediction"), func(x *ehgnn.Item) []float64 { return x.Values }, k)
		floats(name("lower"), func(x *ehgnn.Item) []float64 { return x.Lower }, k)
		floats(name("upper"), func(x *ehgnn.Item) []float64 { return x.Upper }, k)
		floats(name("std"), std, k)
	}
	return out
}

// writeTable writes a table in a format.
func writeTable(w io.Writer, t *report.Table, f format) error {
	if f == formatParquet {
		return parquet.Write(w, t)
	}
	return report.WriteCSV(w, t)
}
