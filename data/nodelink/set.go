package nodelink

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// labelNames are the names of attributes that are the label by convention.
var labelNames = []string{"label", "class", "y", "target", "targets"}

// assembler joins documents into a set.
type assembler struct {
	name   string
	o      Options
	budget *data.Budget

	out                  tables.Set
	documents            int
	graphs, nodes, edges columns
}

func newAssembler(name string, o Options, b *data.Budget) *assembler {
	a := &assembler{name: name, o: o, budget: b}
	for _, c := range []*columns{&a.graphs, &a.nodes, &a.edges} {
		*c = columns{o: &a.o, budget: b, at: map[string]*builder{}, missing: schema.MissingAmong(o.Missing)}
	}
	if e := o.known; e != nil {
		a.nodes.fields, a.edges.fields = e.Nodes, e.Edges
		for _, f := range e.Edges {
			if f.Date != "" {
				a.edges.setDate(f.Date, f.Name)
			}
		}
	}
	called := strings.TrimSuffix(name, ".gz")
	if i := strings.LastIndexByte(called, '.'); i > 0 {
		called = called[:i]
	}
	a.out = tables.Set{Name: called, Format: Format}
	return a
}

// add appends a document.
func (a *assembler) add(d *Document) error {
	at := spot{file: a.name, document: d.Number, line: d.Line}
	s := &a.out
	if a.documents == 0 {
		s.Directed = d.Directed
	} else if s.Directed != d.Directed {
		return at.wrap(fmt.Errorf("directed is %v, expected %v as in the documents before", d.Directed, s.Directed))
	}
	const most = 1<<31 - 1
	if len(s.NodeIDs)+len(d.Nodes) > most || s.NumEdges()+len(d.Edges) > most {
		return at.wrap(fmt.Errorf("is too large: the documents together have more than %d nodes or edges", most))
	}
	if err := a.graphs.add(d.Graph, at); err != nil {
		return err
	}
	first := int32(len(s.NodeIDs))
	shown := shownIDs(d.Nodes)
	for i := range d.Nodes {
		n := &d.Nodes[i]
		at.part, at.item, at.line = "node", i+1, n.Line
		if err := a.nodes.add(n.Attributes, at); err != nil {
			return err
		}
		if err := a.budget.Charge(setNodeBytes+2*int64(len(n.ID.Text)), "nodes"); err != nil {
			return at.wrap(err)
		}
		s.NodeIDs = append(s.NodeIDs, shown(n.ID))
		s.GraphOf = append(s.GraphOf, int32(a.documents))
	}
	if a.o.known == nil && s.NumEdges() == 0 {
		if a.edges.findDates(d.Edges); a.edges.clock != "" {
			a.note("the dates of attribute %q and the times of day of attribute %q are read as one time", a.edges.date, a.edges.clock)
		}
	}
	for i := range d.Edges {
		e := &d.Edges[i]
		at.part, at.item, at.line = "edge", i+1, e.Line
		if err := a.edges.add(e.Attributes, at); err != nil {
			return err
		}
		if err := a.budget.Charge(setEdgeBytes, "edges"); err != nil {
			return at.wrap(err)
		}
		s.Ends = append(s.Ends, first+e.Source, first+e.Target)
	}
	a.documents++
	return nil
}

// shownIDs returns a function that writes an id of a document: as text, with quotes if strings
// could be confused with other ids.
func shownIDs(nodes []Node) func(ID) string {
	strings := 0
	for i := range nodes {
		if nodes[i].ID.Kind == String {
			strings++
		}
	}
	quote := strings > 0 && strings < len(nodes)
	return func(id ID) string {
		if quote && id.Kind == String {
			return strconv.Quote(id.Text)
		}
		return id.Text
	}
}

// set completes the set after the last document.
func (a *assembler) set() (*tables.Set, error) {
	s := &a.out
	for _, c := range []*columns{&a.graphs, &a.nodes, &a.edges} {
		if err := c.finish(); err != nil {
			return nil, a.fail(err)
		}
	}
	if err := a.named(); err != nil {
		return nil, a.fail(err)
	}
	level, label, err := a.label()
	if err != nil {
		return nil, a.fail(err)
	}
	s.Level = level
	if err := a.setLabel(label); err != nil {
		return nil, a.fail(err)
	}
	if s.NodeColumns, err = a.features("nodes", &a.nodes, label); err != nil {
		return nil, err
	}
	if s.EdgeColumns, err = a.features("edges", &a.edges, label); err != nil {
		return nil, err
	}
	if err := s.CheckTimeFormat(a.o.TimeFormat); err != nil {
		return nil, a.fail(err)
	}
	a.nameGraphs(label)
	s.Options = tables.Options{NodeID: "id", Source: "source", Target: "target", Time: tables.None, Group: tables.None, Graph: tables.None,
		Categories: a.o.Categories, Features: a.o.Features, Missing: a.o.Missing, Ignore: a.o.Ignore, Number: a.o.Number, Form: a.o.Form, MaxMemory: a.o.MaxMemory}
	switch len(label) {
	case 0:
		s.Options.Label = tables.None
	case 1:
		s.Options.Label = label[0].name
	}
	if directed := a.o.Form == data.Directed; a.o.Form != data.Auto && directed != s.Directed {
		a.note("directed is %v in the documents, but they are read with directed %v", s.Directed, directed)
		s.Directed = directed
	}
	return s, nil
}

func (a *assembler) note(format string, args ...any) {
	a.out.Notes = append(a.out.Notes, fmt.Sprintf(format, args...))
}

// fail returns an error without a line.
func (a *assembler) fail(err error) error {
	if p := (*data.ParseError)(nil); errors.As(err, &p) {
		return err // it already has a line
	}
	return spot{file: a.name}.wrap(err)
}

// named checks that the attributes in the options exist.
func (a *assembler) named() error {
	for _, n := range slices.Concat(a.o.Categories, a.o.Features, a.o.Ignore) {
		if !a.has(n) && a.o.known == nil {
			return fmt.Errorf("there is no attribute %q", n)
		}
	}
	a.out.Notes = slices.Concat(a.out.Notes, a.nodes.notes, a.edges.notes)
	for _, f := range slices.Concat(a.nodes.fields, a.edges.fields) {
		if !a.has(f.Name) {
			a.note("attribute %q of the training data is missing in all documents", f.Name)
		}
	}
	return nil
}

// has reports whether an attribute exists, or an element of an attribute that is a list.
func (a *assembler) has(name string) bool {
	for _, c := range []*columns{&a.graphs, &a.nodes, &a.edges} {
		if _, ok := c.at[name]; ok {
			return true
		}
		if i := strings.LastIndexByte(name, '_'); i > 0 {
			if b := c.at[name[:i]]; b != nil && b.isList() {
				if k, err := strconv.Atoi(name[i+1:]); err == nil && k >= 0 && k < b.width {
					return true
				}
			}
		}
	}
	return false
}

// at returns the columns of a level.
func (a *assembler) at(l tables.Level) *columns {
	switch l {
	case tables.OfGraphs:
		return &a.graphs
	case tables.OfNodes:
		return &a.nodes
	}
	return &a.edges
}

// label finds the attributes to predict and their level.
func (a *assembler) label() (tables.Level, []*builder, error) {
	levels := []tables.Level{tables.OfGraphs, tables.OfEdges, tables.OfNodes}
	if a.o.Level != "" {
		levels = []tables.Level{a.o.Level}
	}
	without := levels[0] // the level if there is no label
	if len(levels) > 1 && a.documents == 1 {
		without = tables.OfEdges
	}
	names := a.o.Label
	if len(names) == 1 && names[0] == tables.None {
		return without, nil, nil
	}
	for _, l := range levels {
		c := a.at(l)
		if len(names) == 0 {
			for _, n := range labelNames {
				if b := c.at[n]; b != nil && b.any {
					return l, []*builder{b}, nil
				}
			}
			continue
		}
		var found []*builder
		missing := ""
		for _, n := range names {
			b := c.at[n]
			if b == nil {
				missing = n
				b = c.begin(n)
			}
			found = append(found, b)
		}
		switch {
		case missing == "", a.o.known != nil && slices.ContainsFunc(found, func(b *builder) bool { return b.any }):
		case slices.ContainsFunc(found, func(b *builder) bool { return c.at[b.name] != nil }):
			return "", nil, fmt.Errorf("%[2]ss have no attribute %[1]q, but %[3]q", missing, l, names[0])
		default:
			continue
		}
		if len(names) > 1 && l != tables.OfGraphs {
			return "", nil, &data.ParseError{File: a.name, Msg: fmt.Sprintf("expected one label of each %s", l), Err: tables.ErrSeveralLabels}
		}
		return l, found, nil
	}
	if len(names) > 0 && a.o.known == nil {
		return "", nil, fmt.Errorf("no attribute %q of %ss was found", names[0], strings.Join(texts(levels), "s, "))
	}
	return without, nil, nil
}

func texts(levels []tables.Level) (out []string) {
	for _, l := range levels {
		out = append(out, string(l))
	}
	return out
}

// setLabel makes the label's columns.
func (a *assembler) setLabel(label []*builder) error {
	s := &a.out
	var all []*tables.Column
	empty := 0
	for _, b := range label {
		c, why, err := b.columns()
		switch {
		case err != nil:
			return a.wrongValue(b, err)
		case !b.any && len(label) > 1:
			c = []*tables.Column{{Name: b.name, Value: lists.Repeat(math.NaN(), a.graphs.rows)}}
			empty++
		case c == nil:
			a.note("attribute %q of labels %s", b.name, why)
			return nil
		}
		if b.set || b.isList() && s.Level != tables.OfGraphs {
			return fmt.Errorf("attribute %q is a list, expected one label of each %s", b.name, s.Level)
		}
		if !b.isList() && b.any {
			if c[0], _, err = c[0].Again(a.labelOptions(b.name, len(label))); err != nil {
				return fmt.Errorf("attribute %q %w", b.name, err)
			}
		}
		all = append(all, c...)
	}
	switch {
	case len(all) == empty:
	case s.Level == tables.OfGraphs:
		s.Targets = all
	default:
		s.Label = all[0]
	}
	return nil
}

// labelOptions returns how a label is read. of is the number of labels.
func (a *assembler) labelOptions(name string, of int) schema.BuilderOptions {
	o := schema.BuilderOptions{Want: schema.AnyLabel, Missing: a.o.Missing, Budget: a.budget}
	switch {
	case of > 1:
		o.Want = schema.NumberOnly
	case a.o.known != nil:
		o.Field = a.o.known.LabelField(name)
	case a.o.Number:
		o.Want = schema.NumberOnly
	case a.o.Class:
		o.Want = schema.ClassOnly
	}
	return o
}

// wrongValue returns the error for a value that its builder refuses at the end.
func (a *assembler) wrongValue(b *builder, err error) error {
	return &data.ParseError{File: a.name, Line: b.scalar.WrongLine(), Msg: fmt.Sprintf("attribute %q %v", b.name, err)}
}

// features returns the columns of attributes that are not labels.
func (a *assembler) features(of string, c *columns, label []*builder) ([]*tables.Column, error) {
	var out []*tables.Column
	taken := map[string]bool{}
	for _, b := range c.list {
		if slices.Contains(label, b) {
			continue
		}
		if of == "edges" && b.name == "id" {
			a.note("attribute %q numbers the edges and is left out", b.name)
			continue
		}
		if a.o.known != nil && !b.known {
			continue
		}
		columns, why, err := b.columns()
		switch {
		case err != nil:
			return nil, a.wrongValue(b, err)
		case columns == nil:
			a.note("attribute %q of %s %s and is left out", b.name, of, why)
			continue
		}
		if b.nested {
			a.note("attribute %q of %s has nested values, which count as missing", b.name, of)
		}
		for _, x := range columns {
			if b.isList() {
				if x, _, err = x.Again(c.options(x.Name)); err != nil {
					return nil, a.wrongValue(b, err)
				}
			}
			if x != nil && b.name == c.clock {
				x.Date = c.date
			}
			switch {
			case x == nil: // no list has a number at this position
				continue
			case x.Key:
				a.note("attribute %q of %s %s; %s brings it in", x.Name, of, schema.KeyNote, schema.Flag("feature", x.Name))
				continue
			}
			if taken[x.Name] {
				return nil, a.fail(fmt.Errorf("%s have two columns %q: one of an attribute, one of a list", of, x.Name))
			}
			taken[x.Name] = true
			out = append(out, x)
		}
	}
	return out, nil
}

// nameGraphs sets the names of the graphs in a collection, also as part of the names of their
// nodes.
func (a *assembler) nameGraphs(label []*builder) {
	s := &a.out
	if a.documents == 1 && s.Level != tables.OfGraphs {
		s.GraphOf = nil
	} else {
		s.GraphIDs = a.graphNames()
		for v, g := range s.GraphOf {
			s.NodeIDs[v] = s.GraphIDs[g] + "/" + s.NodeIDs[v]
		}
	}
	var unused []string
	for _, b := range a.graphs.list {
		if b.name != "id" && b.name != "name" && !slices.Contains(label, b) {
			unused = append(unused, strconv.Quote(b.name))
		}
	}
	if unused != nil {
		a.note("attributes of graphs that are not used: %s", strings.Join(unused, ", "))
	}
}

// graphNames returns the ids of the graphs, or else their names, if all differ. Otherwise it
// returns their numbers from 0.
func (a *assembler) graphNames() []string {
	for _, n := range []string{"id", "name"} {
		b := a.graphs.at[n]
		if b == nil || b.isList() {
			continue
		}
		columns, _, err := b.columns()
		if err != nil || columns == nil {
			continue
		}
		c, _, err := columns[0].Again(schema.BuilderOptions{Want: schema.CategoryOnly, Budget: a.budget})
		if err != nil || c == nil || len(c.Text) != a.documents || slices.Contains(c.Code, -1) {
			continue
		}
		out := make([]string, a.documents)
		for i, k := range c.Code {
			out[i] = c.Text[k]
		}
		return out
	}
	out := make([]string, a.documents)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}
