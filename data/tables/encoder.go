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

// Encoder turns the columns of a set into features and labels, as fitted on the training part. It
// is stored as JSON with a model, and encodes new data like the training data.
type Encoder struct {
	// Options have the roles and kinds of the training columns, to read new data.
	Options Options `json:"options"`
	// Level is the level of the labels; empty for OfEdges.
	Level Level   `json:"level,omitempty"`
	Nodes []Field `json:"nodes"`
	Edges []Field `json:"edges"`
	// Structure are the structure columns of edges, by their names in package structure; see
	// Set.FitStructure.
	Structure []Field `json:"structure,omitempty"`
	// Past says that structure columns of an edge to predict count only known edges, if there are some:
	// after a split by time other edges may be later.
	Past bool `json:"past,omitempty"`
	// Times are the time columns of edges, nil for none; see Set.FitTimes.
	Times *Times `json:"times,omitempty"`
	// Unused are edge columns that only the training split compares, because no training row has a
	// value in them.
	Unused []string `json:"unused,omitempty"`
	// LabelNotation and TimeNotation are the notations of labels and times of edges; nil if the
	// training had none.
	LabelNotation *schema.Notation `json:"label_notation,omitempty"`
	TimeNotation  *schema.Notation `json:"time_notation,omitempty"`
	// Classes are the classes of the training labels: in ascending order if all are numbers, else
	// sorted as texts. Nil if the label is a number.
	Classes []string `json:"classes,omitempty"`
	// Mean and Scale are those of a label that is a number, over the training part; Scale is 1 if all
	// are equal. Labels are not changed: models use these numbers.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	// Units are the units of the numeric targets of graphs, like Mean and Scale of a label.
	Units []Unit `json:"units,omitempty"`
}

// Unit has the mean and the standard deviation (1 if it is 0) of a target.
type Unit struct {
	Name  string  `json:"name"`
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"`
}

// Field is a column of the training (package schema).
type Field = schema.Field

// Column is a column of features or labels as read (package schema).
type Column = schema.Column

// Fit fits an encoder to only the training edges of a set and the nodes at their ends.
func (s *Set) Fit(train []int) (*Encoder, error) {
	edges, err := s.trainRows(OfEdges, train, s.NumEdges())
	if err != nil {
		return nil, err
	}
	seen := make([]bool, len(s.NodeIDs))
	for _, e := range edges {
		seen[s.Ends[2*e]], seen[s.Ends[2*e+1]] = true, true
	}
	return s.fit(edges, trueAt(seen), edges)
}

// FitNodes fits an encoder to only the training nodes of a set labelled by node and the edges at
// these nodes.
func (s *Set) FitNodes(train []int) (*Encoder, error) {
	nodes, err := s.trainRows(OfNodes, train, len(s.NodeIDs))
	if err != nil {
		return nil, err
	}
	inTrain := lists.Marked(len(s.NodeIDs), nodes)
	touch := make([]bool, s.NumEdges())
	for e := range touch {
		touch[e] = inTrain[s.Ends[2*e]] || inTrain[s.Ends[2*e+1]]
	}
	return s.fit(nodes, nodes, trueAt(touch))
}

// FitGraphs fits an encoder to only the nodes and edges of the training graphs of a set labelled by
// graph.
func (s *Set) FitGraphs(train []int) (*Encoder, error) {
	graphs, err := s.trainRows(OfGraphs, train, s.NumGraphs())
	if err != nil {
		return nil, err
	}
	inTrain := lists.Marked(s.NumGraphs(), graphs)
	nodes, edges := make([]bool, len(s.NodeIDs)), make([]bool, s.NumEdges())
	for v := range nodes {
		nodes[v] = inTrain[s.graphOf(int32(v))]
	}
	for e := range edges {
		edges[e] = nodes[s.Ends[2*e]]
	}
	return s.fit(graphs, trueAt(nodes), trueAt(edges))
}

// trainRows checks the training rows of a level, and sorts them, so that sums do not depend on the
// order of the list.
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

// trueAt lists the indices with true.
func trueAt(is []bool) []int32 {
	return lists.Where[int32](is, func(_ int, ok bool) bool { return ok })
}

// newEncoder is an encoder without fields, for data read with the given options.
func newEncoder(options Options, directed bool, nodes, edges []Field) *Encoder {
	e := &Encoder{Options: options, Nodes: nodes, Edges: edges}
	o := &e.Options
	o.Ignore, o.Features, o.Categories, o.Decimal, o.TimeFormat = nil, nil, nil, "", ""
	o.Nodes, o.Edges, o.Format, o.Level = nil, "", "", "" // names of files belong to the data
	if options.Nodes.None() {
		o.Nodes = NoFiles
	}
	o.Form = data.Undirected
	if directed {
		o.Form = data.Directed
	}
	return e
}

// fit fits labels to some rows, and fields to some nodes and some edges.
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

// fields fits fields to some rows of columns. Columns without a value in these rows are left out.
func fields(columns []*Column, rows []int32) []Field {
	var out []Field
	for _, c := range columns {
		if f, ok := schema.Fit(c, rows); ok {
			out = append(out, f)
		}
	}
	return out
}

// classes returns the labels in order; labels with count 0 are left out.
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
		case errX == nil: // numbers before words, so that the order is unique
			return -1
		case errY == nil:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return out
}

// Open reads the tables at a path of the operating system like those of the training; label, time,
// group and part may be missing.
func (e *Encoder) Open(name string) (*Set, error) { return Open(name, e.Reading()) }

// Reading returns the options to read new data like those of the training.
func (e *Encoder) Reading() Options {
	o := e.Options
	o.known, o.Level = e, cmp.Or(e.Level, OfEdges)
	return o
}

// sets returns the names of the list columns that training read as sets.
func (e *Encoder) sets() []string {
	if e == nil {
		return nil
	}
	return schema.ListNames(slices.Concat(e.Nodes, e.Edges))
}

// LabelField is the label as a field, by its name in the data.
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
