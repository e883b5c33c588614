package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// What tables take in memory, in bytes, with what is made of them before models see them.
const (
	columnBytes = 768 // a column without its rows
	valueBytes  = 16  // a value, as a number and as a feature, or as two codes
	edgeBytes   = 96
	nodeBytes   = 64
	textBytes   = 96 // a text of a vocabulary, beside its letters
	mirrorBytes = 96 // an edge that waits for its mirror, beside its key
)

// edgeRow is what a row of the edges takes with its label, time, group, part and features.
func edgeRow(features int) int64 { return edgeBytes + int64(3+features)*valueBytes }

// vocabulary numbers texts as they come.
type vocabulary struct {
	code   map[string]int32
	texts  []string
	budget *data.Budget
}

func newVocabulary(b *data.Budget) *vocabulary {
	return &vocabulary{code: map[string]int32{}, budget: b}
}

// add is the number of a text; a new one is charged.
func (v *vocabulary) add(text string) (int32, error) {
	c, ok := v.code[text]
	if !ok {
		if err := v.budget.Charge(int64(len(text))+textBytes, "different texts"); err != nil {
			return 0, err
		}
		text = strings.Clone(text) // a part of a row that will be overwritten
		c = int32(len(v.texts))
		v.code[text] = c
		v.texts = append(v.texts, text)
	}
	return c, nil
}

// folder is where the tables lie and what reading them may take.
type folder struct {
	fsys   fs.FS
	dir    string
	budget *data.Budget
	sheet  string
	sums   []string
}

// endings are those of known tables, by precedence.
var endings = []string{".csv", ".csv.gz", ".parquet", ".tsv", ".tsv.gz", ".csv.zst", ".tsv.zst", ".arrow", ".feather", ".xlsx"}

// find is the file of a table in the folder, or the folder of its parts: the named one, or base
// with one of the endings.
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
	r, err := tablefile.Open(f.fsys, path.Join(f.dir, name), f.budget, tablefile.Options{Sheet: f.sheet})
	if err != nil {
		return nil, err
	}
	if err := f.budget.Charge(int64(len(r.Columns()))*columnBytes, "columns"); err != nil {
		r.Close()
		return nil, &data.ParseError{File: name, Msg: "cannot be read", Err: err}
	}
	return r, nil
}

// took records that a table was read.
func (f *folder) took(sum, name string) {
	f.sums = append(f.sums, sum+"  "+strings.TrimSuffix(name, ".gz"))
}

// checksum is as data.Info.Checksum: over the lines "sum  file", sorted by file.
func (f *folder) checksum() string {
	slices.SortFunc(f.sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	h := sha256.New()
	for _, s := range f.sums {
		fmt.Fprintf(h, "%s\n", s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// loader fills a set.
type loader struct {
	set    *Set
	folder *folder
	ids    *vocabulary // of nodes, by their key
	nodes  string      // the file that lists them, empty for none
	graphs *vocabulary // within which ids count, nil for one graph
	hidden []string    // columns asked for that no table has
	whole  wholeIDs

	wants    wants // of the options
	rowBytes int64 // what a row of the table takes
}

func (l *loader) load() error {
	o := l.set.Options
	if o.known == nil {
		l.hidden = slices.Concat(o.Categories, o.Features, o.Ignore)
	}
	l.wants = o.wants()
	l.whole.decided = o.WholeIDs
	if o.Nodes != None {
		if file, ok := l.folder.find(o.Nodes, "nodes"); ok {
			l.nodes = file
			if err := l.readNodes(file); err != nil {
				return err
			}
		}
	}
	if l.nodes == "" {
		l.set.Options.Nodes = None
	}
	file, ok := l.folder.find(o.Edges, "edges")
	if !ok {
		return fmt.Errorf("%w: expected edges%s", data.ErrUnknownFormat, strings.Join(endings, ", edges"))
	}
	if err := l.readEdges(file); err != nil {
		return err
	}
	if len(l.hidden) > 0 {
		in := file + ", and no table of nodes"
		if l.nodes != "" {
			in = l.nodes + " and " + file
		}
		return fmt.Errorf("there is no column %q in %s", l.hidden[0], in)
	}
	if e := o.known; e != nil && l.nodes == "" && len(e.Nodes) > 0 {
		return fmt.Errorf("there is no column %q in %s, and no table of nodes", e.Nodes[0].Name, file)
	}
	l.joinWholeIDs()
	if l.graphs != nil {
		l.set.GraphIDs = l.graphs.texts
	}
	return l.direct(file)
}

// direct decides whether edges have a direction.
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

// builders begin the columns of a table that have no role.
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

// wants says for what columns that have no role are read.
type wants struct{ categories, features nameSet }

func (o Options) wants() wants { return wants{newNameSet(o.Categories), newNameSet(o.Features)} }

func (w wants) of(name string) schema.Want {
	switch {
	case w.categories.has(name):
		return schema.CategoryOnly
	case w.features.has(name):
		return schema.Feature
	}
	return schema.AnyFeature
}

// builder begins a column that has no role.
func (l *loader) builder(h *header, c int) *schema.Builder {
	l.rowBytes += valueBytes
	name := h.names[c]
	return schema.NewBuilder(name, c, l.set.Options.builder(l.wants.of(name), l.folder.budget))
}

// keyBuilder begins a column that identifies its rows.
func (l *loader) keyBuilder(h *header, c int) *schema.Builder {
	l.rowBytes += valueBytes
	return schema.NewBuilder(h.names[c], c, l.set.Options.builder(schema.KeyOnly, l.folder.budget))
}

// builder is how a column is read.
func (o Options) builder(want schema.Want, b *data.Budget) schema.BuilderOptions {
	return schema.BuilderOptions{Want: want, Missing: o.Missing, Decimal: o.Decimal, TimeFormat: o.TimeFormat, Budget: b}
}

// finish turns builders into columns, and notes those that are left out. Columns that identify
// their rows are apart.
func (l *loader) finish(h *header, b []*schema.Builder) (columns, keys []*Column, err error) {
	for c, x := range b {
		if x == nil {
			continue
		}
		column, why, err := x.Column()
		switch {
		case err != nil:
			return nil, nil, h.wrong(x.WrongLine(), c, err)
		case column == nil:
			l.note("%s: column %q %s and is left out", h.file, h.names[c], why)
		case column.Key:
			keys = append(keys, column)
			switch known := l.set.Options.known != nil; {
			case h.roles[c] == edgeID && !known:
				l.note("%s: column %q numbers the edges and is no feature", h.file, h.names[c])
			case !known:
				l.note("%s: column %q %s", h.file, h.names[c], schema.KeyNote)
			}
		default:
			columns = append(columns, column)
		}
	}
	return columns, keys, nil
}

func (l *loader) note(format string, args ...any) {
	l.set.Notes = append(l.set.Notes, fmt.Sprintf(format, args...))
}

// tableReader reads one table: begin sees its columns once they have roles, and each every row.
type tableReader struct {
	file  string
	roles func(*header) error
	begin func(*header) error
	each  func(r tablefile.Reader, h *header, row schema.Row) error
}

func (l *loader) table(t tableReader) (*header, error) {
	r, err := l.folder.open(t.file)
	if err != nil {
		return nil, err
	}
	h, err := l.readRows(r, t)
	sum, closing := r.Close()
	if err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	for _, n := range r.Notes() {
		l.note("%s: %s", t.file, n)
	}
	l.folder.took(sum, t.file)
	return h, nil
}

func (l *loader) readRows(r tablefile.Reader, t tableReader) (*header, error) {
	h := newHeader(t.file, r.Columns())
	if err := t.roles(h); err != nil {
		return nil, err
	}
	if err := t.begin(h); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				return nil, &data.ParseError{File: t.file, Msg: "has a header and no rows"}
			}
			return h, nil
		}
		if err != nil {
			return nil, err
		}
		if err := l.folder.budget.Charge(l.rowBytes, "rows"); err != nil {
			return nil, &data.ParseError{File: t.file, Line: r.Line(0), Msg: "cannot be read", Err: err}
		}
		if err := t.each(r, h, row); err != nil {
			return nil, err
		}
	}
}

// addCells gives a row to the builders.
func addCells(r tablefile.Reader, h *header, row schema.Row, b []*schema.Builder) error {
	for c, x := range b {
		if x != nil {
			if err := x.Add(row[c], r); err != nil {
				return wrongCell(r, h, x, c, err)
			}
		}
	}
	return nil
}

// wrongCell is at for a cell that a builder refuses, which may be one of the rows before.
func wrongCell(r tablefile.Reader, h *header, b *schema.Builder, column int, err error) error {
	if line := b.WrongLine(); line > 0 {
		return h.wrong(line, column, err)
	}
	return at(r, h, column, err)
}

// at adds file, line and column of a value to an error.
func at(r tablefile.Reader, h *header, column int, err error) error {
	if err == nil {
		return nil
	}
	return h.wrong(r.Line(column), column, err)
}

// wrong is an error of a value in a line.
func (h *header) wrong(line, column int, err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return &data.ParseError{File: h.file, Line: line, Msg: "cannot be read", Err: err}
	}
	return &data.ParseError{File: h.file, Line: line, Msg: fmt.Sprintf("column %q %v", h.names[column], err)}
}

// nodeName is a node as a row names it.
type nodeName struct{ graph, id, shown string }

var errNoID = errors.New("is empty, expected an id")

// idOf is the id in a cell.
func (l *loader) idOf(c schema.Cell) (string, error) {
	id := strings.TrimSpace(c.String())
	if id == "" {
		return "", errNoID
	}
	return l.whole.take(id), nil
}

// name reads a node in a row.
func (l *loader) name(r tablefile.Reader, h *header, row schema.Row, column int) (n nodeName, err error) {
	if n.id, err = l.idOf(row[column]); err != nil {
		return n, at(r, h, column, err)
	}
	n.shown = n.id
	if g := h.at[graphID]; g >= 0 {
		n.graph = schema.WholeOf(strings.TrimSpace(row[g].String()))
		n.shown = n.graph + "/" + n.id
	}
	return n, nil
}

// key tells nodes apart: graph "a", id "b/c" and graph "a/b", id "c" are shown alike.
func (l *loader) key(n nodeName) string {
	if l.graphs == nil {
		return n.id
	}
	return strconv.Itoa(len(n.graph)) + "/" + n.shown
}

// add returns the number of a node, which may be new.
func (l *loader) add(n nodeName) (int32, error) {
	key := l.key(n)
	v, err := l.ids.add(key)
	if err != nil {
		return 0, err
	}
	if s := l.set; int(v) == len(s.NodeIDs) {
		if err := l.folder.budget.Charge(nodeBytes, "nodes"); err != nil {
			return 0, err
		}
		key = l.ids.texts[v] // a copy, which the row will not overwrite
		s.NodeIDs = append(s.NodeIDs, key[len(key)-len(n.shown):])
		if l.graphs != nil {
			g, err := l.graphs.add(n.graph)
			if err != nil {
				return 0, err
			}
			s.GraphOf = append(s.GraphOf, g)
		}
	}
	return v, nil
}

// readNodes reads the table of nodes.
func (l *loader) readNodes(file string) error {
	var builders []*schema.Builder
	h, err := l.table(tableReader{file, l.set.Options.nodeRoles, func(h *header) (err error) {
		if h.at[graphID] >= 0 {
			l.graphs = newVocabulary(l.folder.budget)
		}
		l.rowBytes = 0 // but for what its node takes
		builders, err = l.builders(h, l.set.Options.fields(OfNodes))
		return err
	}, func(r tablefile.Reader, h *header, row schema.Row) error {
		name, err := l.name(r, h, row, h.at[nodeID])
		if err != nil {
			return err
		}
		if n := len(l.ids.texts); n == math.MaxInt32 {
			return at(r, h, h.at[nodeID], fmt.Errorf("names more than %d nodes", n))
		} else if v, err := l.add(name); err != nil {
			return at(r, h, h.at[nodeID], err)
		} else if int(v) != n {
			return at(r, h, h.at[nodeID], fmt.Errorf("is %q, which an earlier line is called", name.shown))
		}
		return addCells(r, h, row, builders)
	}})
	if err != nil {
		return err
	}
	if l.set.NodeColumns, l.set.NodeKeys, err = l.finish(h, builders); err != nil {
		return err
	}
	l.set.Options.NodeID = h.name(nodeID)
	return l.settleNodeIDs(h)
}

// node is the node at an end of an edge.
func (l *loader) node(r tablefile.Reader, h *header, row schema.Row, column int) (int32, error) {
	name, err := l.name(r, h, row, column)
	if err != nil {
		return 0, err
	}
	if l.nodes == "" {
		v, err := l.add(name)
		return v, at(r, h, column, err)
	}
	v, ok := l.ids.code[l.key(name)]
	if !ok {
		return 0, at(r, h, column, fmt.Errorf("is %q, which is no node of %s", name.shown, l.nodes))
	}
	return v, nil
}
