package graphfile

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// mtxHeader is the first line of a Matrix Market file. Some files have only one %.
var mtxHeader = regexp.MustCompile(`(?i)^%{1,2}MatrixMarket[ \t]`)

// matrix has the information in the first lines of a Matrix Market file.
type matrix struct {
	field, symmetry     string
	rows, columns, size int64 // size is the number of entries
}

// openMTX opens a sparse Matrix Market matrix as a graph with one edge per entry.
func openMTX(path string, b *data.Budget) (*Graph, error) {
	return ofLines(path, b, newMTX)
}

func newMTX(l *lines) (*Graph, error) {
	m, err := readMatrix(l)
	if err != nil {
		return nil, err
	}
	t := &lineTable{lines: l, columns: append([]string{sourceColumn, targetColumn}, m.values()...), total: m.size, known: true, isComment: isComment}
	t.row = make(schema.Row, len(t.columns))
	t.parse = func(line string, row schema.Row) (bool, error) {
		if t.rows == m.size {
			return false, fmt.Errorf("has an entry more than the %d of the line of sizes", m.size)
		}
		return true, m.entry(line, row)
	}
	t.end = func() error {
		if t.rows != m.size {
			return fmt.Errorf("file ends after %d entries, expected %d as the line of sizes says", t.rows, m.size)
		}
		return nil
	}
	g := &Graph{Format: MTX, Edges: t, Directed: data.Directed}
	switch {
	case m.symmetry == "symmetric":
		g.Directed = data.Undirected
	case m.symmetry != "general":
		g.Notes = append(g.Notes, fmt.Sprintf("%s: is %s and stores one of the two entries of a pair of nodes, which differ; the edges are those stored, with their direction", l.name, m.symmetry))
	case m.rows != m.columns:
		g.Directed = data.Auto
		g.Notes = append(g.Notes, l.name+": "+bipartiteNote)
	}
	return g, nil
}

// readMatrix reads the header, comments and the line of sizes.
func readMatrix(l *lines) (matrix, error) {
	var m matrix
	line, err := l.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return m, err
	}
	if err := m.header(l, line); err != nil {
		return m, err
	}
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			return m, l.errorf(l.line-1, nil, "file ends early, expected a line with the numbers of rows, columns and entries")
		}
		if err != nil {
			return m, err
		}
		if line != "" && !isComment(line) {
			return m, m.sizes(l, line)
		}
	}
}

// header reads the first line.
func (m *matrix) header(l *lines, line string) error {
	f := strings.Fields(strings.ToLower(line))
	if !mtxHeader.MatchString(line) || len(f) != 5 || f[1] != "matrix" {
		return l.errorf(1, nil, "is no header of the Matrix Market, expected %%%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	if f[2] == "array" {
		return l.errorf(1, nil, "is a dense matrix (array), which is not read; convert it: %s",
			Python(l.name, "import scipy.io, scipy.sparse; scipy.io.mmwrite('NAME.sparse.mtx', scipy.sparse.coo_matrix(scipy.io.mmread('FILE')))"))
	}
	m.field, m.symmetry = f[3], f[4]
	for _, known := range []struct {
		value string
		of    []string
	}{
		{f[2], []string{"coordinate"}},
		{m.field, []string{"real", "double", "integer", "unsigned-integer", "complex", "pattern"}},
		{m.symmetry, []string{"general", "symmetric", "skew-symmetric", "hermitian"}},
	} {
		if !slices.Contains(known.of, known.value) {
			return l.errorf(1, nil, "has %q in the header, expected one of %s", known.value, listed(known.of))
		}
	}
	return nil
}

// sizes reads the line of sizes.
func (m *matrix) sizes(l *lines, line string) error {
	f := strings.Fields(line)
	if len(f) != 3 {
		return l.errorf(l.line, nil, "number of sizes is %d, expected rows, columns and entries", len(f))
	}
	for i, v := range []*int64{&m.rows, &m.columns, &m.size} {
		var err error
		if *v, err = strconv.ParseInt(f[i], 10, 64); err != nil || *v < 0 {
			return l.errorf(l.line, nil, "size %q is no whole number from 0", f[i])
		}
	}
	if m.symmetry != "general" && m.rows != m.columns {
		return l.errorf(l.line, nil, "a matrix of %d rows and %d columns is called %s, expected as many rows as columns", m.rows, m.columns, m.symmetry)
	}
	return nil
}

// values returns the columns for the value of an entry.
func (m *matrix) values() []string {
	switch m.field {
	case "pattern":
		return nil
	case "complex":
		return []string{"real", "imaginary"}
	}
	return []string{weightColumn}
}

// entry reads a line with the row, the column and the value of an entry.
func (m *matrix) entry(line string, row schema.Row) error {
	var fields [5]string
	n := 0
	for f := range strings.FieldsSeq(line) {
		if n == len(row) {
			return fmt.Errorf("has more than %d values, as a %s matrix has", len(row), m.field)
		}
		fields[n] = f
		n++
	}
	if n != len(row) {
		return fmt.Errorf("number of values is %d, expected %d of a %s matrix", n, len(row), m.field)
	}
	for i, end := range []struct {
		what, prefix string
		most         int64
	}{{"row", rowPrefix, m.rows}, {"column", colPrefix, m.columns}} {
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || v < 1 || v > end.most {
			return fmt.Errorf("%s %q, expected 1 to %d", end.what, fields[i], end.most)
		}
		row[i] = schema.IntegerCell(v)
		if m.rows != m.columns {
			row[i] = schema.TextCell(end.prefix + strconv.FormatInt(v, 10))
		}
	}
	for i := 2; i < n; i++ {
		read := numberCell
		if strings.HasSuffix(m.field, "integer") {
			read = integerCell
		}
		var ok bool
		if row[i], ok = read(fields[i]); !ok {
			return fmt.Errorf("value %q, expected a number of a matrix of kind %s", fields[i], m.field)
		}
	}
	return nil
}
