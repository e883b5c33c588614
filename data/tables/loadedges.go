package tables

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// edgeReader reads the table of edges.
type edgeReader struct {
	*loader
	file        string
	builders    []*schema.Builder // of features
	label, time *schema.Builder
	groups      *vocabulary
	group       *schema.FieldReader
}

func (l *loader) readEdges(edges *openTable) error {
	e := &edgeReader{loader: l, file: edges.file}
	h, err := l.table(tableReader{edges, l.set.Options.edgeRoles, e.begin, e.row})
	if err != nil {
		return err
	}
	return e.finish(h)
}

func (e *edgeReader) begin(h *header) (err error) {
	l, o := e.loader, e.set.Options
	if l.nodes != "" && (l.graphs != nil) != (h.at[graphID] >= 0) {
		return h.errorf("a column that --graph names is in one of %s and %s only", l.nodes, e.file)
	}
	if h.at[graphID] >= 0 && l.graphs == nil {
		l.graphs = newVocabulary(l.folder.budget)
	}
	l.rowBytes = edgeRow(0)
	if e.builders, err = l.builders(h, o.fields(OfEdges)); err != nil {
		return err
	}
	e.label, e.time = o.roleBuilders(h, l.folder.budget, false)
	if h.at[group] >= 0 {
		e.groups, e.group = newVocabulary(l.folder.budget), o.GroupReader()
	}
	return nil
}

// roleBuilders returns the builders of labels and times, nil if there are none. In a stream, whose
// rows are not kept, a label is a class unless it is declared a number.
func (o Options) roleBuilders(h *header, b *data.Budget, stream bool) (labels, times *schema.Builder) {
	if c := h.at[label]; c >= 0 {
		x := o.builder(schema.AnyLabel, b)
		switch {
		case o.known != nil:
			x.Field = o.known.LabelField(h.names[c])
		case o.Number:
			x.Want = schema.NumberOnly
		case o.Class || stream:
			x.Want = schema.ClassOnly
		}
		x.Stream = stream
		labels = schema.NewBuilder(h.names[c], c, x)
	}
	if c := h.at[moment]; c >= 0 {
		x := o.builder(schema.TimeOnly, b)
		if o.known != nil {
			x.Field = o.known.timeField(h.names[c])
		}
		x.Stream = stream
		times = schema.NewBuilder(h.names[c], c, x)
	}
	return labels, times
}

func (e *edgeReader) row(r tablefile.Reader, h *header, row schema.Row) error {
	s := e.set
	for end := range 2 {
		v, err := e.node(r, h, row, end)
		if err != nil {
			return err
		}
		s.Ends = append(s.Ends, v)
	}
	if len(s.Ends)/2 == math.MaxInt32 {
		return errorAt(r, h, h.at[source], errors.New("is of an edge too many, expected fewer than 2^31"))
	}
	if err := e.addLabel(r, h, row, label, e.label); err != nil {
		return err
	}
	if err := e.addLabel(r, h, row, moment, e.time); err != nil {
		return err
	}
	if e.groups != nil {
		code := int32(-1)
		if key := e.group.Key(row[h.at[group]]); key != "" {
			g, err := e.groups.add(key)
			if err != nil {
				return errorAt(r, h, h.at[group], err)
			}
			code = g
		}
		s.Group = append(s.Group, code)
	}
	if err := e.addPart(r, h, row); err != nil {
		return err
	}
	return addCells(r, h, row, e.builders)
}

// addLabel adds the label, or the time, of a row to its builder, nil for none.
func (l *loader) addLabel(r tablefile.Reader, h *header, row schema.Row, of role, b *schema.Builder) error {
	if b == nil {
		return nil
	}
	if err := b.Add(h.cell(row, of), r); err != nil {
		return wrongCell(r, h, b, h.at[of], err)
	}
	return nil
}

// addPart adds the part of a row, if there is a part column.
func (l *loader) addPart(r tablefile.Reader, h *header, row schema.Row) error {
	c := h.at[splitPart]
	if c < 0 {
		return nil
	}
	p, err := PartOf(row[c].String())
	if err != nil && l.set.Options.known == nil { // otherwise the data are not split
		return errorAt(r, h, c, err)
	}
	l.set.Part = append(l.set.Part, p)
	return nil
}

// GroupReader reads cells of groups by its method Key.
func (o Options) GroupReader() *schema.FieldReader {
	return schema.NewFieldReader(&Field{Kind: schema.KindCategory, Notation: &schema.Notation{Missing: o.Missing}})
}

// finish completes the set.
func (e *edgeReader) finish(h *header) (err error) {
	s, o := e.set, e.set.Options
	if e.groups != nil {
		s.GroupNames = e.groups.texts
	}
	if s.EdgeColumns, s.EdgeKeys, err = e.loader.finish(h, e.builders); err != nil {
		return err
	}
	s.Options.nameEdges(h)
	s.Options.Keys = namesOf(s.NodeKeys, s.EdgeKeys)
	if o.known == nil {
		if err := e.typeColumn(h); err != nil {
			return err
		}
	}
	if e.time != nil {
		c, _, err := e.time.Column()
		if err != nil {
			return h.wrong(e.time.WrongLine(), h.at[moment], err)
		}
		e.remark(h, h.at[moment], e.time, c)
		s.setTime(c)
	}
	if s.Level == OfEdges {
		s.Label, err = e.finishLabel(h, e.label)
	}
	return err
}

// setTime sets the column of times, nil if it has no values.
func (s *Set) setTime(c *Column) {
	if c == nil {
		s.Time = lists.Repeat(math.NaN(), s.NumEdges())
		return
	}
	s.Time, s.TimeNotation = c.Value, c.Notation
	s.Dates = c.Notation != nil && c.Notation.Time != "" && !schema.UnknownUnit(c.Notation.Time)
}

// typeColumn reads the column Type of Gephi: each edge is Directed or Undirected.
func (e *edgeReader) typeColumn(h *header) error {
	s := e.set
	at := slices.IndexFunc(s.EdgeColumns, func(c *Column) bool {
		return strings.EqualFold(c.Name, "type") && !c.Numeric() && len(c.Text) > 0 && !slices.ContainsFunc(c.Text, func(t string) bool {
			return !strings.EqualFold(t, "directed") && !strings.EqualFold(t, "undirected")
		})
	})
	if at < 0 {
		return nil
	}
	c := s.EdgeColumns[at]
	undirected := 0
	for _, k := range c.Code {
		if k >= 0 && strings.EqualFold(c.Text[k], "undirected") {
			undirected++
		}
	}
	switch {
	case undirected == 0:
		s.form = data.Directed
	case undirected == len(c.Code):
		s.form = data.Undirected
	case s.Options.Form == data.Auto:
		return h.errorf("column %q has %d directed and %d undirected edges: say how to read all of them with --edges directed or --edges undirected", c.Name, len(c.Code)-undirected, undirected)
	}
	s.EdgeColumns = slices.Delete(s.EdgeColumns, at, at+1)
	return nil
}

// namesOf returns the names of columns.
func namesOf(lists ...[]*Column) []string {
	var out []string
	for _, c := range slices.Concat(lists...) {
		if !slices.Contains(out, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// knownBuilders returns the builders of the columns that an encoder reads, of those that identify
// rows, and of those that only the training split compares.
func (l *loader) knownBuilders(h *header, fields []schema.Field, out []*schema.Builder) error {
	o := l.set.Options
	for k := range fields {
		f := &fields[k]
		c := h.find(f.Name)
		if c < 0 || h.roles[c] != feature && h.roles[c] != edgeID {
			return h.errorf("there is no column %q, which training had; found %s", f.Name, listed(h.names))
		}
		if h.names[c] != f.Name {
			l.note("%s: %s", h.file, schema.ReadAs(h.names[c], f.Name))
		}
		x := o.builder(schema.Feature, l.folder.budget)
		x.Field = f
		out[c] = schema.NewBuilder(h.names[c], c, x)
		l.rowBytes += valueBytes
	}
	keys, unused := newNameSet(o.Keys), newNameSet(o.known.Unused)
	var strange []string
	for c, n := range h.names {
		switch {
		case out[c] != nil || h.roles[c] != feature && h.roles[c] != edgeID:
		case keys.has(n):
			out[c] = l.keyBuilder(h, c)
		case h.roles[c] == edgeID:
		case unused.has(n):
			out[c] = l.builder(h, c)
		default:
			strange = append(strange, n)
		}
	}
	if len(strange) > 0 {
		l.note("%s: %s", h.file, NotRead(strange))
	}
	return nil
}

// fields returns the fields of the encoder that reads the data, nil for none.
func (o Options) fields(of Level) []schema.Field {
	switch {
	case o.known == nil:
		return nil
	case of == OfNodes:
		return o.known.Nodes
	}
	return o.known.Edges
}

// wholeIDs decides whether node ids are whole numbers.
type wholeIDs struct {
	decided  bool // they are, because they were in training
	other    bool // some id is not a whole number
	fraction bool // some id is written like 27.0
}

// normalise returns an id in the form that identifies nodes.
func (w *wholeIDs) normalise(id string) string {
	whole := schema.WholeOf(id)
	if w.decided {
		return whole
	}
	w.fraction = w.fraction || whole != id
	w.other = w.other || !schema.IsWhole(whole)
	return id
}

// settleNodeIDs decides from the tables of nodes how ids are compared.
func (l *loader) settleNodeIDs() error {
	w := &l.whole
	if w.decided || w.other || l.graphs != nil {
		w.other = true // the ids of edges are those of the nodes
		return nil
	}
	w.decided, l.set.Options.WholeIDs = true, true
	if !w.fraction {
		return nil
	}
	l.ids = newVocabulary(l.folder.budget)
	s, v := l.set, 0
	for _, t := range l.tables {
		for range t.rows {
			whole := schema.WholeOf(s.Options.Kinds.Cell(t.end, s.NodeIDs[v]))
			s.NodeIDs[v] = s.Options.Kinds.NodeID(t.end, whole)
			if k, err := l.ids.add(s.NodeIDs[v]); err != nil {
				return t.header.wrong(0, t.header.at[nodeID], err)
			} else if int(k) != v {
				return t.header.wrong(0, t.header.at[nodeID], fmt.Errorf("has %s in two ways of writing it", whole))
			}
			v++
		}
	}
	return nil
}

// joinWholeIDs joins the nodes 27 and 27.0 if all ids are whole numbers.
func (l *loader) joinWholeIDs() {
	w, s := &l.whole, l.set
	if w.decided || w.other || l.nodes != "" || l.graphs != nil {
		return
	}
	s.Options.WholeIDs = true
	if !w.fraction {
		return
	}
	place := make([]int32, len(s.NodeIDs))
	of := map[string]int32{}
	var ids []string
	for v, id := range s.NodeIDs {
		id = schema.WholeOf(id)
		k, ok := of[id]
		if !ok {
			k = int32(len(ids))
			of[id] = k
			ids = append(ids, id)
		}
		place[v] = k
	}
	for i, v := range s.Ends {
		s.Ends[i] = place[v]
	}
	if len(ids) < len(s.NodeIDs) {
		l.note("ids are whole numbers, some written with a fraction of zeros as 27.0: they are read as 27, which makes %d nodes of %d", len(ids), len(s.NodeIDs))
	}
	s.NodeIDs = ids
}
