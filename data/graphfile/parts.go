package graphfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// tripleFile matches the name of a file of triples, such as wordnet-mlj12-train.txt.
var tripleFile = regexp.MustCompile(`(?i)^(.*?)(\.txt|\.tsv|\.nt)?(\.gz)?$`)

// part is the file of a part. prefix is the text in its name before the name of the part.
type part struct{ name, file, prefix string }

// findParts lists the files of parts in a folder, with that of training first. It returns none if
// there is no training file or no other file.
func findParts(folder string) ([]part, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	byPart := map[string][]part{}
	for _, e := range entries {
		name, prefix := tablefile.SplitPart(tripleFile.FindStringSubmatch(e.Name())[1])
		if name != "" && !e.IsDir() {
			byPart[name] = append(byPart[name], part{name, e.Name(), prefix})
		}
	}
	var parts []part
	for _, name := range []string{"train", "valid", "test"} {
		found := byPart[name]
		if plain := slices.DeleteFunc(slices.Clone(found), func(p part) bool { return p.prefix != "" }); len(plain) > 0 {
			found = plain
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("several files of the part %s: %s and %s; leave one", name, found[0].file, found[1].file)
		}
		parts = append(parts, found...)
	}
	if len(byPart["train"]) == 0 || len(parts) < 2 {
		return nil, nil
	}
	return parts, nil
}

// partTable has the triples of the files of a folder, one file after another, with a column of
// parts.
type partTable struct {
	folder  string
	parts   []part
	form    *tripleForm
	budget  *data.Budget
	at      int        // position in parts
	current *lineTable // of parts[at]; after the last part, of the last part
	closed  bool       // current is closed
	row     schema.Row
	sums    []string
	notes   []string
}

func openParts(folder string, b *data.Budget) (*partTable, error) {
	parts, err := findParts(folder)
	if err == nil && parts == nil {
		err = errors.New("has no files train.txt and valid.txt or test.txt of triples")
	}
	if err != nil {
		return nil, &data.ParseError{File: filepath.Base(folder), Msg: "cannot be read as triples", Err: err}
	}
	form, err := formOf(filepath.Join(folder, parts[0].file))
	if err != nil {
		return nil, err
	}
	t := &partTable{folder: folder, parts: parts, form: form, budget: b}
	if err := t.open(); err != nil {
		return nil, err
	}
	return t, nil
}

// formOf returns the form of the triples in a file.
func formOf(path string) (*tripleForm, error) {
	l, err := openLines(path, data.NewBudget(0))
	if err != nil {
		return nil, err
	}
	defer l.file.Close()
	f, err := sampleForm(l)
	return &f, err
}

// open opens the file of the current part.
func (t *partTable) open() error {
	next, err := openTripleFile(filepath.Join(t.folder, t.parts[t.at].file), t.form, t.budget)
	if err != nil {
		return err
	}
	t.current, t.closed = next, false
	return nil
}

// Columns returns the names of the columns. The column of parts is last.
func (t *partTable) Columns() []string { return append(slices.Clone(t.form.columns()), partColumn) }

// Next returns the next row, and io.EOF after the last row of the last file.
func (t *partTable) Next() (schema.Row, error) {
	for t.at < len(t.parts) {
		row, err := t.current.Next()
		if err == nil {
			t.row = append(append(t.row[:0], row...), schema.TextCell(t.parts[t.at].name))
			return t.row, nil
		}
		if !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err := t.leave(); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// leave closes the current file and opens the next.
func (t *partTable) leave() error {
	t.notes = append(t.notes, t.current.Notes()...)
	sum, err := t.current.Close()
	t.closed = true
	if err != nil {
		return err
	}
	t.sums = append(t.sums, sum+"  "+strings.TrimSuffix(t.parts[t.at].file, ".gz"))
	if t.at++; t.at == len(t.parts) {
		return nil
	}
	return t.open()
}

// Line returns the line of the last row in the file of its part.
func (t *partTable) Line(column int) int { return t.current.Line(column) }

// Total is not known.
func (t *partTable) Total() (int64, bool) { return 0, false }

// Share estimates the share that has been read as if all files had the same size.
func (t *partTable) Share() float64 {
	if t.at == len(t.parts) {
		return 1
	}
	return (float64(t.at) + t.current.Share()) / float64(len(t.parts))
}

// Notes say what the reader left out.
func (t *partTable) Notes() []string { return t.notes }

// Close closes the current file. The checksum is that of all files, as in data.Info.Checksum.
func (t *partTable) Close() (string, error) {
	if !t.closed {
		_, err := t.current.Close()
		return "", err
	}
	if t.at < len(t.parts) { // a file could not be opened
		return "", nil
	}
	return data.Checksum(t.sums), nil
}
