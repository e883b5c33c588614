package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// recordSource reads JSON objects as the rows of a table: one in each line (JSON Lines), one after another, or in a
// list. Their members are the columns, in the order of their first occurrence; a member that an object lacks is a
// missing value.
type recordSource struct {
	file   *file
	text   *data.Text
	json   *data.JSON
	dec    *jsontext.Decoder
	listed bool // the objects are in a list
	read   int  // objects
	at     int  // line where the last one starts
	column map[string]int
	cells  schema.Row
	seen   []int // for each column: last object that had it
}

// isRecords is BeginsRecords for the first bytes of a file.
func isRecords(head []byte) bool {
	is, _ := BeginsRecords(head)
	return is
}

// BeginsRecords reports whether a text, given its first bytes, starts with an object of texts, numbers and booleans. An
// object that only has objects, or has lists of objects, does not count: graphs and other data have this form. cut says
// that the object continues after these bytes.
func BeginsRecords(head []byte) (is, cut bool) {
	text, err := data.NewBudget(0).NewText(bytes.NewReader(head))
	if err != nil {
		return false, false
	}
	is, err = readRecord(data.NewJSON(text).Decoder())
	cut = errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	return is && (err == nil || cut), cut
}

// readRecord reads the first object of a text, and reports whether it is a record so far.
func readRecord(dec *jsontext.Decoder) (is bool, err error) {
	t, err := dec.ReadToken()
	if err == nil && t.Kind() == '[' {
		t, err = dec.ReadToken()
	}
	if err != nil || t.Kind() != '{' {
		return false, err
	}
	for values, graph := false, 0; ; {
		t, err := dec.ReadToken()
		if err != nil || t.Kind() == '}' {
			return values, err
		}
		ofGraph := slices.Contains([]string{"nodes", "edges", "links", "elements"}, t.String())
		if t, err = dec.ReadToken(); err != nil {
			return values, err
		}
		if ofGraph {
			graph++
		}
		switch {
		case t.Kind() == '{' && !ofGraph: // reading reports it by name
			for depth := dec.StackDepth(); dec.StackDepth() >= depth; {
				if _, err := dec.ReadToken(); err != nil {
					return false, err
				}
			}
		case t.Kind() == '{', t.Kind() == '[' && ofGraph, graph > 1:
			return false, nil
		case t.Kind() == '[':
			for dec.PeekKind() != ']' {
				if t, err := dec.ReadToken(); err != nil || t.Kind() == '{' || t.Kind() == '[' {
					return false, err
				}
			}
			dec.ReadToken() // the end of the list, which was seen before
		default:
			values = true
		}
	}
}

// HasRecords reports whether a file of the operating system is a table of JSON records.
func HasRecords(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := data.NewBudget(0).NewText(f)
	if err != nil {
		return false
	}
	head, err := text.Head()
	return err == nil && isRecords(head)
}

// openRecords opens records, after reading their text once to collect the names of their members.
func openRecords(f *file, text *data.Text) (Reader, error) {
	if data.IsStream(f.File) {
		return nil, f.failed("is a pipe or a device with records of JSON, which are read twice: expected a file", nil)
	}
	names, err := recordNames(f)
	if err != nil {
		return nil, err
	}
	r := newRecordSource(f, text)
	for i, n := range names {
		r.column[n] = i
		names[i] = strings.TrimSpace(n)
	}
	r.cells, r.seen = make(schema.Row, len(names)), make([]int, len(names))
	return newTidy(f, r, header{names: names, line: 1})
}

func newRecordSource(f *file, text *data.Text) *recordSource {
	json := data.NewJSON(text)
	return &recordSource{file: f, text: text, json: json, dec: json.Decoder(), column: map[string]int{}}
}

// recordNames returns the names of the members of all records, in the order of their first occurrence.
func recordNames(f *file) (names []string, err error) {
	again, _, err := openFile(f.fsys, f.name, f.budget, f.options)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	text, err := f.budget.NewText(again)
	if err != nil {
		return nil, f.failed("cannot be unpacked", err)
	}
	r := newRecordSource(again, text)
	for {
		err := r.record(func(name string, t jsontext.Token) error {
			if k := t.Kind(); k == '{' || k == '[' {
				if _, err := r.cell(t); err != nil {
					return err
				}
			}
			if _, ok := r.column[name]; ok {
				return nil
			}
			r.column[name] = len(names)
			names = append(names, name)
			return f.budget.Charge(int64(len(name))+columnBytes, "columns")
		})
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// next returns the next record.
func (r *recordSource) next() (schema.Row, error) {
	clear(r.cells)
	err := r.record(func(name string, t jsontext.Token) (err error) {
		i, ok := r.column[name]
		if !ok {
			return errors.New("was not there when the file was read first")
		}
		if r.seen[i] == r.read {
			return errors.New("is there twice")
		}
		r.seen[i] = r.read
		r.cells[i], err = r.cell(t)
		return err
	})
	return r.cells, err
}

// cell is the cell of a value.
func (r *recordSource) cell(t jsontext.Token) (schema.Cell, error) {
	switch t.Kind() {
	case '{':
		return schema.Cell{}, errors.New("is an object, expected a text, a number, true, false, null or a list; leave it out, or write its parts as members of their own, as pandas.json_normalize does")
	case '[':
		return r.list()
	case '"':
		return schema.TextCell(trim(t.String())), nil
	case 't', 'f':
		return schema.BooleanCell(t.Bool()), nil
	case 'n':
		return schema.Cell{}, nil
	}
	if data.IsJSONInfinity(t) {
		return schema.Cell{}, errors.New("is infinite, expected a finite number, or null if it is missing")
	}
	return schema.ParseNumber(t.String())
}

// list is the cell of a list whose [ was read. Two other readers of lists have other tasks: package nodelink keeps the
// numbers of vectors and leaves nested lists out, and package serve reads requests without memory for tokens.
func (r *recordSource) list() (schema.Cell, error) {
	var items []string
	for {
		t, err := r.dec.ReadToken()
		if err != nil {
			return schema.Cell{}, r.broken(err)
		}
		c := schema.TextCell(t.String())
		switch t.Kind() {
		case ']':
			r.json.Record(r.dec.InputOffset())
			return schema.TextCell(schema.ListText(items)), nil
		case '"':
		case 'n':
			c = schema.Cell{}
		default:
			if c, err = schema.ParseNumber(c.Text); err != nil {
				return c, fmt.Errorf("is a list with %s, expected texts or numbers; leave it out, or write its parts as members of their own", jsonFound(t))
			}
		}
		items = append(items, schema.ListItem(c))
	}
}

// record reads an object; each receives a member. The error after the last one is io.EOF.
func (r *recordSource) record(each func(name string, t jsontext.Token) error) error {
	t, err := r.token()
	if err == nil && t.Kind() == '[' && r.read == 0 && !r.listed {
		r.listed = true
		t, err = r.token()
	}
	switch {
	case err == io.EOF && !r.listed:
		return io.EOF
	case err != nil:
		return r.broken(err)
	case t.Kind() == ']' && r.listed:
		if _, err := r.token(); err != io.EOF {
			return r.failed("there is more text behind the list of records", nil)
		}
		return io.EOF
	case t.Kind() != '{':
		return r.failed("expected a record {\"source\": ..., \"target\": ...}, found "+jsonFound(t), nil)
	}
	r.at, r.read = r.json.Line(r.dec.InputOffset()), r.read+1
	for {
		if t, err = r.token(); err != nil {
			return r.broken(err)
		}
		if t.Kind() == '}' {
			return nil
		}
		name := t.String()
		if t, err = r.token(); err != nil {
			return r.broken(err)
		}
		var place *data.ParseError
		switch err := each(name, t); {
		case err == nil:
		case errors.As(err, &place):
			return err
		case errors.Is(err, data.ErrTooLarge):
			return r.failed("cannot be read", err)
		default:
			return r.failed(fmt.Sprintf("member %q %v", name, err), nil)
		}
	}
}

func (r *recordSource) token() (jsontext.Token, error) {
	t, err := r.dec.ReadToken()
	r.json.Record(r.dec.InputOffset())
	return t, err
}

// broken is the error of a text that is not JSON.
func (r *recordSource) broken(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return r.failed("the text ends inside of a record", nil)
	case errors.As(err, &syntax):
		return r.failed("is not JSON", syntax.Err)
	}
	return r.failed("cannot be read", err)
}

func (r *recordSource) failed(msg string, err error) error {
	return &data.ParseError{File: r.file.name, Line: r.json.Line(r.dec.InputOffset()), Msg: msg, Err: err}
}

// jsonFound is a token in the words of an error.
func jsonFound(t jsontext.Token) string {
	switch t.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return schema.Shown(t.String())
	}
	return t.String()
}

func (r *recordSource) quoted() bool { return false }

func (r *recordSource) line(int) int { return r.at }

func (r *recordSource) widthHelp(schema.Row, int, int) string { return "" }

func (r *recordSource) total() (int64, bool) { return 0, false }

func (r *recordSource) share() float64 { return r.file.share(r.text, 0) }

func (r *recordSource) notes() []string { return nil }

func (r *recordSource) close() (string, error) { return r.text.Sum(), r.file.Close() }
