package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/report"
)

// tableSource reads one graph from a table of nodes and a table of edges, whose edges
// have labels.
var tableSource = &Source{
	Name:      "tables",
	Expect:    "tables of nodes and edges: a folder or zip with edges.csv and maybe nodes.csv, or the table of edges itself, as CSV, TSV or Parquet",
	Formats:   []string{tables.Format},
	Recognise: tables.Recognise,
	Begin:     func(d *DataSettings) { d.Tables = &TableSettings{} },
	Read: func(_ context.Context, d *DataSettings, t *Task) (Data, error) {
		c := d.Tables
		nodes, err := besides(d.Path, c.NodesFile)
		if err != nil {
			return nil, err
		}
		c.NodesFile = nodes
		set, err := tables.Open(d.Path, tables.Options{Nodes: nodes, Edges: c.EdgesFile, NodeID: c.NodeID, Source: c.From, Target: c.To, Label: c.Label,
			Time: c.Time, Group: c.Group, Graph: c.Graph, Ignore: c.Ignore, Categories: c.Categories, Number: t != nil && t.Number, Form: d.form(), MaxMemory: d.MaxMemory})
		if err != nil {
			return nil, err
		}
		o := set.Options
		c.NodeID, c.From, c.To, c.Label, c.Time, c.Group, c.Graph = o.NodeID, o.Source, o.Target, o.Label, o.Time, o.Group, o.Graph
		if o.Nodes == tables.None {
			c.NodesFile = tables.None
		}
		return newColumnData(set, d), nil
	},
	Reread: func(_ context.Context, s *Settings, o LoadOptions, own bool) (Data, error) {
		c := s.Data.Tables
		e := *c.Encoder
		e.Options.MaxMemory = o.MaxMemory
		if o.Context != "" {
			e.Options.MaxMemory = shareOf(o.MaxMemory, 2)
		}
		if e.Options.Nodes != tables.None {
			nodes, err := besides(o.Data, cmp.Or(o.Nodes, c.NodesFile))
			if err != nil {
				return nil, err
			}
			e.Options.Nodes = nodes
		} else if o.Nodes != "" {
			return nil, fmt.Errorf("task: --nodes names a table of nodes, and the run was trained without one")
		}
		if info, err := os.Stat(o.Data); own || err == nil && info.IsDir() {
			e.Options.Edges = c.EdgesFile
		}
		set, err := e.Open(o.Data)
		if err != nil {
			return nil, err
		}
		d := &columnData{set: set}
		if o.Context == "" {
			return d, nil
		}
		e.Options.Nodes, e.Options.Edges = "", ""
		if c.NodesFile == tables.None {
			e.Options.Nodes = tables.None
		}
		before, err := e.Open(o.Context)
		if err != nil {
			return nil, fmt.Errorf("task: --context: %w", err)
		}
		if d.set, d.context, err = tables.Join(before, set); err != nil {
			return nil, fmt.Errorf("task: --context: %w", err)
		}
		return d, nil
	},
}

// tasksOn lists the tasks whose items have labels of their own at a level.
func tasksOn(items Items) []string {
	var out []string
	for _, t := range Tasks {
		if t.Items == items && t != edgeReconstruction {
			out = append(out, t.Name)
		}
	}
	return out
}

// besides is the name of a file in the folder of the tables at path: as it is given,
// or where that leads to from here.
func besides(path, file string) (string, error) {
	if filepath.Base(file) == file || file == "" {
		return file, nil
	}
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		if strings.EqualFold(filepath.Ext(path), ".zip") {
			return file, nil
		}
		dir = filepath.Dir(path)
	}
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil && filepath.IsLocal(file) {
		return filepath.ToSlash(file), nil
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("task: --nodes is %q, expected a file in the folder of the edges, %s", file, dir)
	}
	return filepath.ToSlash(rel), nil
}

// columnData are graphs with columns of attributes: tables of nodes and edges, or
// node-link JSON.
type columnData struct {
	set *tables.Set
	// context is the number of edges at the beginning that are there for message passing
	// alone, see LoadOptions.Context.
	context int
	labels  Labels // once an encoder is fitted
}

// newColumnData completes settings with what was read.
func newColumnData(set *tables.Set, d *DataSettings) *columnData {
	d.Name, d.Checksum, d.Format = set.Name, set.Checksum, set.Format
	d.setForm(set.Directed)
	return &columnData{set: set}
}

func (c *columnData) Name() string     { return c.set.Name }
func (c *columnData) Checksum() string { return c.set.Checksum }
func (c *columnData) Notes() []string  { return c.set.Notes }

// Graphs are none: no model is shaped by the sizes of these graphs.
func (c *columnData) Graphs() []*graph.Graph { return nil }

func (c *columnData) Labels(Items) (Labels, error) { return c.labels, nil }

// Suits is a task on the items that have labels.
func (c *columnData) Suits() string {
	switch c.set.Level {
	case tables.OfGraphs:
		if len(c.set.Targets) > 0 && c.set.Targets[0].Numeric() {
			return graphRegression.Name
		}
		return graphClassification.Name
	case tables.OfNodes:
		return nodeClassification.Name
	}
	if c.set.Label != nil && c.set.Label.Numeric() {
		return edgeRegression.Name
	}
	return edgeClassification.Name
}

func (c *columnData) Summary() Summary { return tableSummary{c.set.Info()} }

// ResolveSplit takes the named split, random without one.
func (c *columnData) ResolveSplit(s *Split, t *Task) error {
	if err := c.holds(t); err != nil {
		return err
	}
	kinds := []string{SplitRandom}
	if t.Items == Edges {
		kinds = append(kinds, SplitTime, SplitGroup)
	} else if t.Items == Graphs {
		kinds = append(kinds, SplitFolds)
	}
	s.Kind = cmp.Or(s.Kind, SplitRandom)
	if !slices.Contains(kinds, s.Kind) {
		return misuse("task: --split is %q, expected one of %q for %s", s.Kind, kinds, c.Name())
	}
	if s.Kind == SplitFolds {
		s.Folds, s.Fold = cmp.Or(s.Folds, 10), cmp.Or(s.Fold, 1)
	} else if s.Fractions == nil {
		s.Fractions = []float64{0.6, 0.2, 0.2}
	}
	return nil
}

// Divide makes the parts, with the encoder fitted on the training part unless it is
// there.
func (c *columnData) Divide(s *Settings, t *Task, _ Form) (map[string]*Part, error) {
	switch t.Items {
	case Graphs:
		return c.divideGraphs(s)
	case Nodes:
		return c.divideNodes(s)
	}
	return c.divideEdges(s)
}

// holds refuses data without labels for a task.
func (c *columnData) holds(t *Task) error {
	if tables.Level(t.Items) != c.set.Level || t == edgeReconstruction {
		return misuse("task: %s does not apply to %s, whose labels are of each %s: expected one of the tasks %s",
			t.Name, c.Name(), c.set.Level, strings.Join(tasksOn(Items(c.set.Level)), " and "))
	}
	if c.set.Label == nil && c.set.Targets == nil {
		return misuse("task: %s: the %ss have no labels to learn from: expected a column called label, class or y, or one that --label names; the features are %s",
			c.Name(), t.Items, columnNames(slices.Concat(c.set.NodeColumns, c.set.EdgeColumns)))
	}
	return nil
}

// columnNames lists columns by name, "none" without.
func columnNames(columns []*tables.Column) string {
	const most = 8
	var names []string
	for i, c := range columns {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(columns)-most))
			break
		}
		names = append(names, c.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// fitted is the encoder of the settings, made by fit where there is none.
func (c *columnData) fitted(s *Settings, fit func() (*tables.Encoder, error)) (*tables.Encoder, error) {
	e := s.Data.Tables.Encoder
	if e == nil {
		var err error
		if e, err = fit(); err != nil {
			return nil, err
		}
		s.Data.Tables.Encoder = e
	}
	c.labels = Labels{Classes: len(e.Classes), ClassNames: e.Classes}
	for _, u := range e.Units {
		c.labels.Targets = append(c.labels.Targets, u.Name)
		c.labels.Units = append(c.labels.Units, Unit{u.Mean, u.Scale})
	}
	if e.Scale != 0 && e.Units == nil {
		c.labels.Units = []Unit{{e.Mean, e.Scale}}
	}
	return e, nil
}

// divideEdges divides the edges of one graph. A part is the graph of the edges that a
// model may see for it, in which its own edges have labels and no others do.
func (c *columnData) divideEdges(s *Settings) (map[string]*Part, error) {
	sp := s.Split
	split, err := c.set.Split(tables.SplitOptions{By: sp.Kind, Fractions: sp.fractions(), Pairs: sp.Pairs, Seed: sp.Seed})
	if err != nil {
		return nil, err
	}
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.set.Fit(split.Train) })
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{}
	for part, edges := range map[string][]int{PartTrain: split.Train, PartValid: split.Valid, PartTest: split.Test} {
		if len(edges) == 0 {
			continue
		}
		in, err := c.set.Input(e, split, part, tables.InputOptions{Transductive: s.Data.Tables.Transductive})
		if err != nil {
			return nil, err
		}
		out[part] = c.inputPart(in, in.Scored)
	}
	return out, nil
}

// divideNodes divides the nodes of the data as one graph.
func (c *columnData) divideNodes(s *Settings) (map[string]*Part, error) {
	codes := make([]int32, len(c.set.NodeIDs))
	for v := range codes {
		codes[v] = c.set.Label.Code[v]
	}
	ids, err := splitLabels(codes, s.Split)
	if err != nil {
		return nil, err
	}
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.set.FitNodes(ids[0]) })
	if err != nil {
		return nil, err
	}
	in, err := c.set.WholeNodes(e)
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: c.inputPart(in, nil)}
	for k, part := range parts {
		out[part] = c.inputPart(in, nil)
		out[part].hideNodes(ids[k])
	}
	return out, nil
}

// divideGraphs divides a collection.
func (c *columnData) divideGraphs(s *Settings) (map[string]*Part, error) {
	codes := make([]int32, c.set.NumGraphs())
	if t := c.set.Targets[0]; !t.Numeric() {
		copy(codes, t.Code)
	}
	ids, err := splitLabels(codes, s.Split)
	if err != nil {
		return nil, err
	}
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.set.FitGraphs(ids[0]) })
	if err != nil {
		return nil, err
	}
	whole, err := c.wholeGraphs(e)
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: whole}
	for k, part := range parts {
		out[part] = c.graphsPart(whole.Graphs, ids[k])
	}
	return out, nil
}

// splitLabels divides items by class as a split says.
func splitLabels(class []int32, s Split) (ids [3][]int, err error) {
	if s.Kind == SplitFolds {
		return foldsOf(class, s)
	}
	ids[0], ids[1], ids[2], err = data.StratifiedSplit(class, s.fractions(), s.Seed)
	return ids, err
}

// foldsOf makes folds of which one tests and the one before it validates.
func foldsOf(class []int32, s Split) (ids [3][]int, err error) {
	folds, err := data.StratifiedFolds(class, s.Folds, s.Seed)
	if err != nil {
		return ids, err
	}
	if s.Fold < 1 || s.Fold > s.Folds {
		return ids, misuse("task: --fold is %d, expected 1 to %d", s.Fold, s.Folds)
	}
	test := s.Fold - 1
	valid := (test + s.Folds - 1) % s.Folds
	for k, fold := range folds {
		switch k {
		case test:
			ids[2] = fold
		case valid:
			ids[1] = fold
		default:
			ids[0] = append(ids[0], fold...)
		}
	}
	slices.Sort(ids[0])
	return ids, nil
}

// Whole is all of the data as one part; of edges, without the context.
func (c *columnData) Whole(s *Settings, t *Task, _ Form) (*Part, error) {
	e := s.Data.Tables.Encoder
	if _, err := c.fitted(s, func() (*tables.Encoder, error) { return nil, errors.New("task: the run has no encoder") }); err != nil {
		return nil, err
	}
	switch t.Items {
	case Graphs:
		return c.wholeGraphs(e)
	case Nodes:
		in, err := c.set.WholeNodes(e)
		if err != nil {
			return nil, err
		}
		return c.inputPart(in, nil), nil
	}
	in, err := c.set.Whole(e)
	if err != nil {
		return nil, err
	}
	return c.inputPart(in, in.Scored[c.context:]), nil
}

func (c *columnData) wholeGraphs(e *tables.Encoder) (*Part, error) {
	graphs, unseen, err := c.set.Graphs(e)
	if err != nil {
		return nil, err
	}
	ids := make([]int, len(graphs))
	for i := range ids {
		ids[i] = i
	}
	p := c.graphsPart(graphs, ids)
	p.Unseen = unseen
	return p, nil
}

// graphsPart is a part of some graphs of a collection.
func (c *columnData) graphsPart(all []*graph.Graph, ids []int) *Part {
	graphs := make([]*graph.Graph, len(ids))
	for i, id := range ids {
		graphs[i] = all[id]
	}
	first := c.firstNodes()
	return &Part{Graphs: graphs, ID: func(at Place) int { return ids[at.Graph] }, Name: func(items Items, at []Place) []report.Column {
		of, a, b := make([]string, len(at)), make([]string, len(at)), make([]string, len(at))
		node := func(p Place, v int) string { return c.set.NodeIDs[first[ids[p.Graph]][v]] }
		for i, p := range at {
			of[i] = c.graphName(ids[p.Graph])
			switch items {
			case Nodes:
				a[i] = node(p, p.Item)
			case Edges:
				ends := graphs[p.Graph].Ends
				a[i], b[i] = node(p, int(ends[2*p.Item])), node(p, int(ends[2*p.Item+1]))
			}
		}
		out := []report.Column{report.Strings("graph", of)}
		switch items {
		case Nodes:
			out = append(out, report.Strings("node", a))
		case Edges:
			out = append(out, report.Strings("source", a), report.Strings("target", b))
		}
		return out
	}}
}

// graphName is what a graph is called, its number where it has no name.
func (c *columnData) graphName(k int) string {
	if c.set.GraphIDs == nil {
		return fmt.Sprint(k)
	}
	return c.set.GraphIDs[k]
}

// firstNodes lists the nodes of each graph.
func (c *columnData) firstNodes() [][]int32 {
	out := make([][]int32, c.set.NumGraphs())
	for v := range int32(len(c.set.NodeIDs)) {
		k := int32(0)
		if c.set.GraphOf != nil {
			k = c.set.GraphOf[v]
		}
		out[k] = append(out[k], v)
	}
	return out
}

// inputPart is a part of one graph; own are the items that belong to it.
func (c *columnData) inputPart(in *tables.Input, own []int32) *Part {
	id := func(at Place) int {
		if own == nil { // of nodes
			return at.Item
		}
		return int(in.Edges[at.Item])
	}
	return &Part{Graphs: []*graph.Graph{in.Graph}, Items: own, Unseen: in.Unseen, ID: id, Name: func(items Items, at []Place) []report.Column {
		if items == Nodes {
			ids := make([]string, len(at))
			for i, p := range at {
				ids[i] = c.set.NodeIDs[in.Nodes[p.Item]]
			}
			return []report.Column{report.Strings("node", ids)}
		}
		edge, from, to := make([]int, len(at)), make([]string, len(at)), make([]string, len(at))
		for i, p := range at {
			e := int(in.Edges[p.Item])
			edge[i], from[i], to[i] = e-c.context, c.set.NodeIDs[c.set.Ends[2*e]], c.set.NodeIDs[c.set.Ends[2*e+1]]
		}
		return []report.Column{report.Ints("edge", edge), report.Strings("source", from), report.Strings("target", to)}
	}}
}

// Alone reports whether edges of other tables than those of the training are scored with
// no others around them than each other, see LoadOptions.Context.
func (s *Session) Alone() bool {
	c, ok := s.Data.(*columnData)
	return ok && s.task.Items == Edges && !s.own && c.context == 0
}

// Advice is a remark for the end of a training on how it may be done better; empty for
// none.
func (s *Session) Advice() string {
	c, ok := s.Data.(*columnData)
	if !ok || c.set.Time == nil || s.Settings.Split.Kind != SplitRandom {
		return ""
	}
	return fmt.Sprintf("edges were split at random; where later ones are to be predicted, --split time tests the latest by column %s", c.set.Options.Time)
}
