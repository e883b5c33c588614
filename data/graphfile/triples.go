package graphfile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// openTriples opens a file of triples, or a folder with one file per part.
func openTriples(path string, b *data.Budget) (*Graph, error) {
	g := &Graph{Format: Triples, Directed: data.Directed, Label: relationColumn}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		t, err := openParts(path, b)
		if err != nil {
			return nil, err
		}
		g.Edges, g.Part, g.Relation = t, partColumn, t.form.relation
		return g, nil
	}
	return withForm(g, path, b, sampleForm)
}

// OpenTriples opens a file of triples whose relation is in the given field, counted from 0. It does
// not look at the values: the few lines of a prediction input are not enough to distinguish
// relations from nodes.
func OpenTriples(path string, relation int, b *data.Budget) (*Graph, error) {
	g := &Graph{Format: Triples, Directed: data.Directed, Label: relationColumn}
	return withForm(g, path, b, func(l *lines) (tripleForm, error) {
		head, whole, err := l.sample()
		if err != nil {
			return tripleForm{}, err
		}
		f := tripleForm{relation: relation}
		if _, rows := sampleLines(head, whole); len(rows) > 0 {
			f.fields = strings.Count(rows[0], "\t") + 1
		}
		if f.fields != 3 && f.fields != 4 || relation != 1 && relation != 2 {
			return f, l.errorf(0, nil, "has %d values on its first line, expected head, relation and tail between tabs", f.fields)
		}
		return f, nil
	})
}

// withForm opens a file of triples. find returns their form.
func withForm(g *Graph, path string, b *data.Budget, find func(*lines) (tripleForm, error)) (*Graph, error) {
	return ofLines(path, b, func(l *lines) (*Graph, error) {
		form, err := find(l)
		if err != nil {
			return nil, err
		}
		g.Edges, g.Relation = newTriples(l, &form), form.relation
		return g, nil
	})
}

// openTripleFile opens a file of triples with the given form.
func openTripleFile(path string, form *tripleForm, b *data.Budget) (*lineTable, error) {
	l, err := openLines(path, b)
	if err != nil {
		return nil, err
	}
	return newTriples(l, form), nil
}

func newTriples(l *lines, form *tripleForm) *lineTable {
	t := &lineTable{lines: l, columns: form.columns(), row: make(schema.Row, len(form.columns()))}
	if form.nt {
		literals := 0
		t.isComment = isComment
		t.parse = func(line string, row schema.Row) (bool, error) { return parseNTriple(line, row, &literals) }
		t.end = func() error {
			if literals > 0 {
				t.notes = append(t.notes, fmt.Sprintf("%s: triples whose object is a literal and no node are left out: %d", l.name, literals))
			}
			return nil
		}
		return t
	}
	t.isComment = func(line string) bool { return isComment(line) && strings.Count(line, "\t") != form.fields-1 }
	t.parse = form.parser()
	return t
}

// sampleForm finds the form of the triples in the first lines of a file.
func sampleForm(l *lines) (tripleForm, error) {
	head, whole, err := l.sample()
	if err != nil {
		return tripleForm{}, err
	}
	comments, rows := sampleLines(head, whole)
	if err := refuseLines(l.name, comments, rows); err != nil {
		return tripleForm{}, err
	}
	f, ok := findTriples(rows, true)
	if !ok {
		return f, l.errorf(0, nil, "has no triples that can be told apart: expected lines of head, relation and tail between tabs, without a header and with fewer relations than heads and tails")
	}
	return f, nil
}

// tripleForm says where the values of a triple are in a line.
type tripleForm struct {
	nt       bool // N-Triples
	fields   int  // 3, or 4 with a time
	relation int  // the field of the relation, 1 or 2
}

func (f tripleForm) columns() []string {
	names := []string{sourceColumn, targetColumn, relationColumn}
	if f.fields == 4 {
		names = append(names, timeColumn)
	}
	return names
}

// parser returns a function that reads lines of values separated by tabs.
func (f tripleForm) parser() func(string, schema.Row) (bool, error) {
	var fields []string
	order := []int{0, 3 - f.relation, f.relation, 3}[:f.fields] // fields of source, target, relation and time
	names := []string{"head", "tail", "relation", "time"}
	return func(line string, row schema.Row) (bool, error) {
		fields = fields[:0]
		for field := range strings.SplitSeq(line, "\t") {
			fields = append(fields, field)
		}
		if len(fields) != f.fields {
			return false, fmt.Errorf("number of values between tabs is %d, expected %d as on the first lines", len(fields), f.fields)
		}
		for i, from := range order {
			if row[i] = schema.TextCell(fields[from]); row[i].Kind == schema.Missing {
				return false, fmt.Errorf("the %s is empty", names[i])
			}
		}
		return true, nil
	}
}

var errNTriple = errors.New("is no triple of N-Triples, expected <subject> <predicate> <object> and a point")

// parseNTriple reads a line of N-Triples. It counts lines whose object is a literal.
func parseNTriple(line string, row schema.Row, literals *int) (bool, error) {
	subject, rest, ok := term(line)
	if !ok {
		return false, errNTriple
	}
	predicate, rest, ok := term(rest)
	if !ok {
		return false, errNTriple
	}
	if strings.HasPrefix(rest, `"`) {
		if !strings.HasSuffix(rest, ".") {
			return false, errNTriple
		}
		*literals++
		return false, nil
	}
	object, rest, ok := term(rest)
	if !ok || rest == "" {
		return false, errNTriple
	}
	if rest[0] != '.' {
		return false, errors.New("has a value behind the triple, expected a full stop; the graphs of N-Quads are not read")
	}
	row[0], row[1], row[2] = schema.TextCell(subject), schema.TextCell(object), schema.TextCell(predicate)
	return true, nil
}

// term reads an IRI without its brackets, or a blank node, from the beginning of a line.
func term(line string) (text, rest string, ok bool) {
	if iri, found := strings.CutPrefix(line, "<"); found {
		text, rest, ok = strings.Cut(iri, ">")
	} else if strings.HasPrefix(line, "_:") {
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			return "", "", false
		}
		text, rest, ok = line[:end], line[end:], true
	}
	return text, strings.TrimLeft(rest, " \t"), ok && text != ""
}
