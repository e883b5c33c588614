package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// EdgeError is the error of an edge that cannot be in the graph of a run, or of a candidate that
// cannot be scored.
type EdgeError struct {
	Edge int // its position among the given edges
	Err  error
}

// Error returns the message of the cause.
func (e *EdgeError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *EdgeError) Unwrap() error { return e.Err }

// With returns the run with further edges in the graph that scores candidates. The edges may have
// new nodes. Nothing is trained: ials solves the equations of new nodes, trees read the columns of
// the whole graph, and the other models send messages along the new edges. The order of the edges
// does not matter.
//
// If the run has a split by time, times has the time of each edge, as ReadTime returns it. Other
// runs have no times. Candidates are scored at the time of the last event of the tables and the
// edges.
func (r *Run) With(ctx context.Context, edges [][2]string, times []float64) (*Run, error) {
	if r.Settings.Split == ByTime && len(times) != len(edges) {
		return nil, misuse("%d further edges have %d times, expected one for each, as the run has --split time", len(edges), len(times))
	}
	ids, target, err := r.newNodes(edges)
	if err != nil {
		return nil, err
	}
	out := *r
	out.node.node = maps.Clone(r.node.node)
	for k, id := range ids {
		out.node.node[id] = int32(r.Data.Nodes() + k)
	}
	pairs := make([][2]int32, len(edges))
	for i, e := range edges {
		for end, id := range e {
			pairs[i][end], _ = out.node.find(id, end)
		}
	}
	d := *r.Data
	d.Data = r.Data.Extend(ids, target, pairs)
	d.Features = r.Data.Features.Extend(d.Nodes())
	d.Known, d.Split, d.Negatives = links.NewKnown(d.Data), nil, [links.Parts][][2]int32{}
	for u := range int32(r.columns.Graph.Nodes) {
		for _, v := range r.columns.Graph.Out.Of(u) {
			pairs = append(pairs, [2]int32{u, v})
		}
	}
	if r.Settings.Split == ByTime {
		out.later = slices.Clone(r.later)
		for i, t := range times {
			p := d.Orient(pairs[i])
			out.later = append(out.later, links.Event{Source: p[0], Target: p[1], Time: t})
		}
	}
	out.Data, out.columns = &d, links.NewColumns(links.GraphOf(d.Kind, d.Hash, pairs), d.Features)
	if r.Settings.Split == ByTime {
		learn.AddTimes(out.columns, r.t.d.Data, r.moment, r.t.d.Dates, out.later...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &out, out.bind(extended(r.model, r.bound, d.Data, d.Features))
}

// newNodes returns the ids in edges that the run does not have, and which of them are targets.
func (r *Run) newNodes(edges [][2]string) (ids []string, target []bool, err error) {
	side := map[string]int{}
	bipartite := r.Data.Kind == links.Bipartite
	for i, e := range edges {
		wrong := func(format string, args ...any) error { return &EdgeError{i, misuse(format, args...)} }
		if r.node.name(e[0], 0) == r.node.name(e[1], 1) {
			return nil, nil, wrong("the edge of %q and %q is a loop, expected two nodes", e[0], e[1])
		}
		for s, id := range e {
			if id == "" {
				return nil, nil, wrong("an edge without a node, expected two ids")
			}
			id = r.node.name(id, s)
			v, known := r.node.node[id]
			was, met := side[id]
			switch {
			case bipartite && (known && r.Data.Target[v] != (s == 1) || met && was != s):
				return nil, nil, wrong("%q is a %s here and a %s elsewhere, expected different names for the two sides of a bipartite graph", id, sideNames[s], sideNames[1-s])
			case !known && !met:
				side[id] = s
			}
		}
	}
	ids = slices.Sorted(maps.Keys(side))
	for _, id := range ids {
		target = append(target, side[id] == 1)
	}
	return ids, target, nil
}

var sideNames = [2]string{"source", "target"}

// WithFile is With for the edges of a table. The ends are in the columns with the names of the
// training tables, or in the first two columns. If the training used --positive, the table needs
// its column, and other rows are left out. If the run has a split by time, the table needs the
// training's column of times.
func (r *Run) WithFile(ctx context.Context, file string, maxMemory int64) (*Run, error) {
	c, err := r.edgesOf(file, maxMemory)
	if err != nil {
		return nil, misuse("--context: %s", sanitize.WithoutPackage(err.Error()))
	}
	out, err := r.With(ctx, c.edges, c.times)
	if bad := (*EdgeError)(nil); errors.As(err, &bad) {
		return nil, settings.Usage(fmt.Errorf("--context: %w", &data.ParseError{File: file, Line: c.lines[bad.Edge], Msg: err.Error()}))
	}
	return out, err
}

// ReadTime reads a time in the format of the training tables. Only runs with a split by time have
// times.
func (r *Run) ReadTime(c schema.Cell) (float64, error) {
	t, err := r.t.d.ReadTime(c)
	if err == nil && math.IsNaN(t) {
		err = errors.New("is missing, expected a time")
	}
	return t, err
}

// furtherEdges are the edges of a table with their lines and, in a run with a split by time, their
// times.
type furtherEdges struct {
	edges [][2]string
	times []float64
	lines []int
}

// edgesOf reads the edges of a table.
func (r *Run) edgesOf(file string, maxMemory int64) (*furtherEdges, error) {
	rows, from, to, err := r.openPairs(file, maxMemory)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := rows.Columns()
	column := func(name string) int { return columnOf(names, name) }
	var c condition
	by := -1
	if r.Settings.Positive != "" {
		if c, err = parseCondition(r.Settings.Positive); err != nil {
			return nil, err
		}
		if by = column(c.column); by < 0 {
			return nil, fmt.Errorf("%s has no column %q, by which --positive %s of the training says which rows are edges", file, c.column, r.Settings.Positive)
		}
	}
	at := -1
	if r.Settings.Split == ByTime {
		if at = column(r.Settings.Tables.Time); at < 0 {
			return nil, fmt.Errorf("%s has no column %q of times, which a run with --split time needs; there are: %s", file, r.Settings.Tables.Time, strings.Join(names, ", "))
		}
	}
	out := &furtherEdges{}
	err = rows.Each(func(row []string) error {
		if by >= 0 && !c.holdsText(row[by]) {
			return nil
		}
		out.edges, out.lines = append(out.edges, [2]string{row[from], row[to]}), append(out.lines, rows.Line(0))
		if at >= 0 {
			t, err := r.ReadTime(rows.Cell(at))
			if err != nil {
				return fmt.Errorf("%s:%d: column %q %w", file, rows.Line(at), names[at], err)
			}
			out.times = append(out.times, t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out.edges) == 0 {
		return nil, fmt.Errorf("%s has no edge", file)
	}
	return out, nil
}

// columnOf returns the position of a column with this name, or -1.
func columnOf(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return name != "" && strings.EqualFold(n, name) })
}

// openPairs opens a table of pairs and returns the columns of their ends: the columns with the
// names of the training, or source and target, otherwise the first two. If the first line has the
// id of a node, it is a pair and not a header.
func (r *Run) openPairs(file string, maxMemory int64) (rows *tables.Rows, from, to int, err error) {
	if rows, err = tables.OpenRows(file, data.NewBudget(maxMemory)); err != nil {
		return nil, 0, 0, err
	}
	names := rows.Columns()
	if len(names) < 2 {
		rows.Close()
		return nil, 0, 0, fmt.Errorf("%s has %d columns, expected source and target", file, len(names))
	}
	withNames(rows, r.node, []int{0, 1})
	for _, ends := range [][2]string{{r.Settings.Tables.Source, r.Settings.Tables.Target}, sideNames} {
		if from, to = columnOf(names, ends[0]), columnOf(names, ends[1]); from >= 0 && to >= 0 {
			return rows, from, to, nil
		}
	}
	return rows, 0, 1, nil
}

// withNames reads the header as a row if one of its first columns has the id of a node at the end
// that ends gives for the column.
func withNames(rows *tables.Rows, node places, ends []int) {
	for c, name := range rows.Columns() {
		if c == len(ends) {
			return
		}
		if _, is := node.find(name, ends[c]); is {
			rows.NamesAreRow()
			return
		}
	}
}

// ReadPairs reads the candidates in a table of two columns, and their lines.
func (r *Run) ReadPairs(file string, maxMemory int64) (pairs [][2]string, lines []int, err error) {
	rows, from, to, err := r.openPairs(file, maxMemory)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if names := rows.Columns(); len(names) > 2 {
		return nil, nil, fmt.Errorf("%s has the columns %s, expected source and target alone: features of edges are no features of candidates", file, strings.Join(names, ", "))
	}
	err = rows.Each(func(row []string) error {
		if row[from] == "" || row[to] == "" {
			return fmt.Errorf("%s:%d: a candidate without a node, expected two ids", file, rows.Line(0))
		}
		pairs, lines = append(pairs, [2]string{row[from], row[to]}), append(lines, rows.Line(0))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(pairs) == 0 {
		return nil, nil, fmt.Errorf("%s has no candidate", file)
	}
	return pairs, lines, nil
}
