package task

import (
	"fmt"
	"io"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
)

// TableSummary describes graphs whose nodes and edges have columns, and what is learned of them.
type TableSummary struct {
	tables.Info
	// Task is the task of the label, empty without one, and Decided says in a line how it follows.
	Task    string `json:"task,omitempty"`
	Decided string `json:"decided"`
}

func newTableSummary(c *columnData) TableSummary {
	s := TableSummary{Info: c.set.Info(), Decided: "no label"}
	if s.Label == nil && s.Targets == nil {
		return s
	}
	s.Task = suited(c.Labelled())
	s.Decided = decided(s.Info.Tables, s.Task)
	return s
}

// decided says how a task follows from the label.
func decided(list []tables.TableInfo, task string) string {
	var labels []tables.TableColumn
	for _, t := range list {
		for _, c := range t.Columns {
			if c.Role == tables.RoleLabel {
				labels = append(labels, c)
			}
		}
	}
	switch {
	case len(labels) == 0: // it has no value
		return task
	case len(labels) > 1:
		return fmt.Sprintf("%d labels of numbers: %s", len(labels), task)
	}
	c := labels[0]
	what := "classes"
	if c.Kind == tables.KindNumber || c.Kind == tables.KindTime {
		what = "different numbers"
	}
	return fmt.Sprintf("label %q: %d %s: %s", c.Name, c.Different, what, task)
}

// Text prints the summary for people.
func (s TableSummary) Text(w io.Writer, width int) error {
	lines := []string{fmt.Sprintf("%s, %s format", s.Name, s.Format)}
	if s.NumGraphs > 1 {
		lines = append(lines, fmt.Sprintf("  graphs    %d", s.NumGraphs))
	}
	lines = append(lines, fmt.Sprintf("  nodes     %d", s.NumNodes), fmt.Sprintf("  edges     %d, %s", s.NumEdges, s.form()), "  task      "+s.Decided, "  checksum  sha256 "+s.Checksum)
	for _, n := range s.Notes {
		lines = append(lines, wrapped("  note      ", n, width)...)
	}
	for _, t := range s.Info.Tables {
		lines = append(append(lines, ""), columnLines(t, width, false)...)
	}
	return writeLines(w, lines...)
}

// Head prints what a training reads, in short.
func (s TableSummary) Head(w io.Writer, width int) error {
	lines := wrapped("", fmt.Sprintf("%s: %d edges, %d nodes, %s; %s", s.Name, s.NumEdges, s.NumNodes, s.form(), s.Decided), width)
	for _, t := range s.Info.Tables {
		lines = append(lines, columnLines(t, width, true)...)
	}
	return writeLines(w, lines...)
}

func (s TableSummary) form() string {
	if s.Directed {
		return "directed"
	}
	return "undirected"
}

// wrapped breaks a text into lines of a width, the first behind a name and the others below it.
func wrapped(name, text string, width int) []string {
	var lines []string
	line, empty := name, true
	for word := range strings.FieldsSeq(text) {
		if !empty && runes(line)+1+runes(word) > width {
			lines = append(lines, line)
			line, empty = strings.Repeat(" ", max(runes(name), 2)), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}
