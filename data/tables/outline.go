package tables

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Outline is what is known about tables before they are read.
type Outline struct {
	File    string // table of edges
	Edges   int64  // its rows; an estimate if the text is longer than the examined part
	Columns int    // its features
	// Bytes is the approximate memory of the edges during reading; nodes and long texts are not
	// included.
	Bytes int64
}

// sampled is how many rows of text are examined.
const sampled = 20_000

// Outline examines the start of the tables at a path of the operating system. It is empty for
// archives, streams and unreadable data: Open reports errors.
func (o Options) Outline(name string) Outline {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() && (!info.Mode().IsRegular() || isArchive(name)) {
		return Outline{}
	}
	if file, format := graphPath(name, o); format != "" {
		return o.graphOutline(file, format)
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
	r, err := f.open(file)
	if err != nil {
		return Outline{}
	}
	defer r.Close()
	return o.outline(file, r, f.budget)
}

// graphOutline is the outline of a graph file; it is empty if the whole file would have to be read.
func (o Options) graphOutline(path, format string) Outline {
	if format == graphfile.GraphML || format == graphfile.GEXF {
		return Outline{}
	}
	b := data.NewBudget(o.MaxMemory)
	g, err := o.openGraphFile(path, format, b)
	if err != nil {
		return Outline{}
	}
	defer g.Close()
	file := filepath.Base(path)
	if o, err = o.ofGraph(g, file); err != nil {
		return Outline{}
	}
	return o.outline(file, g.Edges, b)
}

// outline is the outline of an open table of edges.
func (o Options) outline(file string, r tablefile.Reader, b *data.Budget) Outline {
	out := Outline{File: file}
	h := newHeader(file, r.Columns())
	if o.edgeRoles(h) != nil {
		return Outline{}
	}
	for _, x := range h.roles {
		if x == feature {
			out.Columns++
		}
	}
	var err error
	if out.Edges, err = countRows(r); err != nil {
		return Outline{}
	}
	out.Bytes = b.Takes(out.Edges * edgeRow(out.Columns))
	return out
}

// countRows is the number of rows of a table that was just opened.
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

// Outline is Options.Outline for tables that are read like those of the training.
func (e *Encoder) Outline(name string) Outline { return e.Reading().Outline(name) }
