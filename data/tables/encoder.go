package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data"
)

// maxValues bounds the vocabulary of a categorical column: the most frequent
// values of training. Rarer ones are encoded as unseen ones are.
const maxValues = 256

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
	// Times are the columns of time of edges, nil for none; see Set.FitTimes.
	Times *Times `json:"times,omitempty"`
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

// Field encodes one column.
type Field struct {
	Name string `json:"name"`
	// Mean and Scale, the standard deviation or 1 where that is 0, standardise a
	// numeric column. Gaps says that missing numbers have a feature that says so.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	Gaps  bool    `json:"gaps,omitempty"`
	// Values are the categories of a categorical column, sorted.
	Values []string `json:"values,omitempty"`
}

// Numeric reports whether the column holds numbers.
func (f Field) Numeric() bool { return f.Scale != 0 }

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
	var out []int32
	for i, ok := range is {
		if ok {
			out = append(out, int32(i))
		}
	}
	return out
}

// newEncoder is an encoder of fields for data that options read.
func newEncoder(options Options, directed bool, nodes, edges []Field) (*Encoder, error) {
	e := &Encoder{Options: options, Nodes: nodes, Edges: edges}
	o := &e.Options
	o.Ignore, o.Numbers, o.Categories = nil, nil, nil
	o.Nodes, o.Edges = "", "" // names of files are of the data
	if options.Nodes == None {
		o.Nodes = None
	}
	o.Form = data.Undirected
	if directed {
		o.Form = data.Directed
	}
	numbers, categories := nameSet{}, nameSet{}
	for _, f := range slices.Concat(e.Nodes, e.Edges) {
		known, list := categories, &o.Categories
		if f.Numeric() {
			known, list = numbers, &o.Numbers
		}
		if !known.has(f.Name) {
			known[fold(f.Name)] = true
			*list = append(*list, f.Name)
		}
	}
	for _, n := range o.Numbers { // one name, for nodes and edges, of two kinds
		if categories.has(n) {
			return nil, fmt.Errorf("column %q is numeric of nodes and text of edges, or the other way round; name it in the option Categories, or rename one", n)
		}
	}
	return e, nil
}

// fit measures the labels of some rows, some nodes and some edges.
func (s *Set) fit(labelled, nodes, edges []int32) (*Encoder, error) {
	e, err := newEncoder(s.Options, s.Directed, fields(s.NodeColumns, nodes), fields(s.EdgeColumns, edges))
	if err != nil {
		return nil, fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	if s.Level != OfEdges {
		e.Level = s.Level
	}
	for _, c := range s.Targets {
		if !c.Numeric() {
			e.Classes = classes(c.Text, c.counts(labelled))
			continue
		}
		u := Unit{Name: c.Name}
		u.Mean, u.Scale, _ = meanScale(c.Value, labelled)
		e.Units = append(e.Units, u)
	}
	switch {
	case s.Label == nil:
	case s.Label.Numeric():
		e.Mean, e.Scale, _ = meanScale(s.Label.Value, labelled)
	default:
		e.Classes = classes(s.Label.Text, s.Label.counts(labelled))
	}
	return e, nil
}

// fields measures columns over some rows. Columns that none of the rows has are
// left out.
func fields(columns []*Column, rows []int32) []Field {
	var out []Field
	for _, c := range columns {
		f := Field{Name: c.Name}
		if c.Numeric() {
			var n int
			if f.Mean, f.Scale, n = meanScale(c.Value, rows); n == 0 {
				continue
			}
			f.Gaps = n < len(rows)
		} else if f.Values = frequent(c.Text, c.counts(rows)); len(f.Values) == 0 {
			continue
		}
		out = append(out, f)
	}
	return out
}

// meanScale are mean and standard deviation over the rows that are not NaN, 1 where that is 0,
// and how many these are.
func meanScale(value []float64, rows []int32) (mean, scale float64, n int) {
	each := func(f func(float64)) {
		for _, r := range rows {
			if v := value[r]; !math.IsNaN(v) {
				f(v)
			}
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	each(func(v float64) { n, mean, lo, hi = n+1, mean+v, min(lo, v), max(hi, v) })
	switch {
	case n == 0:
		return 0, 1, 0
	case lo == hi: // by the values, as rounding leaves a deviation to a constant
		return lo, 1, n
	}
	mean /= float64(n)
	each(func(v float64) { scale += (v - mean) * (v - mean) })
	if scale = math.Sqrt(scale / float64(n)); scale == 0 { // squares of the smallest numbers
		scale = 1
	}
	return mean, scale, n
}

// counts are how many of some rows have each category.
func (c *Column) counts(rows []int32) []int {
	count := make([]int, len(c.Text))
	for _, r := range rows {
		if c.Code[r] >= 0 {
			count[c.Code[r]]++
		}
	}
	return count
}

// frequent are the most frequent categories, sorted; those with the count 0 are left out.
func frequent(texts []string, count []int) []string {
	var codes []int
	for k, n := range count {
		if n > 0 {
			codes = append(codes, k)
		}
	}
	slices.SortFunc(codes, func(a, b int) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(texts[a], texts[b]))
	})
	var out []string
	for _, k := range codes[:min(len(codes), maxValues)] {
		out = append(out, texts[k])
	}
	slices.Sort(out)
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
func (e *Encoder) Open(name string) (*Set, error) {
	return Open(name, e.Options.Lenient())
}
