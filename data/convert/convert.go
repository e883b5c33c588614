// Package convert writes data sets in other layouts: TU as a folder or zip, and tables of graphs,
// nodes and edges as CSV or Parquet.
//
// Files and folders are written next to their place and then renamed, so that they are complete or
// absent. Nothing that exists is overwritten. Packages data and planetoid read data sets.
package convert

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	_ "github.com/ehgnn/ehgnn/data/parquet" // written
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// The layouts to write.
const (
	TU      = "tu"
	CSV     = "csv"
	Parquet = "parquet"
)

// Result describes what was written.
type Result struct {
	Out    string   `json:"out"`
	Layout string   `json:"layout"`
	Files  []string `json:"files"` // relative to Out
	Notes  []string `json:"notes"` // what the layout cannot hold
}

// Write writes the set in the layout TU, CSV or Parquet to out, which must not exist. It writes a
// zip if out ends in .zip (TU only), else a folder.
func Write(d *data.Dataset, layout, out string) (*Result, error) {
	packed := strings.EqualFold(filepath.Ext(out), ".zip")
	switch {
	case layout != TU && layout != CSV && layout != Parquet:
		return nil, fmt.Errorf("convert: layout %q, expected %s, %s or %s", layout, TU, CSV, Parquet)
	case packed && layout != TU:
		return nil, fmt.Errorf("convert: %s: tables go into a folder, expected a name without .zip", out)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists, expected a new file or folder")
		}
		return nil, fmt.Errorf("convert: %s: %w", out, err)
	}
	r := &Result{Out: out, Layout: layout}
	var err error
	switch {
	case packed:
		err = r.zip(d)
	case layout == TU:
		err = r.folder(func(dir string) error { return r.tuFolder(d, dir) })
	default:
		err = r.folder(func(dir string) error { return r.tables(d, dir) })
	}
	if err != nil {
		return nil, fmt.Errorf("convert: %s: %w", out, err)
	}
	return r, nil
}

// zip writes the TU files into a folder with the set's name.
func (r *Result) zip(d *data.Dataset) error {
	return atomicfile.Write(r.Out, func(w io.Writer) error {
		z := zip.NewWriter(w)
		var err error
		r.Notes, err = d.WriteTU(func(name string) (io.Writer, error) {
			name = path.Join(d.Info.Name, name)
			r.Files = append(r.Files, name)
			return z.Create(name)
		})
		if err != nil {
			return err
		}
		return z.Close()
	})
}

// folder lets write fill a folder next to Out, and renames it.
func (r *Result) folder(write func(dir string) error) error {
	f, err := atomicfile.CreateFolder(r.Out)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f.Path); err != nil {
		return err
	}
	return f.Commit()
}

func (r *Result) tuFolder(d *data.Dataset, dir string) (err error) {
	var last *os.File
	end := func() error {
		if last == nil {
			return nil
		}
		defer func() { last = nil }()
		return last.Close()
	}
	defer func() {
		if e := end(); err == nil {
			err = e
		}
	}()
	r.Notes, err = d.WriteTU(func(name string) (io.Writer, error) {
		if err := end(); err != nil {
			return nil, err
		}
		r.Files = append(r.Files, name)
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		var err error
		last, err = os.Create(to)
		return last, err
	})
	return err
}

func (r *Result) tables(d *data.Dataset, dir string) error {
	for _, t := range []struct {
		name  string
		table *report.Table
	}{{"graphs", Graphs(d)}, {"nodes", Nodes(d)}, {"edges", Edges(d)}} {
		file := t.name + "." + r.Layout
		if err := report.WriteTable(filepath.Join(dir, file), t.table); err != nil {
			return err
		}
		r.Files = append(r.Files, file)
	}
	if !d.Info.Directed {
		r.Notes = append(r.Notes, "each edge is one row, for both directions")
	}
	if d.Info.HasFolds {
		r.Notes = append(r.Notes, "the ten folds are not written")
	}
	return nil
}

// Graphs returns a table with a row per graph: its number, its class as in the files, its targets,
// its SMILES and its part of the split, if the set has them.
func Graphs(d *data.Dataset) *report.Table {
	n := len(d.Graphs)
	ids := lists.Range[int](n)
	t := &report.Table{Columns: []report.Column{report.Ints("graph", ids)}}
	add := func(c report.Column) { t.Columns = append(t.Columns, c) }
	if d.Info.NumClasses > 0 {
		labels := make([]string, n)
		for i, g := range d.Graphs {
			if g.Label >= 0 {
				labels[i] = d.Info.ClassNames[g.Label]
			}
		}
		add(report.Strings("label", labels))
	}
	for c := range d.Info.NumTargets {
		values := make([]float32, n)
		for i, g := range d.Graphs {
			values[i] = g.Targets[c]
		}
		name := fmt.Sprintf("target_%d", c+1)
		if d.Info.TargetNames != nil {
			name = d.Info.TargetNames[c]
		}
		add(report.Floats(name, values))
	}
	if d.SMILES != nil {
		add(report.Strings("smiles", d.SMILES))
	}
	if d.Split != nil {
		add(report.Strings("split", partOf(d.Split, n)))
	}
	return t
}

// partOf returns the part of each of n items: "train", "valid", "test" or "".
func partOf(s *data.Split, n int) []string {
	out := make([]string, n)
	for name, ids := range map[string][]int{"train": s.Train, "valid": s.Valid, "test": s.Test} {
		for _, id := range ids {
			out[id] = name
		}
	}
	return out
}

// Nodes returns a table with a row per node: its graph, its number in the graph, its class and part
// of the split in a set with node classes, its labels and its attributes.
func Nodes(d *data.Dataset) *report.Table {
	var graphs, nodes []int
	for i, g := range d.Graphs {
		for v := range g.NumNodes {
			graphs, nodes = append(graphs, i), append(nodes, v)
		}
	}
	t := &report.Table{Columns: []report.Column{report.Ints("graph", graphs), report.Ints("node", nodes)}}
	if d.Info.NumNodeClasses > 0 {
		t.Columns = append(t.Columns, report.Ints("class", d.Graphs[0].NodeLabel))
	}
	if d.NodeSplit != nil {
		t.Columns = append(t.Columns, report.Strings("split", partOf(d.NodeSplit, len(nodes))))
	}
	features(t, d, func(g *graph.Graph) graph.Features { return g.Node },
		d.Info.HasNodeLabels && d.Info.NumNodeClasses == 0, d.Info.HasNodeAttributes, d.Info.NodeLabelOffset)
	return t
}

// Edges returns a table with a row per edge: its graph, its ends, its labels and its attributes. An
// undirected edge is one row.
func Edges(d *data.Dataset) *report.Table {
	var graphs []int
	var sources, targets []int32
	for i, g := range d.Graphs {
		for e := range g.NumEdges() {
			graphs, sources, targets = append(graphs, i), append(sources, g.Ends[2*e]), append(targets, g.Ends[2*e+1])
		}
	}
	t := &report.Table{Columns: []report.Column{report.Ints("graph", graphs), report.Ints("source", sources), report.Ints("target", targets)}}
	features(t, d, func(g *graph.Graph) graph.Features { return g.Edge }, d.Info.HasEdgeLabels, d.Info.HasEdgeAttributes, d.Info.EdgeLabelOffset)
	return t
}

// features adds a column per label column, "label" or "label_1", "label_2", with the labels as in
// the files, and one with the attributes as vectors. Features that a reader has added are left out.
func features(t *report.Table, d *data.Dataset, of func(*graph.Graph) graph.Features, labels, attributes bool, offset []int) {
	first := of(d.Graphs[0])
	if k := len(first.Codes); labels {
		for c := range k {
			add := 0
			if c < len(offset) {
				add = offset[c]
			}
			var values []int
			for _, g := range d.Graphs {
				code := of(g).Code
				for i := c; i < len(code); i += k {
					values = append(values, int(code[i])+add)
				}
			}
			name := "label"
			if k > 1 {
				name = fmt.Sprintf("label_%d", c+1)
			}
			t.Columns = append(t.Columns, report.Ints(name, values))
		}
	}
	if attributes {
		var values []float32
		for _, g := range d.Graphs {
			values = append(values, of(g).Dense...)
		}
		t.Columns = append(t.Columns, report.Vectors("attributes", values, first.Dim))
	}
}
