package smiles

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
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Labels describes the labels of atoms or bonds in a table.
type Labels struct {
	Level tables.Level `json:"level"` // tables.OfNodes or OfEdges
	// Names are the columns of numbers, or the column of the classes.
	Names []string `json:"names"`
	// Classes are in the order of their codes, Counts the number of items of each. Both are nil for
	// numbers.
	Classes []string `json:"classes,omitempty"`
	Counts  []int    `json:"class_counts,omitempty"`
	// Items counts the atoms, or the edges of the graphs. Missing counts missing labels.
	Items   int `json:"items"`
	Missing int `json:"missing"`
}

// The memory of a list and of one of its values, in bytes.
const (
	listBytes = 96
	itemBytes = 24
)

// itemName names the items of a level.
func itemName(level tables.Level) string {
	if level == tables.OfNodes {
		return "atom"
	}
	return "bond"
}

// items counts the nodes or edges of a graph.
func items(g *graph.Graph, level tables.Level) int {
	if level == tables.OfNodes {
		return g.NumNodes
	}
	return g.NumEdges()
}

// fit returns an error if a list does not fit n atoms or bonds.
func (s shape) fit(n int, level tables.Level) error {
	switch {
	case s.pairs && level == tables.OfNodes:
		return errors.New("has pairs of values, expected one value for each atom")
	case s.items != n:
		return fmt.Errorf("has a list of %d, expected %d, one for each %s", s.items, n, itemName(level))
	}
	return nil
}

// place calls f with the position in the list, which fits, of the label of each item of a graph.
// Items are its nodes or its edges. A directed graph has two edges for each bond.
func (s shape) place(g *graph.Graph, level tables.Level, f func(item, at int)) {
	both := level == tables.OfEdges && g.Directed && !s.pairs // both directions share a value
	for i := range items(g, level) {
		at := i
		if both {
			at /= 2
		}
		f(i, at)
	}
}

// setTargets gives the nodes or edges of a graph rows of missing numbers.
func setTargets(g *graph.Graph, level tables.Level, width int) []float32 {
	targets := lists.Repeat(float32(math.NaN()), items(g, level)*width)
	if level == tables.OfNodes {
		g.NodeTargets = targets
	} else {
		g.EdgeTargets = targets
	}
	return targets
}

// setClasses gives the nodes or edges of a graph missing classes.
func setClasses(g *graph.Graph, level tables.Level) []int32 {
	classes := slices.Repeat([]int32{graph.NoLabel}, items(g, level))
	if level == tables.OfNodes {
		g.NodeLabel = classes
	} else {
		g.EdgeLabel = classes
	}
	return classes
}

// labelItems sets the labels of a molecule's atoms or bonds as in training. The error says which
// list does not fit.
func (r *Reader) labelItems(m *Molecule) error {
	lists := make([]list, len(m.labels))
	for k, text := range m.labels {
		n := items(m.Graph, r.o.Level)
		l := list{shape: shape{items: n}, values: make([]string, n)} // for a missing cell
		if text = strings.TrimSpace(text); !schema.IsMissing(text) {
			var err error
			if l, err = parseList(text); err == nil {
				err = l.fit(n, r.o.Level)
			}
			if err == nil && l.pairs && r.o.Edges != data.Directed {
				err = errors.New("has two values for each bond, the training had one")
			}
			if err != nil {
				return fmt.Errorf("column %q %w", r.labels[k], err)
			}
		}
		lists[k] = l
	}
	if r.o.Edges == data.Directed {
		m.Graph = arcs(m.Graph)
	}
	if r.class != nil {
		classes := setClasses(m.Graph, r.o.Level)
		lists[0].place(m.Graph, r.o.Level, func(item, at int) {
			if c, ok := r.class[className(lists[0].values[at])]; ok {
				classes[item] = c
			}
		})
		return nil
	}
	targets := setTargets(m.Graph, r.o.Level, len(lists))
	for k, l := range lists {
		var failed error
		l.place(m.Graph, r.o.Level, func(item, at int) {
			if text := l.values[at]; text != "" {
				v, err := strconv.ParseFloat(text, 32)
				if err != nil || math.IsInf(v, 0) {
					failed = fmt.Errorf("column %q has %s, expected finite numbers", r.labels[k], shown(text))
				}
				targets[item*len(lists)+k] = float32(v)
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// listColumn is a column with a list for each molecule.
type listColumn struct {
	name   string
	budget *data.Budget
	values *schema.Builder // of all rows, one row after the other
	rows   []listRow
	pairs  bool // at least one row has pairs
	// atoms and bonds count the rows whose length only fits their atoms, or only fits their bonds.
	// Rows with pairs count as bonds.
	atoms, bonds int
}

// listRow is a row of a listColumn: n values starting with position from, or the reason why it has
// none.
type listRow struct {
	shape
	from, n int
	missing bool
	err     error
}

// level returns the level that most rows fit. It is empty if that is not clear.
func (c *listColumn) level() tables.Level {
	switch {
	case c.bonds > c.atoms:
		return tables.OfEdges
	case c.atoms > c.bonds:
		return tables.OfNodes
	}
	return ""
}

// add reads the cell of a molecule.
func (c *listColumn) add(text string, g *graph.Graph) error {
	row := listRow{missing: true}
	if len(c.rows) > 0 {
		last := c.rows[len(c.rows)-1]
		row.from = last.from + last.n
	}
	if text = strings.TrimSpace(text); !schema.IsMissing(text) {
		l, err := parseList(text)
		row = listRow{shape: l.shape, from: row.from, n: len(l.values), err: err}
		if err := c.budget.Charge(int64(listBytes+len(l.values)*itemBytes), "labels"); err != nil {
			return err
		}
		for _, v := range l.values {
			if err := c.values.AddText(v); err != nil {
				return err
			}
		}
		switch n := l.items; {
		case err != nil:
		case l.pairs:
			c.pairs = true
			c.bonds++
		case n == g.NumNodes && n != g.NumEdges():
			c.atoms++
		case n == g.NumEdges() && n != g.NumNodes:
			c.bonds++
		}
	}
	c.rows = append(c.rows, row)
	return nil
}

// fit returns an error if the list of a row does not fit its molecule.
func (c *listColumn) fit(row int, g *graph.Graph, level tables.Level) error {
	at := c.rows[row]
	err := at.err
	if err == nil && !at.missing {
		err = at.fit(items(g, level), level)
	}
	if err != nil {
		return fmt.Errorf("column %q %w", c.name, err)
	}
	return nil
}

// place is shape.place for a row. Positions are those in the values of all rows.
func (c *listColumn) place(row int, g *graph.Graph, level tables.Level, f func(item, at int)) {
	if at := c.rows[row]; !at.missing {
		at.place(g, level, func(item, k int) { f(item, at.from+k) })
	}
}
