package tables

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Columns of the tables of a graph file.
const (
	graphSource = "source"
	graphTarget = "target"
	graphNodeID = "id"
	graphLabel  = "label" // of GEXF: the displayed name of a node
)

// Formats are the values of Options.Format: tables, and the formats of graph files.
func Formats() []string { return append([]string{Format}, graphfile.Formats()...) }

// FormatOf is the format in which a path of the operating system is read for a run: the format of
// its content; tables, if it has the names of the ends; else the given format of the training.
func FormatOf(path, otherwise string) string {
	if _, format := graphPath(path, Options{}); format != "" {
		return format
	}
	if hasTables(path) || namesEnds(path) || hasEdges(path) || !slices.Contains(graphfile.Formats(), otherwise) {
		return Format
	}
	return otherwise
}

// namesEnds reports whether a file with a table name starts with the column names of ends that a run
// on a graph file uses.
func namesEnds(path string) bool {
	if !IsTable(path) {
		return false
	}
	r, err := OpenRows(path, data.NewBudget(0))
	if err != nil {
		return true // the reader of tables reports the error
	}
	defer r.Reader.Close()
	h := newHeader(path, r.Columns())
	return h.find(graphSource) >= 0 && h.find(graphTarget) >= 0
}

// openGraphFile opens a graph file. If triples do not show where their relation is, because there are
// few lines, they are read like those of the training. Pairs are read as triples whose relation is to
// be predicted.
func (o Options) openGraphFile(path, format string, b *data.Budget) (*graphfile.Graph, error) {
	g, err := graphfile.Open(path, format, b)
	if err == nil || format != graphfile.Triples || o.known == nil {
		return g, err
	}
	if g, e := graphfile.OpenTriples(path, o.Relation, b); e == nil {
		return g, nil
	}
	if g, e := graphfile.Open(path, graphfile.EdgeList, b); e == nil {
		return g, nil
	}
	return nil, err
}

// graphPath returns the graph file at a path, which may be a folder with a table of edges that is an
// edge list without a header, and its format; empty for a path with tables.
func graphPath(path string, o Options) (file, format string) {
	if o.Format == Format {
		return path, ""
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if edges, ok := (&folder{fsys: os.DirFS(path), dir: "."}).find(o.Edges, "edges"); ok {
			path = filepath.Join(path, filepath.FromSlash(edges))
		}
	}
	if o.Format == "" {
		o.Format, _ = graphfile.Recognise(path)
	}
	return path, o.Format
}

// refuse is the error for a path with a graph in a known format that is not supported, nil for
// others.
func refuse(path string) error {
	if hasTables(path) || IsTable(path) {
		return nil
	}
	return graphfile.Refuse(path)
}

// openGraph reads a graph file.
func openGraph(path, format string, o Options) (*Set, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	b := data.NewBudget(o.MaxMemory)
	g, err := o.openGraphFile(path, format, b)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	defer g.Close() // it is read to its end before, or there is another error
	dir, base := filepath.Dir(whole), filepath.Base(whole)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir = whole
	}
	s := &Set{Name: NameOf(base), Format: g.Format, Level: OfEdges, Notes: slices.Clone(g.Notes), form: g.Directed}
	if s.Options, err = o.ofGraph(g, base); err != nil {
		return nil, err
	}
	if isCalled("edges", base) {
		s.Name = filepath.Base(dir)
	}
	f := &folder{fsys: os.DirFS(dir), dir: ".", budget: b}
	l := &loader{folder: f, ids: newVocabulary(b), graph: g, graphFile: base}
	return l.read(s, l.openTables)
}

// ofGraph sets the options for the tables of a graph file, whose ends, label and parts are known.
func (o Options) ofGraph(g *graphfile.Graph, file string) (Options, error) {
	if o.known == nil {
		for _, x := range []struct{ flag, given, name string }{{"--source", o.Source, graphSource}, {"--target", o.Target, graphTarget}, {"--node-id", o.NodeID, graphNodeID}} {
			if x.given != "" && x.given != None && schema.FoldName(x.given) != schema.FoldName(x.name) && (x.name != graphNodeID || g.Nodes != nil) {
				return o, fmt.Errorf("tables: %s is %q, but %s is of format %s, whose columns of ids are %s and %s of edges and %s of nodes", x.flag, x.given, file, g.Format, graphSource, graphTarget, graphNodeID)
			}
		}
		o.Relation = g.Relation
		if o.Label == "" && o.Level != OfNodes {
			o.Label = g.Label
		}
		switch {
		case g.Part == "" || o.Part == g.Part:
		case o.Part == "":
			o.Part = g.Part
		default:
			o.Ignore = append(slices.Clone(o.Ignore), g.Part)
		}
	}
	if g.Nodes != nil {
		if len(o.Nodes) > 0 && !o.Nodes.None() {
			return o, fmt.Errorf("tables: --nodes is %q, but %s lists its nodes itself", o.Nodes[0], file)
		}
		o.NodeID = graphNodeID
	}
	o.Source, o.Target, o.Format = graphSource, graphTarget, g.Format
	return o, nil
}

// nodesFiles returns the files of the nodes: the graph file, if it lists them, else tables.
func (l *loader) nodesFiles() Files {
	switch o := l.set.Options; {
	case o.Nodes.None():
	case l.graph != nil && l.graph.Nodes != nil:
		return Files{l.graphFile}
	case len(o.Nodes) > 0:
		return o.Nodes
	default:
		if file, ok := l.folder.find("", "nodes"); ok {
			return Files{file}
		}
	}
	return nil
}

// edgesFile returns the file of the edges: the graph file, or a table.
func (l *loader) edgesFile() (string, bool) {
	if l.graph != nil {
		return l.graphFile, true
	}
	return l.folder.find(l.set.Options.Edges, "edges")
}

// open opens the table of nodes or of edges.
func (l *loader) open(file string, of Level) (tablefile.Reader, error) {
	switch {
	case l.graph == nil || of == OfNodes && l.graph.Nodes == nil:
		return l.folder.open(file)
	case of == OfNodes:
		return l.graph.Nodes, l.folder.chargeColumns(l.graph.Nodes, file)
	}
	return l.graph.Edges, l.folder.chargeColumns(l.graph.Edges, file)
}

// readerNotes returns the notes of a reader; those of graph files name their file.
func (l *loader) readerNotes(file string, r tablefile.Reader) {
	for _, n := range r.Notes() {
		if l.graph == nil || file != l.graphFile {
			n = file + ": " + n
		}
		l.set.Notes = append(l.set.Notes, n)
	}
}

// noRows is the error of a table without rows.
func (l *loader) noRows(file string, of Level) error {
	msg := "has a header and no rows"
	if l.graph != nil && file == l.graphFile {
		msg = fmt.Sprintf("has no %ss", of)
	}
	return &data.ParseError{File: file, Msg: msg}
}

// hideDisplayNames excludes the displayed names of nodes in GEXF from features and from labels by
// convention.
func (l *loader) hideDisplayNames(h *header) {
	o := l.set.Options
	if l.graph == nil || l.graph.Format != graphfile.GEXF || o.known != nil || newNameSet(o.Features).has(graphLabel) {
		return
	}
	if c := h.find(graphLabel); c >= 0 && h.roles[c] == feature {
		h.roles[c] = ignored
		l.note("%s: the label of a node is its name to display and no feature; --feature %s brings it in", h.file, graphLabel)
	}
}
