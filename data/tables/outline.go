package tables

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Outline is what is known of tables before they are read.
type Outline struct {
	File    string // the table of edges
	Edges   int64  // its rows; of text that is longer than what was looked at an estimate
	Columns int    // its features
	// Bytes is about what the edges take while they are read; nodes, and texts that are
	// long, come on top.
	Bytes int64
}

// sampled is how many rows of text are looked at.
const sampled = 20_000

// Outline looks at the head of the tables at a path of the operating system. Of archives,
// streams and what cannot be read the outline is empty: Open says what is wrong.
func (o Options) Outline(name string) Outline {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() && (!info.Mode().IsRegular() || data.IsArchive(name)) {
		return Outline{}
	}
	dir := name
	if !info.IsDir() {
		dir = filepath.Dir(name)
		if o.Edges == "" {
			o.Edges = filepath.Base(name)
		}
	}
	f := &folder{fsys: os.DirFS(dir), dir: ".", budget: data.NewBudget(o.MaxMemory), sheet: o.Sheet}
	file, _ := f.find(o.Edges, "edges")
	out := Outline{File: file}
	r, err := f.open(file)
	if err != nil {
		return Outline{}
	}
	defer r.Close()
	h := newHeader(file, r.Columns())
	if o.edgeRoles(h) != nil {
		return Outline{}
	}
	for _, x := range h.roles {
		if x == feature {
			out.Columns++
		}
	}
	if out.Edges, err = countRows(r); err != nil {
		return Outline{}
	}
	out.Bytes = f.budget.Takes(out.Edges * edgeRow(out.Columns))
	return out
}

// countRows is how many rows a table has that was just opened.
func countRows(r tablefile.Reader) (int64, error) {
	if n, ok := r.Total(); ok {
		return n, nil
	}
	n := int64(0)
	for ; n < sampled; n++ {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
	}
	share := r.Share()
	if share <= 0 {
		return n, nil
	}
	return int64(float64(n) / share), nil
}

// Outline is Options.Outline of tables that are read as those of the training were.
func (e *Encoder) Outline(name string) Outline { return e.Reading().Outline(name) }
