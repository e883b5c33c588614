package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// columnNames lists the names of columns; "none" for an empty list.
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

// ColumnData has graphs whose nodes and edges have attribute columns, read from tables or node-link
// JSON.
type ColumnData struct {
	Set *tables.Set
	// Context is the number of edges at the start that take part in message passing and are not
	// scored; see LoadOptions.Context.
	Context int
	// Beside is set if the edges are added to a cached context; then Context is 0.
	Beside  *BesideContext
	Divided *data.Split // the parts of edges after Split; nil for other data
	labels  Labels      // set after an encoder is fitted
	Past    bool        // no validation or test edge is earlier than a training edge
	note    string      // about decisions derived from the data
	rare    []string    // about classes that only the training part has
	Threads int         // for structure columns; 0 for all processors
}

// InContext reports whether the edges have a context.
func (c *ColumnData) InContext() bool { return c.Context > 0 || c.Beside != nil }

// Timeless counts the edges without a time, including those of the context.
func (c *ColumnData) Timeless() int {
	sets := []*tables.Set{c.Set}
	if c.Beside != nil {
		sets = append(sets, c.Beside.set)
	}
	n := 0
	for _, s := range sets {
		if s.Time == nil {
			n += s.NumEdges()
			continue
		}
		for _, t := range s.Time {
			if t != t {
				n++
			}
		}
	}
	return n
}

// newColumnData records in the settings what was read.
func newColumnData(set *tables.Set, d *settings.DataSettings) *ColumnData {
	d.Name, d.Checksum, d.Format = set.Name, set.Checksum, set.Format
	d.SetForm(set.Directed)
	return &ColumnData{Set: set, Threads: d.Threads}
}

func (c *ColumnData) Name() string { return c.Set.Name }

func (c *ColumnData) Checksum() string { return c.Set.Checksum }

func (c *ColumnData) Notes() []string {
	out := slices.Concat(c.Set.Notes, c.rare)
	if c.note != "" {
		out = append(out, c.note)
	}
	return out
}

// Graphs returns nil: the sizes of these graphs do not determine the shape of a model.
func (c *ColumnData) Graphs() []*graph.Graph { return nil }

func (c *ColumnData) Labels(settings.Level) (Labels, error) { return c.labels, nil }

// Labelled returns the level of the labels, and whether they are numbers.
func (c *ColumnData) Labelled() (settings.Level, bool) {
	switch c.Set.Level {
	case tables.OfGraphs:
		return settings.Graphs, len(c.Set.Targets) > 0 && c.Set.Targets[0].Numeric()
	case tables.OfNodes:
		return settings.Nodes, false
	}
	return settings.Edges, c.Set.Label != nil && c.Set.Label.Numeric()
}

func (c *ColumnData) Summary() Summary { return newTableSummary(c) }

// checkLabels returns an error for a task whose labels the data do not have.
func (c *ColumnData) checkLabels(t *settings.Kind) error {
	if tables.Level(t.Level) != c.Set.Level || t.Reconstructs {
		return settings.Misuse("%s does not apply to %s, whose labels are of each %s: expected one of the tasks %s and %s",
			t.Name, c.Name(), c.Set.Level, settings.TaskOf(settings.Level(c.Set.Level), false), settings.TaskOf(settings.Level(c.Set.Level), true))
	}
	if t.Level == settings.Nodes && t.Number {
		return settings.Misuse("%s is for molecules with a list of numbers for each; expected --task node-classification for %s", t.Name, c.Name())
	}
	if l := c.Set.Label; t.Level == settings.Nodes && l != nil && l.Numeric() {
		return settings.Misuse("%s: column %s has numbers of nodes, which can be predicted only for molecules; --task %s takes each number for a class", c.Name(), l.Name, settings.NodeClasses)
	}
	if c.Set.Label == nil && c.Set.Targets == nil {
		return c.noLabels(t)
	}
	return nil
}

// noLabels is the error for data without labels; it says how to get labels.
func (c *ColumnData) noLabels(t *settings.Kind) error {
	other := ""
	if t.Level == settings.Edges && slices.Contains(tables.Formats(), c.Set.Format) {
		other = "; which edges are missing is learned without labels: --task link-prediction; classes of nodes are a column of their table: --task " + settings.NodeClasses + " --label COLUMN --nodes FILE"
	}
	expected := "expected a column called label, class or y, or one that --label names"
	if name := c.Set.Options.Label; name != "" && name != tables.None {
		expected = fmt.Sprintf("column %q is empty; --label names another", name)
	}
	return settings.Misuse("%s: the %ss have no labels to learn from: %s; the features are %s%s",
		c.Name(), t.Level, expected, columnNames(slices.Concat(c.Set.NodeColumns, c.Set.EdgeColumns)), other)
}

// fitted returns the encoder of the settings, or the result of fit if they have none.
func (c *ColumnData) fitted(s *settings.Settings, fit func() (*tables.Encoder, error)) (*tables.Encoder, error) {
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
		c.labels.Units = append(c.labels.Units, settings.Unit{Mean: u.Mean, Scale: u.Scale})
	}
	if e.Scale != 0 && e.Units == nil {
		c.labels.Units = []settings.Unit{{Mean: e.Mean, Scale: e.Scale}}
	}
	return e, nil
}
