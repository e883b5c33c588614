package tables

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Set is a graph as its tables have it. It is to be treated as read-only.
type Set struct {
	Name     string
	Checksum string   // as data.Info.Checksum
	Notes    []string // what the reader did that a user might not expect
	Options  Options  // with the columns that were taken by convention named

	// NodeIDs names the nodes; with a graph column as graph/id.
	NodeIDs []string
	// Ends are the nodes of edge e: Ends[2e] and Ends[2e+1].
	Ends     []int32
	Directed bool
	// NodeColumns and EdgeColumns are the features.
	NodeColumns, EdgeColumns []*Column
	// Label is what is predicted: numeric with Options.Number, else categorical;
	// nil when there is none.
	Label *Column
	Time  []float64 // of each edge, NaN where missing; nil without
	Group []int32   // of each edge, -1 where missing; nil without
}

// NumEdges is the number of edges.
func (s *Set) NumEdges() int { return len(s.Ends) / 2 }

// Recognise reports whether a path of the operating system is a folder or zip with
// a table of edges (edges.csv, edges.csv.gz, edges.parquet, edges.tsv, ...), or a
// file that ends as a table does, whatever it is called.
func Recognise(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return isTable(name) || hasEdgesZip(name)
	}
	_, ok := (&folder{fsys: os.DirFS(name), dir: "."}).find("", "edges")
	return ok
}

func isEdges(base string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.EqualFold(base, "edges"+e) })
}

func isTable(name string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

func hasEdgesZip(name string) bool {
	if !strings.EqualFold(filepath.Ext(name), ".zip") {
		return false
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return false
	}
	defer z.Close()
	_, ok := dirOf(&z.Reader)
	return ok
}

// dirOf is the folder of a zip with a table of edges, the shortest path first.
func dirOf(z *zip.Reader) (string, bool) {
	best, found := "", false
	for _, f := range z.File {
		if isEdges(path.Base(f.Name)) {
			if d := path.Dir(f.Name); !found || len(d) < len(best) {
				best, found = d, true
			}
		}
	}
	return best, found
}

// Open reads the tables at a path of the operating system: a folder, a zip or the
// table of edges, beside which that of the nodes may lie.
func Open(name string, o Options) (*Set, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	whole, err := filepath.Abs(name) // "." has a name as well
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	base := filepath.Base(whole)
	if info.IsDir() {
		return readNamed(os.DirFS(name), ".", base, o)
	}
	if strings.EqualFold(filepath.Ext(name), ".zip") {
		z, err := zip.OpenReader(name)
		if err != nil {
			return nil, fmt.Errorf("tables: %s: %w", base, err)
		}
		defer z.Close()
		dir, ok := dirOf(&z.Reader)
		if !ok && o.Edges == "" {
			return nil, fmt.Errorf("tables: %s: %w: no table of edges in it", base, data.ErrUnknownFormat)
		}
		return readNamed(z, dir, strings.TrimSuffix(base, filepath.Ext(base)), o)
	}
	if o.Edges == "" {
		o.Edges = base
	}
	s, err := readNamed(os.DirFS(filepath.Dir(whole)), ".", filepath.Base(filepath.Dir(whole)), o)
	if err == nil && !isEdges(base) {
		s.Name = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), filepath.Ext(strings.TrimSuffix(base, ".gz")))
	}
	return s, err
}

// Read reads the tables in the root of fsys.
func Read(fsys fs.FS, name string, o Options) (*Set, error) { return readNamed(fsys, ".", name, o) }

func readNamed(fsys fs.FS, dir, name string, o Options) (*Set, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	f := &folder{fsys: fsys, dir: dir, left: o.MaxBytes}
	if f.left == 0 {
		f.left = data.DefaultMaxBytes
	}
	s := &Set{Name: name, Options: o}
	l := &loader{set: s, folder: f, ids: newVocabulary()}
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("tables: %s: %w", name, err)
	}
	s.Checksum = f.checksum()
	return s, nil
}

// loader fills a set.
type loader struct {
	set    *Set
	folder *folder
	ids    *vocabulary // of nodes
	nodes  string      // the file that lists them, empty for none
	graphs bool        // ids count within graphs
	hidden []string    // columns asked for that no table has
}

func (l *loader) load() error {
	o := l.set.Options
	l.hidden = slices.Concat(o.Categories, o.Numbers, o.Ignore)
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
	l.set.NodeIDs = l.ids.texts
	l.set.Directed = true
	if o.Form != data.Directed {
		l.set.mergeMirrors(o.Form == data.Undirected)
	}
	return nil
}

// features are builders for the columns that have no role.
func (l *loader) features(h *header) []*builder {
	out := make([]*builder, len(h.names))
	for c, r := range h.roles {
		l.hidden = slices.DeleteFunc(l.hidden, func(n string) bool { return strings.EqualFold(n, h.names[c]) })
		if r == feature {
			out[c] = newBuilder(h.names[c], l.set.Options)
		}
	}
	return out
}

// has reports whether a list of columns has one.
func has(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// finish turns builders into columns and notes those that are left out.
func (l *loader) finish(h *header, b []*builder) ([]*Column, error) {
	var out []*Column
	for c, x := range b {
		if h.roles[c] == ignored && !has(l.set.Options.Ignore, h.names[c]) {
			l.note("%s: column %q numbers the edges and is left out", h.file, h.names[c])
		}
		if x == nil {
			continue
		}
		column, why, err := x.column()
		if err != nil {
			return nil, h.wrong(x.line, c, err)
		}
		if column == nil {
			l.note("%s: column %q %s and is left out", h.file, x.name, why)
			continue
		}
		out = append(out, column)
	}
	return out, nil
}

func (l *loader) note(format string, args ...any) {
	l.set.Notes = append(l.set.Notes, fmt.Sprintf(format, args...))
}

// table reads one table: each sees every row.
func (l *loader) table(file string, roles func(*header) error, begin func(*header) error, each func(r rows, h *header, row []string) error) (*header, error) {
	r, err := l.folder.open(file)
	if err != nil {
		return nil, err
	}
	h, err := l.readRows(r, file, roles, begin, each)
	sum, cerr := r.close()
	if err = cmpErr(err, cerr); err != nil {
		return nil, err
	}
	l.folder.took(sum, file)
	return h, nil
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func (l *loader) readRows(r rows, file string, roles func(*header) error, begin func(*header) error, each func(r rows, h *header, row []string) error) (*header, error) {
	h, err := newHeader(file, r.columns())
	if err != nil {
		return nil, err
	}
	if err := roles(h); err != nil {
		return nil, err
	}
	if err := begin(h); err != nil {
		return nil, err
	}
	for {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			return h, nil
		}
		if err != nil {
			return nil, err
		}
		if err := each(r, h, row); err != nil {
			return nil, err
		}
	}
}

// addFeatures gives a row to the builders.
func addFeatures(r rows, h *header, row []string, b []*builder) error {
	for c, x := range b {
		if x != nil {
			if err := x.add(row[c]); err != nil {
				return at(r, h, c, err)
			}
			if x.word != "" && x.line == 0 {
				x.line = r.line(c)
			}
		}
	}
	return nil
}

// id is the id of a node in a row, with its graph where there is one.
func (l *loader) id(r rows, h *header, row []string, column int) (string, error) {
	id := strings.TrimSpace(row[column])
	if id == "" {
		return "", at(r, h, column, errors.New("is empty, expected an id"))
	}
	if g := h.at[graphID]; g >= 0 {
		id = strings.TrimSpace(row[g]) + "/" + id
	}
	return id, nil
}

func (l *loader) readNodes(file string) error {
	var features []*builder
	begin := func(h *header) error {
		l.graphs = h.at[graphID] >= 0
		features = l.features(h)
		return nil
	}
	h, err := l.table(file, l.set.Options.nodeRoles, begin, func(r rows, h *header, row []string) error {
		id, err := l.id(r, h, row, h.at[nodeID])
		if err != nil {
			return err
		}
		if n := len(l.ids.texts); n == math.MaxInt32 {
			return at(r, h, h.at[nodeID], fmt.Errorf("names more than %d nodes", n))
		} else if int(l.ids.add(id)) != n {
			return at(r, h, h.at[nodeID], fmt.Errorf("is %s, which an earlier line is called", shown(id)))
		}
		return addFeatures(r, h, row, features)
	})
	if err != nil {
		return err
	}
	if l.set.NodeColumns, err = l.finish(h, features); err != nil {
		return err
	}
	l.set.Options.NodeID = h.name(nodeID)
	return nil
}

func (l *loader) readEdges(file string) error {
	s, o := l.set, l.set.Options
	var features []*builder
	var classes *builder
	var groups *vocabulary
	begin := func(h *header) error {
		if l.nodes != "" && l.graphs != (h.at[graphID] >= 0) {
			return h.errorf("a column for Graph is in one of %s and %s only", l.nodes, file)
		}
		features = l.features(h)
		if c := h.at[label]; c >= 0 {
			classes = &builder{name: h.names[c], number: o.Number, must: true}
			if !o.Number {
				classes.words = newVocabulary()
			}
		}
		if h.at[group] >= 0 {
			groups = newVocabulary()
		}
		return nil
	}
	h, err := l.table(file, o.edgeRoles, begin, func(r rows, h *header, row []string) error {
		for _, x := range []role{source, target} {
			v, err := l.node(r, h, row, h.at[x])
			if err != nil {
				return err
			}
			s.Ends = append(s.Ends, v)
		}
		if len(s.Ends)/2 == math.MaxInt32 {
			return at(r, h, h.at[source], errors.New("is of an edge too many, expected fewer than 2^31"))
		}
		if classes != nil {
			if err := classes.add(row[h.at[label]]); err != nil {
				return at(r, h, h.at[label], err)
			}
		}
		if c := h.at[moment]; c >= 0 {
			t, err := momentOf(row[c])
			if err != nil {
				return at(r, h, c, err)
			}
			s.Time = append(s.Time, t)
		}
		if groups != nil {
			code := int32(-1)
			if text := strings.TrimSpace(row[h.at[group]]); text != "" {
				code = groups.add(text)
			}
			s.Group = append(s.Group, code)
		}
		return addFeatures(r, h, row, features)
	})
	if err != nil {
		return err
	}
	if s.EdgeColumns, err = l.finish(h, features); err != nil {
		return err
	}
	d := &s.Options
	d.Source, d.Target, d.Label, d.Time, d.Group, d.Graph = h.name(source), h.name(target), h.name(label), h.name(moment), h.name(group), h.name(graphID)
	if classes != nil {
		var why string
		if s.Label, why, _ = classes.column(); s.Label == nil { // whose kind is given, so never mixed
			l.note("%s: column %q of labels %s", file, classes.name, why)
		}
	}
	return nil
}

// node is the node at an end of an edge.
func (l *loader) node(r rows, h *header, row []string, column int) (int32, error) {
	id, err := l.id(r, h, row, column)
	if err != nil {
		return 0, err
	}
	if l.nodes == "" {
		return l.ids.add(id), nil
	}
	v, ok := l.ids.code[id]
	if !ok {
		return 0, at(r, h, column, fmt.Errorf("is %s, which is no node of %s", shown(id), l.nodes))
	}
	return v, nil
}
