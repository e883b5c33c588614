package graphfile

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// openEdgeList opens a file with one edge per line and no header.
func openEdgeList(path string, b *data.Budget) (*Graph, error) {
	return ofLines(path, b, newEdgeList)
}

func newEdgeList(l *lines) (*Graph, error) {
	head, whole, err := l.sample()
	if err != nil {
		return nil, err
	}
	comments, rows := sampleLines(head, whole)
	if len(rows) == 0 {
		return nil, l.errorf(0, nil, "has no edges in its first %d bytes, expected lines of two ids", len(head))
	}
	if convert := refuseLines(l.name, comments, rows); convert != nil {
		return nil, convert
	}
	lay, ok := findLayout(rows)
	if !ok {
		return nil, l.errorf(0, nil, "is no edge list: expected the same number of values, %d to %d, on each line", leastFields, mostFields)
	}
	if isHeader(lay, rows) {
		return nil, l.errorf(0, nil, "has a line of column names, expected an edge list without one; it is read as a table without --format")
	}
	f := readComments(comments)
	t := &lineTable{lines: l, columns: edgeColumns(lay, f, rows), row: make(schema.Row, lay.fields), isComment: isComment}
	t.parse = edgeParser(lay, f.bipartite)
	g := &Graph{Format: EdgeList, Edges: t, Directed: f.directed}
	g.Notes = append(g.Notes, fmt.Sprintf("%s: is an edge list without column names; its columns are called %s", l.name, listed(t.columns)))
	if f.bipartite {
		g.Notes = append(g.Notes, l.name+": "+bipartiteNote)
	}
	return g, nil
}

// bipartiteNote says how the ids of two kinds of nodes are made different.
const bipartiteNote = "sources and targets are different nodes with equal numbers; their ids get r and c before the number"

// Prefixes of the ids of the two kinds of nodes of a bipartite graph: rows and columns.
const (
	rowPrefix = "r"
	colPrefix = "c"
)

// edgeParser reads the lines of an edge list.
func edgeParser(lay layout, bipartite bool) func(string, schema.Row) (bool, error) {
	var fields []string
	return func(line string, row schema.Row) (bool, error) {
		fields = lay.split(fields[:0], line)
		if len(fields) != lay.fields {
			return false, fmt.Errorf("number of values is %d, expected %d as on the first lines", len(fields), lay.fields)
		}
		for i, f := range fields {
			row[i] = schema.TextCell(f)
		}
		if row[0].Kind == schema.Missing || row[1].Kind == schema.Missing {
			return false, fmt.Errorf("an id is empty, expected two ids")
		}
		if bipartite {
			row[0].Text = rowPrefix + row[0].Text
			row[1].Text = colPrefix + row[1].Text
		}
		return true, nil
	}
}

// isEdgeList reports whether sample lines are an edge list. Its first two columns must be whole
// numbers, or ids of another kind if there is other evidence that they are ids, such as a first
// line like the others.
func isEdgeList(name string, comments, rows []string) bool {
	lay, ok := findLayout(rows)
	if !ok || isHeader(lay, rows) {
		return false
	}
	whole, ratings := true, lay.fields == 4
	for _, line := range rows {
		f := lay.split(nil, line)
		whole = whole && isWhole(f[0]) && isWhole(f[1])
		ratings = ratings && isDecimal(f[2]) && isEpoch(f[3])
	}
	if whole || ratings {
		return true
	}
	f := readComments(comments)
	return lay.fields == 2 && firstIsEdge(lay, rows) || f.konect || f.columns(lay.fields) != nil && isEnd(f.names[0]) || hasEnding(name, ".edges", ".edgelist", ".el", ".ncol")
}

// firstIsEdge reports whether the first of some lines with two values has ids and not column names:
// both values also occur as ids in later lines, or both columns have numbers after the same letters
// in every line.
func firstIsEdge(lay layout, rows []string) bool {
	if len(rows) < 3 {
		return false
	}
	first := lay.split(nil, rows[0])
	again, numbered := [2]bool{}, [2]bool{true, true}
	var prefix [2]string
	for i, name := range first {
		prefix[i] = strings.TrimRight(name, "0123456789")
	}
	for n, line := range rows {
		for i, id := range lay.split(nil, line)[:2] {
			digits, ok := strings.CutPrefix(id, prefix[i])
			numbered[i] = numbered[i] && ok && isWhole(digits)
			for k, name := range first {
				again[k] = again[k] || n > 0 && id == name
			}
		}
	}
	return again[0] && again[1] || numbered[0] && numbered[1]
}

// isHeader reports whether the first of some lines has column names: a column has numbers below a
// text, or two names are names of ends.
func isHeader(lay layout, rows []string) bool {
	first := lay.split(nil, rows[0])
	if isEnd(first[0]) && isEnd(first[1]) {
		return true
	}
	for i, name := range first {
		if isDecimal(name) {
			return false // a number is not a column name
		}
		numbers := len(rows) > 1
		for _, line := range rows[1:] {
			numbers = numbers && isDecimal(lay.split(nil, line)[i])
		}
		if numbers {
			return true
		}
	}
	return false
}
