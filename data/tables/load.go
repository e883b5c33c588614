package tables

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Memory of tables in bytes, including what is made from them before models see them.
const (
	columnBytes = 768 // a column without its rows
	valueBytes  = 16  // a value, as a number and as a feature, or as two codes
	edgeBytes   = 96
	nodeBytes   = 64
	textBytes   = 96 // a text of a vocabulary, without its letters
	mirrorBytes = 96 // an edge waiting for its mirror, without its key
)

// edgeRow is the memory of an edge row with its label, time, group, part and features.
func edgeRow(features int) int64 { return edgeBytes + int64(3+features)*valueBytes }

// folder is the location of tables with the budget for reading.
type folder struct {
	fsys   fs.FS
	dir    string
	budget *data.Budget
	sheet  string
	sets   []string // see tablefile.Options
	sums   []string
}

// endings are the extensions of tables, by precedence.
var endings = []string{".csv", ".csv.gz", ".parquet", ".tsv", ".tsv.gz", ".csv.zst", ".tsv.zst", ".arrow", ".feather", ".xlsx", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"}

// find returns the file of a table in the folder, or the folder of its parts: the named one, or
// base with one of the extensions.
func (f *folder) find(named, base string) (string, bool) {
	if named != "" {
		return named, true
	}
	for _, e := range endings {
		if _, err := fs.Stat(f.fsys, path.Join(f.dir, base+e)); err == nil {
			return base + e, true
		}
	}
	return "", false
}

// open starts reading a table.
func (f *folder) open(name string) (tablefile.Reader, error) {
	r, err := tablefile.Open(f.fsys, path.Join(f.dir, name), f.budget, tablefile.Options{Sheet: f.sheet, Sets: f.sets})
	if err != nil {
		return nil, err
	}
	if err := f.chargeColumns(r, name); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// chargeColumns charges the columns of a table.
func (f *folder) chargeColumns(r tablefile.Reader, name string) error {
	if err := f.budget.Charge(int64(len(r.Columns()))*columnBytes, "columns"); err != nil {
		return &data.ParseError{File: name, Msg: "cannot be read", Err: err}
	}
	return nil
}

// took records that a table was read. Nodes and edges of one graph file count as one file.
func (f *folder) took(sum, name string) {
	if line := sum + "  " + strings.TrimSuffix(name, ".gz"); !slices.Contains(f.sums, line) {
		f.sums = append(f.sums, line)
	}
}

// loader fills a set.
type loader struct {
	set      *Set
	folder   *folder
	ids      *vocabulary  // of nodes, by their key
	nodes    string       // files that list them, empty for none
	tables   []*openTable // of nodes
	listedIn [2]string    // file that lists the nodes of each end of edges, empty for none
	graphs   *vocabulary  // graphs of the ids; nil for one graph
	hidden   []string     // requested columns that no table has
	records  []*record    // of the tables that were read
	whole    wholeIDs

	graph     *graphfile.Graph // current graph file, nil for tables
	graphFile string           // its name

	wants    wants // of the options
	rowBytes int64 // memory of a row of the table
}

func (l *loader) load(open func() (nodes []*openTable, edges *openTable, err error)) error {
	o := l.set.Options
	if o.known == nil {
		l.hidden = slices.Concat(o.Categories, o.Features, o.Ignore)
	}
	l.wants = o.wants()
	l.whole.decided = o.WholeIDs
	nodes, edges, err := open()
	if err != nil {
		return err
	}
	if err := l.readTables(nodes, edges); err != nil {
		return err
	}
	file := edges.file
	if l.nodes == "" {
		l.set.Options.Nodes = NoFiles
	}
	if len(l.hidden) > 0 {
		in := file + ", and no table of nodes"
		if l.nodes != "" {
			in = l.nodes + " and " + file
		}
		return fmt.Errorf("there is no column %q in %s", l.hidden[0], in)
	}
	if e := o.known; e != nil && l.nodes == "" && len(e.Nodes) > 0 && !o.NodesElsewhere {
		return fmt.Errorf("there is no column %q in %s, and no table of nodes", e.Nodes[0].Name, file)
	}
	l.joinWholeIDs()
	l.noteAlike()
	if o.known == nil {
		l.noteParts()
		l.noteTimesOfDay()
	}
	if err := l.separateKinds(file); err != nil {
		return err
	}
	if l.graphs != nil {
		l.set.GraphIDs = l.graphs.texts
	}
	if o.known == nil {
		if err := l.set.CheckTimeFormat(o.TimeFormat); err != nil {
			return err
		}
		l.listTables()
	}
	l.set.padNodes()
	l.noteTelling()
	return l.direct(file)
}

// noEdges is the error of a folder without a table of edges.
func noEdges() error {
	return fmt.Errorf("%w: expected edges%s", data.ErrUnknownFormat, strings.Join(endings, ", edges"))
}

// readTables reads the tables, including those of nodes, if any, and closes them.
func (l *loader) readTables(nodes []*openTable, edges *openTable) error {
	err := l.set.Options.settleNodes(nodes, edges)
	if err == nil && len(nodes) == 1 && l.graph == nil {
		err = l.findID(nodes[0], edges)
	}
	if err == nil {
		err = l.settleLevel(nodes, edges)
	}
	l.listFiles(nodes)
	for err == nil && len(nodes) > 0 {
		err = l.readNodes(nodes[0])
		nodes = nodes[1:]
	}
	if err == nil && l.nodes != "" {
		err = l.nodesRead()
	}
	if err != nil {
		closeTables(append(nodes, edges))
		return err
	}
	return l.readEdges(edges)
}

// direct decides whether edges are directed.
func (l *loader) direct(file string) error {
	s := l.set
	form := s.Options.Form
	if form == data.Auto {
		form = s.form
	}
	s.Directed = true
	if form == data.Directed {
		return nil
	}
	if err := s.mergeMirrors(form == data.Undirected, l.folder.budget); err != nil {
		return &data.ParseError{File: file, Msg: "cannot be read", Err: err}
	}
	return nil
}

// builders returns builders for the columns of a table without a role.
func (l *loader) builders(h *header, fields []schema.Field) ([]*schema.Builder, error) {
	out := make([]*schema.Builder, len(h.names))
	l.hidden = slices.DeleteFunc(l.hidden, func(n string) bool { return h.find(n) >= 0 })
	if l.set.Options.known != nil {
		return out, l.knownBuilders(h, fields, out)
	}
	for c, r := range h.roles {
		switch r {
		case feature:
			out[c] = l.builder(h, c)
		case edgeID:
			out[c] = l.keyBuilder(h, c)
		}
	}
	return out, nil
}

// wants says for what purpose columns without a role are read.
type wants struct{ categories, features nameSet }

func (o Options) wants() wants { return wants{newNameSet(o.Categories), newNameSet(o.Features)} }

func (w wants) want(name string) schema.Want {
	switch {
	case w.categories.has(name):
		return schema.CategoryOnly
	case w.features.has(name), strings.EqualFold(name, weightName):
		return schema.Feature
	}
	return schema.AnyFeature
}

// weightName is the name of a weight column, which is a feature even if all values are different.
const weightName = "weight"

// builder returns the builder of a column without a role.
func (l *loader) builder(h *header, c int) *schema.Builder {
	l.rowBytes += valueBytes
	name := h.names[c]
	return schema.NewBuilder(name, c, l.set.Options.builder(l.wants.want(name), l.folder.budget))
}

// keyBuilder returns the builder of a column that identifies its rows.
func (l *loader) keyBuilder(h *header, c int) *schema.Builder {
	l.rowBytes += valueBytes
	return schema.NewBuilder(h.names[c], c, l.set.Options.builder(schema.KeyOnly, l.folder.budget))
}

// builder says how a column is read.
func (o Options) builder(want schema.Want, b *data.Budget) schema.BuilderOptions {
	return schema.BuilderOptions{Want: want, Missing: o.Missing, Decimal: o.Decimal, TimeFormat: o.TimeFormat, Budget: b}
}

// finish converts builders to columns, and records why some are left out. Columns that identify
// their rows are returned separately.
func (l *loader) finish(h *header, b []*schema.Builder) (columns, keys []*Column, err error) {
	record := l.records[len(l.records)-1]
	for c, x := range b {
		if x == nil {
			continue
		}
		column, why, err := x.Column()
		record.column[c], record.why[c] = column, why
		l.remark(h, c, x, column)
		switch {
		case err != nil:
			return nil, nil, h.wrong(x.WrongLine(), c, err)
		case column == nil:
			record.missing[c] = record.rows - x.Present()
		case column.Key:
			keys = append(keys, column)
		default:
			columns = append(columns, column)
		}
	}
	isComma := func(c *Column) bool { return c != nil && c.Notation != nil && c.Notation.Decimal == schema.Comma }
	if comma := slices.IndexFunc(record.column, isComma); comma >= 0 {
		for c, x := range b {
			if x != nil && record.column[c] != nil && record.column[c].Numeric() {
				l.noteColumn(h, c, x.ThousandsRemark(h.names[comma]))
			}
		}
	}
	return columns, keys, nil
}

// remark adds the remarks of a builder and its column, which is nil if it is left out.
func (l *loader) remark(h *header, c int, b *schema.Builder, column *Column) {
	remarks := []string{b.Remark()}
	if column != nil && l.set.Options.known == nil {
		remarks = append(remarks, column.Remark())
	}
	for _, r := range remarks {
		l.noteColumn(h, c, r)
	}
}

// noteColumn notes a remark on a column; an empty one is left out.
func (l *loader) noteColumn(h *header, c int, remark string) {
	if remark != "" {
		l.note("%s: column %q %s", h.file, h.names[c], remark)
	}
}

func (l *loader) note(format string, args ...any) {
	l.set.Notes = append(l.set.Notes, fmt.Sprintf(format, args...))
}
