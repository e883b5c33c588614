package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Encoder turns the columns of a set into features and labels, as fitted on the
// training part. It is plain data: kept as JSON with a model, it encodes new data as
// those of the training were.
type Encoder struct {
	// Options read new data with the roles and kinds of columns of the training.
	Options Options `json:"options"`
	// Level is what is labelled; empty for OfEdges.
	Level Level   `json:"level,omitempty"`
	Nodes []Field `json:"nodes"`
	Edges []Field `json:"edges"`
	// Structure are the structure columns of edges, by their names in package structure; see
	// Set.FitStructure.
	Structure []Field `json:"structure,omitempty"`
	// Past says that structure columns of an edge that is not known count known edges alone, where there are
	// some: after a split by time other edges may be later.
	Past bool `json:"past,omitempty"`
	// Times are the columns of time of edges, nil for none; see Set.FitTimes.
	Times *Times `json:"times,omitempty"`
	// Unused are columns of edges that only the split of the training compares, as no training row
	// has a value in them.
	Unused []string `json:"unused,omitempty"`
	// LabelNotation and TimeNotation are how labels and times of edges are written; nil if the
	// training had none.
	LabelNotation *schema.Notation `json:"label_notation,omitempty"`
	TimeNotation  *schema.Notation `json:"time_notation,omitempty"`
	// Classes are those of the training labels: in rising order where all are
	// numbers, else of their text. Nil when the label is a number.
	Classes []string `json:"classes,omitempty"`
	// Mean and Scale are those of a label that is a number, over the training part;
	// Scale is 1 where all are equal. Labels stay as they are: this is for models.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	// Units are those of the numeric targets of graphs, as Mean and Scale of a label.
	Units []Unit `json:"units,omitempty"`
}

// Unit is the mean and the standard deviation, or 1 where that is 0, of a target.
type Unit struct {
	Name  string  `json:"name"`
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"`
}

// Field is a column as it was in training (package schema).
type Field = schema.Field

// Column is a column of features or labels as read (package schema).
type Column = schema.Column

// Fit measures the training edges of a set and the nodes at their ends, and
// nothing else.
func (s *Set) Fit(train []int) (*Encoder, error) {
	edges, err := s.trainRows(OfEdges, train, s.NumEdges())
	if err != nil {
		return nil, err
	}
	seen := make([]bool, len(s.NodeIDs))
	for _, e := range edges {
		seen[s.Ends[2*e]], seen[s.Ends[2*e+1]] = true, true
	}
	return s.fit(edges, where(seen), edges)
}

// FitNodes measures the training nodes of a set labelled by node and the edges that
// end in one of them, and nothing else.
func (s *Set) FitNodes(train []int) (*Encoder, error) {
	nodes, err := s.trainRows(OfNodes, train, len(s.NodeIDs))
	if err != nil {
		return nil, err
	}
	inTrain := make([]bool, len(s.NodeIDs))
	for _, v := range nodes {
		inTrain[v] = true
	}
	touch := make([]bool, s.NumEdges())
	for e := range touch {
		touch[e] = inTrain[s.Ends[2*e]] || inTrain[s.Ends[2*e+1]]
	}
	return s.fit(nodes, nodes, where(touch))
}

// FitGraphs measures the nodes and edges of the training graphs of a set labelled by
// graph, and nothing else.
func (s *Set) FitGraphs(train []int) (*Encoder, error) {
	graphs, err := s.trainRows(OfGraphs, train, s.NumGraphs())
	if err != nil {
		return nil, err
	}
	inTrain := make([]bool, s.NumGraphs())
	for _, g := range graphs {
		inTrain[g] = true
	}
	nodes, edges := make([]bool, len(s.NodeIDs)), make([]bool, s.NumEdges())
	for v := range nodes {
		nodes[v] = inTrain[s.graphOf(int32(v))]
	}
	for e := range edges {
		edges[e] = nodes[s.Ends[2*e]]
	}
	return s.fit(graphs, where(nodes), where(edges))
}

// trainRows checks the rows of a level that train, and sorts them, so that sums do
// not depend on the order of the list.
func (s *Set) trainRows(level Level, train []int, n int) ([]int32, error) {
	if level != s.Level {
		return nil, fmt.Errorf("tables: %s: the labels are of each %s, so no encoder is fitted by %s", s.Name, s.Level, level)
	}
	if len(train) == 0 {
		return nil, fmt.Errorf("tables: %s: no %ss to train on", s.Name, level)
	}
	rows := make([]int32, len(train))
	for i, r := range train {
		if r < 0 || r >= n {
			return nil, fmt.Errorf("tables: %s: training %s %d, expected 0 to %d", s.Name, level, r, n-1)
		}
		rows[i] = int32(r)
	}
	slices.Sort(rows)
	return rows, nil
}

// where lists the places that are true.
func where(is []bool) []int32 {
	return lists.Where[int32](is, func(_ int, ok bool) bool { return ok })
}

// newEncoder is an encoder of fields for data that options read.
func newEncoder(options Options, directed bool, nodes, edges []Field) *Encoder {
	e := &Encoder{Options: options, Nodes: nodes, Edges: edges}
	o := &e.Options
	o.Ignore, o.Features, o.Categories, o.Decimal, o.TimeFormat = nil, nil, nil, "", ""
	o.Nodes, o.Edges, o.Format, o.Level = nil, "", "", "" // names of files are of the data
	if options.Nodes.None() {
		o.Nodes = NoFiles
	}
	o.Form = data.Undirected
	if directed {
		o.Form = data.Directed
	}
	return e
}

// fit measures the labels of some rows, some nodes and some edges.
func (s *Set) fit(labelled, nodes, edges []int32) (*Encoder, error) {
	e := newEncoder(s.Options, s.Directed, fields(s.NodeColumns, nodes), fields(s.EdgeColumns, edges))
	e.Options.Number = s.Label != nil && s.Label.Numeric() || s.Options.Number
	e.Options.Class = false
	e.TimeNotation = s.TimeNotation
	for _, c := range s.EdgeColumns {
		if !slices.ContainsFunc(e.Edges, func(f Field) bool { return f.Name == c.Name }) {
			e.Unused = append(e.Unused, c.Name)
		}
	}
	if s.Level != OfEdges {
		e.Level = s.Level
	}
	for _, c := range s.Targets {
		if !c.Numeric() {
			e.Classes = classes(c.Text, c.Counts(labelled))
			continue
		}
		u := Unit{Name: c.Name}
		u.Mean, u.Scale, _ = schema.MeanScale(c.Value, labelled)
		e.Units = append(e.Units, u)
	}
	if s.Label != nil {
		e.LabelNotation = s.Label.Notation
	}
	switch {
	case s.Label == nil:
	case s.Label.Numeric():
		e.Mean, e.Scale, _ = schema.MeanScale(s.Label.Value, labelled)
	default:
		e.Classes = classes(s.Label.Text, s.Label.Counts(labelled))
	}
	return e, nil
}

// fields measures columns over some rows. Columns that none of the rows has are
// left out.
func fields(columns []*Column, rows []int32) []Field {
	var out []Field
	for _, c := range columns {
		if f, ok := schema.Fit(c, rows); ok {
			out = append(out, f)
		}
	}
	return out
}

// classes are the labels, in order; those with the count 0 are left out.
func classes(texts []string, count []int) []string {
	var out []string
	for k, n := range count {
		if n > 0 {
			out = append(out, texts[k])
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		switch {
		case errX == nil && errY == nil:
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		case errX == nil: // numbers before words, so that the order is one
			return -1
		case errY == nil:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return out
}

// Open reads the tables at a path of the operating system as those of the
// training; label, time, group and part may be missing.
func (e *Encoder) Open(name string) (*Set, error) { return Open(name, e.Reading()) }

// Reading are the options by which new data are read as those of the training.
func (e *Encoder) Reading() Options {
	o := e.Options
	o.known, o.Level = e, cmp.Or(e.Level, OfEdges)
	return o
}

// sets are the names of the columns of lists that training read as sets.
func (e *Encoder) sets() []string {
	if e == nil {
		return nil
	}
	return schema.ListNames(slices.Concat(e.Nodes, e.Edges))
}

// LabelField is the label as a field, by the name that it has in the data.
func (e *Encoder) LabelField(name string) *Field {
	f := &Field{Name: name, Kind: schema.KindCategory, Values: e.Classes, Notation: e.LabelNotation}
	if e.Options.Number {
		f.Kind = schema.KindNumber
	}
	return f
}

// timeField is the column of times as a field; nil if the training had no times.
func (e *Encoder) timeField(name string) *Field {
	if e.TimeNotation == nil {
		return nil
	}
	return &Field{Name: name, Kind: schema.KindNumber, Notation: e.TimeNotation}
}
