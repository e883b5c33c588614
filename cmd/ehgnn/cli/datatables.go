package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/task"
)

// shownColumns and shownClasses are how many data info lists.
const (
	shownColumns = 12
	shownClasses = 8
)

// describe prints what tables hold, with the columns that were named.
func (f *dataFlags) describe(a *app, path string, columns *columnFlags, taskName string) error {
	if err := oneOf("task", taskName, task.EdgeTasks...); err != nil {
		return err
	}
	if f.name != "" {
		return usage(fmt.Errorf("--name does not apply to the tables of %s", path))
	}
	o, err := columns.options(path, f.edges, taskName == task.EdgeRegression)
	if err != nil {
		return err
	}
	s, err := tables.Open(path, o)
	if err != nil {
		return usage(err)
	}
	i := s.Info()
	return a.emit(i, func(w io.Writer) error { return printTables(w, i) })
}

func printTables(w io.Writer, i tables.Info) error {
	form := "undirected"
	if i.Directed {
		form = "directed"
	}
	lines := []string{
		fmt.Sprintf("%s, %s format", i.Name, i.Format),
		fmt.Sprintf("  nodes          %d", i.NumNodes),
		fmt.Sprintf("  edges          %d, %s, from %s to %s", i.NumEdges, form, i.Source, i.Target),
	}
	for _, c := range []struct {
		of   string
		list []tables.ColumnInfo
	}{{"node features", i.NodeFeatures}, {"edge features", i.EdgeFeatures}} {
		name := c.of
		for k, column := range c.list {
			if k == shownColumns {
				lines = append(lines, fmt.Sprintf("  %-13s  and %d more", "", len(c.list)-k))
				break
			}
			lines = append(lines, fmt.Sprintf("  %-13s  %s", name, columnText(column)))
			name = ""
		}
		if len(c.list) == 0 {
			lines = append(lines, fmt.Sprintf("  %-13s  none", name))
		}
	}
	switch {
	case i.Label == nil:
		lines = append(lines, "  label          none")
	case i.Label.Numeric:
		lines = append(lines, "  label          "+columnText(*i.Label))
	default:
		lines = append(lines, fmt.Sprintf("  label          %s: %s%s", i.Label.Name, classText(i.Classes), missingText(i.Label.Missing)))
	}
	if i.Time != nil {
		lines = append(lines, "  time           "+columnText(*i.Time))
	}
	if i.Group != nil {
		lines = append(lines, "  group          "+columnText(*i.Group))
	}
	lines = append(lines, "  checksum       sha256 "+i.Checksum)
	for _, n := range i.Notes {
		lines = append(lines, "  note           "+n)
	}
	return writeLines(w, lines...)
}

func columnText(c tables.ColumnInfo) string {
	if !c.Numeric {
		return fmt.Sprintf("%s: %d values%s", c.Name, c.Values, missingText(c.Missing))
	}
	return fmt.Sprintf("%s: number, %s to %s%s", c.Name, shortNumber(c.Min), shortNumber(c.Max), missingText(c.Missing))
}

// shortNumber writes whole numbers, such as times, in full.
func shortNumber(v float64) string {
	if v == float64(int64(v)) {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func missingText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d missing", n)
}

// classText lists the most frequent classes.
func classText(classes []tables.ClassInfo) string {
	var out []string
	for k, c := range classes {
		if k == shownClasses {
			out = append(out, fmt.Sprintf("and %d more classes", len(classes)-k))
			break
		}
		out = append(out, fmt.Sprintf("%s %d", c.Name, c.Edges))
	}
	return strings.Join(out, ", ")
}
