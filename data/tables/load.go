package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// loader fills a set.
type loader struct {
	set    *Set
	folder *folder
	ids    *vocabulary // of nodes, by their key
	nodes  string      // the file that lists them, empty for none
	graphs *vocabulary // within which ids count, nil for one graph
	hidden []string    // columns asked for that no table has

	categories, numbers, ignore nameSet // of the options
	rowBytes                    int64   // what a row of the table takes
}

func (l *loader) load() error {
	o := l.set.Options
	if l.hidden = slices.Concat(o.Categories, o.Numbers); !o.optional {
		l.hidden = append(l.hidden, o.Ignore...)
	}
	l.categories, l.numbers, l.ignore = newNameSet(o.Categories), newNameSet(o.Numbers), newNameSet(o.Ignore)
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
	if l.graphs != nil {
		l.set.GraphIDs = l.graphs.texts
	}
	l.set.Directed = true
	if o.Form != data.Directed {
		if err := l.set.mergeMirrors(o.Form == data.Undirected, l.folder.budget); err != nil {
			return &data.ParseError{File: file, Msg: "cannot be read", Err: err}
		}
	}
	return nil
}

// features are builders for the columns that have no role.
func (l *loader) features(h *header) []*builder {
	out := make([]*builder, len(h.names))
	l.hidden = slices.DeleteFunc(l.hidden, func(n string) bool { return h.find(n) >= 0 })
	for c, r := range h.roles {
		if r == feature {
			out[c] = newFeature(h.names[c], l.categories, l.numbers, l.folder.budget)
			l.rowBytes += valueBytes
		}
	}
	return out
}

// newFeature is for a feature, whose kind the options may fix.
func newFeature(name string, categories, numbers nameSet, budget *data.Budget) *builder {
	b := &builder{name: name, words: newVocabulary(budget), number: !categories.has(name)}
	if b.number && numbers.has(name) {
		b.words, b.must = nil, true
	}
	return b
}

// newLabel is for labels, which are numbers or classes.
func newLabel(name string, number bool, budget *data.Budget) *builder {
	b := &builder{name: name, number: number, must: true}
	if !number {
		b.words = newVocabulary(budget)
	}
	return b
}

// finish turns builders into columns and notes those that are left out.
func (l *loader) finish(h *header, b []*builder) ([]*Column, error) {
	var out []*Column
	for c, x := range b {
		if h.roles[c] == ignored && !l.ignore.has(h.names[c]) {
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
	for n := 0; ; n++ {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				return nil, &data.ParseError{File: file, Msg: "has a header and no rows"}
			}
			return h, nil
		}
		if err != nil {
			return nil, err
		}
		if err := l.folder.budget.Charge(l.rowBytes, "rows"); err != nil {
			return nil, &data.ParseError{File: file, Line: r.line(0), Msg: "cannot be read", Err: err}
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

// nodeName is a node as a row names it.
type nodeName struct{ graph, id, shown string }

var errNoID = errors.New("is empty, expected an id")

// name reads a node in a row.
func (l *loader) name(r rows, h *header, row []string, column int) (n nodeName, err error) {
	n.id = strings.TrimSpace(row[column])
	if n.id == "" {
		return n, at(r, h, column, errNoID)
	}
	n.shown = n.id
	if g := h.at[graphID]; g >= 0 {
		n.graph = strings.TrimSpace(row[g])
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

func (l *loader) readNodes(file string) error {
	var features []*builder
	begin := func(h *header) error {
		if h.at[graphID] >= 0 {
			l.graphs = newVocabulary(l.folder.budget)
		}
		l.rowBytes = 0 // but for what its node takes
		features = l.features(h)
		return nil
	}
	h, err := l.table(file, l.set.Options.nodeRoles, begin, func(r rows, h *header, row []string) error {
		name, err := l.name(r, h, row, h.at[nodeID])
		if err != nil {
			return err
		}
		if n := len(l.ids.texts); n == math.MaxInt32 {
			return at(r, h, h.at[nodeID], fmt.Errorf("names more than %d nodes", n))
		} else if v, err := l.add(name); err != nil {
			return at(r, h, h.at[nodeID], err)
		} else if int(v) != n {
			return at(r, h, h.at[nodeID], fmt.Errorf("is %s, which an earlier line is called", shown(name.shown)))
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
		if l.nodes != "" && (l.graphs != nil) != (h.at[graphID] >= 0) {
			return h.errorf("a column for Graph is in one of %s and %s only", l.nodes, file)
		}
		if h.at[graphID] >= 0 && l.graphs == nil {
			l.graphs = newVocabulary(l.folder.budget)
		}
		l.rowBytes = edgeRow(0)
		features = l.features(h)
		if c := h.at[label]; c >= 0 {
			classes = newLabel(h.names[c], o.Number, l.folder.budget)
		}
		if h.at[group] >= 0 {
			groups = newVocabulary(l.folder.budget)
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
			t, date, err := momentOf(row[c])
			if err != nil {
				return at(r, h, c, err)
			}
			s.Dates = (s.Dates || len(s.Time) == 0) && (date || t != t)
			s.Time = append(s.Time, t)
		}
		if groups != nil {
			code := int32(-1)
			if text := strings.TrimSpace(row[h.at[group]]); !missing(text) {
				g, err := groups.add(text)
				if err != nil {
					return at(r, h, h.at[group], err)
				}
				code = g
			}
			s.Group = append(s.Group, code)
		}
		if c := h.at[splitPart]; c >= 0 {
			p, err := partOf(row[c])
			if err != nil && !o.optional { // which is not to be split
				return at(r, h, c, err)
			}
			s.Part = append(s.Part, p)
		}
		return addFeatures(r, h, row, features)
	})
	if err != nil {
		return err
	}
	if groups != nil {
		s.GroupNames = groups.texts
	}
	if s.EdgeColumns, err = l.finish(h, features); err != nil {
		return err
	}
	s.Options.nameEdges(h)
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
		return 0, at(r, h, column, fmt.Errorf("is %s, which is no node of %s", shown(name.shown), l.nodes))
	}
	return v, nil
}
