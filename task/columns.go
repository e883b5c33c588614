package task

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// columnNames lists the names of columns; "none" for no columns.
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

// columnData are graphs whose nodes and edges have columns of attributes, read from tables
// or node-link JSON.
type columnData struct {
	set *tables.Set
	// context is the number of edges, the first ones, that take part in message passing and
	// are not scored; see LoadOptions.Context.
	context int
	labels  Labels   // set once an encoder is fitted
	note    string   // on what was decided by the data
	rare    []string // on classes that only the training part has
	threads int      // for structure columns; 0 for all processors
	// nodeNames are the nodes that have vectors in a run that is used, by their numbers.
	nodeNames []string
}

// newColumnData records in the settings what was read.
func newColumnData(set *tables.Set, d *DataSettings) *columnData {
	d.Name, d.Checksum, d.Format = set.Name, set.Checksum, set.Format
	d.setForm(set.Directed)
	return &columnData{set: set, threads: d.Threads}
}

func (c *columnData) Name() string { return c.set.Name }

func (c *columnData) Checksum() string { return c.set.Checksum }

func (c *columnData) Notes() []string {
	out := slices.Concat(c.set.Notes, c.rare)
	if c.note != "" {
		out = append(out, c.note)
	}
	return out
}

// Graphs are nil: no model takes its shape from the sizes of these graphs.
func (c *columnData) Graphs() []*graph.Graph { return nil }

func (c *columnData) Labels(Items) (Labels, error) { return c.labels, nil }

// Labelled says of which items the labels are, and whether they are numbers.
func (c *columnData) Labelled() (Items, bool) {
	switch c.set.Level {
	case tables.OfGraphs:
		return Graphs, len(c.set.Targets) > 0 && c.set.Targets[0].Numeric()
	case tables.OfNodes:
		return Nodes, false
	}
	return Edges, c.set.Label != nil && c.set.Label.Numeric()
}

func (c *columnData) Summary() Summary { return newTableSummary(c) }

// holds refuses a task whose labels the data do not have.
func (c *columnData) holds(t *Kind) error {
	if tables.Level(t.Items) != c.set.Level || t.Reconstructs {
		return Misuse("task: %s does not apply to %s, whose labels are of each %s: expected one of the tasks %[3]s-classification and %[3]s-regression",
			t.Name, c.Name(), c.set.Level)
	}
	if t.Items == Nodes && t.Number {
		return Misuse("task: %s is for molecules with a list of numbers for each; expected --task node-classification for %s", t.Name, c.Name())
	}
	if l := c.set.Label; t.Items == Nodes && l != nil && l.Numeric() {
		return Misuse("task: %s: column %s has numbers of nodes, which are estimated of molecules alone; --task %s takes each number for a class", c.Name(), l.Name, nodeClasses)
	}
	if c.set.Label == nil && c.set.Targets == nil {
		return c.noLabels(t)
	}
	return nil
}

// noLabels is the error of data without labels, which says how to get some.
func (c *columnData) noLabels(t *Kind) error {
	other := ""
	if t.Items == Edges && slices.Contains(tables.Formats, c.set.Format) {
		other = "; classes of nodes are a column of their table: --task " + nodeClasses + " --label COLUMN --nodes FILE"
	}
	return Misuse("task: %s: the %ss have no labels to learn from: expected a column called label, class or y, or one that --label names; the features are %s%s",
		c.Name(), t.Items, columnNames(slices.Concat(c.set.NodeColumns, c.set.EdgeColumns)), other)
}

// fitted is the encoder of the settings, or the one that fit makes where they have none.
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
