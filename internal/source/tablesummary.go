package source

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// TableSummary describes graphs whose nodes and edges have columns, and what is learned from them.
type TableSummary struct {
	tables.Info
	// Task is the task that the label implies, empty without a label; Decided explains it in one line.
	Task    string `json:"task,omitempty"`
	Decided string `json:"decided"`
}

func newTableSummary(c *ColumnData) TableSummary {
	s := TableSummary{Info: c.Set.Info(), Decided: "no label"}
	if s.Label == nil && s.Targets == nil {
		return s
	}
	s.Task = settings.TaskOf(c.Labelled())
	s.Decided = decided(s.Info.Tables, s.Task)
	return s
}

// decided explains how a task follows from the label.
func decided(list []tables.TableInfo, task string) string {
	var labels []tables.TableColumn
	for _, t := range list {
		of := lists.Filter(t.Columns, func(c tables.TableColumn) bool { return c.Role == tables.RoleLabel })
		labels = append(labels, of...)
	}
	switch {
	case len(labels) == 0: // the label has no value
		return task
	case len(labels) > 1:
		return fmt.Sprintf("%d labels of numbers: %s", len(labels), task)
	}
	c := labels[0]
	what := "classes"
	if c.Kind == tables.KindNumber || c.Kind == tables.KindTime {
		what = "different numbers"
	} else if c.Different == 1 {
		what = "class"
	}
	line := fmt.Sprintf("label %q: %d %s: %s", c.Name, c.Different, what, task)
	if task == settings.TaskOf(settings.Edges, false) && c.Different > 2 && !slices.ContainsFunc(append(c.Commonest, tables.ValueCount{Value: c.Example}), isText) {
		line += fmt.Sprintf("; --task %s learns these numbers", settings.TaskOf(settings.Edges, true))
	}
	return line
}

// isText reports whether a value is not a number.
func isText(v tables.ValueCount) bool {
	_, err := strconv.ParseFloat(v.Value, 64)
	return err != nil
}

// Text prints the summary for people.
func (s TableSummary) Text(w io.Writer, width int) error {
	lines := []string{fmt.Sprintf("%s, %s format", s.Name, s.Format)}
	if s.NumGraphs > 1 {
		lines = append(lines, fmt.Sprintf("  graphs    %d", s.NumGraphs))
	}
	lines = append(lines, fmt.Sprintf("  nodes     %d", s.NumNodes), fmt.Sprintf("  edges     %d, %s", s.NumEdges, s.Form()))
	lines = append(append(lines, wrapped("  task      ", s.Decided, width, 12)...), "  checksum  sha256 "+s.Checksum)
	for _, n := range s.Notes {
		lines = append(lines, wrapped("  note      ", n, width, 12)...)
	}
	for _, t := range s.titled() {
		lines = append(append(lines, ""), columnLines(t, width, false)...)
	}
	return WriteLines(w, lines...)
}

// Head prints what a training reads, in short.
func (s TableSummary) Head(w io.Writer, width int) error {
	lines := wrapped("", fmt.Sprintf("%s: %d edges, %d nodes, %s; %s", s.Name, s.NumEdges, s.NumNodes, s.Form(), s.Decided), width, 2)
	for _, t := range s.titled() {
		lines = append(lines, columnLines(t, width, true)...)
	}
	return WriteLines(w, lines...)
}

// titled returns the tables with titles; tables from one file, for example a graph file, are named after their content.
func (s TableSummary) titled() []tables.TableInfo {
	out := slices.Clone(s.Info.Tables)
	if len(out) == 2 && out[0].File == out[1].File && out[0].File != "" {
		for i := range out {
			out[i].File = fmt.Sprintf("%ss of %s", out[i].Of, out[i].File)
		}
	}
	return out
}

// Form says whether edges are directed.
func (s TableSummary) Form() string {
	if s.Directed {
		return "directed"
	}
	return "undirected"
}

// wrapped breaks a text into lines of a width: the first starts with a name, the others are
// indented.
func wrapped(name, text string, width, blanks int) []string {
	var lines []string
	line, empty := name, true
	for word := range strings.FieldsSeq(text) {
		if !empty && runes(line)+1+runes(word) > width {
			lines = append(lines, line)
			line, empty = strings.Repeat(" ", blanks), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}
