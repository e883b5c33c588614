package source

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// How many columns of each role are listed, in full and at the start of a training.
const (
	mostColumns     = 100
	mostHeadColumns = 20
)

// columnLines lists the columns of a table in lines of a width. short leaves out examples.
func columnLines(t tables.TableInfo, width int, short bool) []string {
	grid := [][]string{{"column", "role", "kind", "values", "missing", "example"}}
	most := mostColumns
	if short {
		grid[0], most = grid[0][:4], mostHeadColumns
	}
	title := cmp.Or(t.File, string(t.Of)+"s")
	shown, more := someColumns(t.Columns, most)
	var left []string
	for _, c := range shown {
		row := []string{c.name, c.Role, kindText(c.TableColumn), valuesText(c.TableColumn)}
		switch {
		case !short:
			row = append(row, strconv.Itoa(c.Missing), c.Example)
		case c.Missing > 0 && c.Missing == t.Rows:
			row[3] = "all missing"
		case c.Missing > 0:
			row[3] += fmt.Sprintf("; %d missing", c.Missing)
		}
		if c.Role == tables.RoleLeftOut && c.Kind == "" && c.Name == "" {
			row = append(row[:3], make([]string, len(row)-3)...) // nothing is known about the column
		}
		grid = append(grid, row)
		if c.LeftOut != "" {
			left = append(left, leftLines(c, width)...)
		}
	}
	lines := append([]string{fmt.Sprintf("%s, %d rows", sanitize.Text(title), t.Rows)}, gridLines(grid, width)...)
	if more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more columns; data info --json lists all", more))
	}
	return append(lines, left...)
}

// namedColumn is a column, or several columns without names, with the name to show.
type namedColumn struct {
	tables.TableColumn
	name string
}

// someColumns returns at most so many columns of each role, and the number of the others. Adjacent
// columns without names are shown as one.
func someColumns(columns []tables.TableColumn, most int) (shown []namedColumn, more int) {
	of := map[string]int{}
	for i := 0; i < len(columns); i++ {
		c := namedColumn{columns[i], columns[i].Name}
		if c.Name == "" {
			first := i
			for i+1 < len(columns) && columns[i+1].Name == "" && columns[i+1].LeftOut == c.LeftOut {
				i++
			}
			if c.name = fmt.Sprintf("(%d)", first+1); i > first {
				c.name = fmt.Sprintf("(%d to %d)", first+1, i+1)
			}
		}
		if of[c.Role]++; of[c.Role] > most {
			more++
			continue
		}
		shown = append(shown, c)
	}
	return shown, more
}

// leftLines says why columns are not features.
func leftLines(c namedColumn, width int) []string {
	text := fmt.Sprintf("column %q %s", c.Name, c.LeftOut)
	if c.Name == "" {
		text = fmt.Sprintf("column %s %s", c.name, c.LeftOut)
	}
	if c.Flag != "" {
		text += "; " + strings.ReplaceAll(c.Flag, " ", unbroken) + " brings it in"
	}
	lines := wrapped("  ", text, width, 4)
	for i, l := range lines {
		lines[i] = cutTo(sanitize.Text(strings.ReplaceAll(l, unbroken, " ")), width)
	}
	return lines
}

// unbroken replaces a space at which a line must not be broken.
const unbroken = "\a"

// kindText is the kind of a column and the notation of its values.
func kindText(c tables.TableColumn) string {
	switch {
	case c.Kind == tables.KindID && c.Whole:
		return "id, number"
	case c.Kind == tables.KindID:
		return "id, text"
	case c.Kind == tables.KindSet:
		return c.Kind + ", by " + c.Separator
	case c.Kind == tables.KindNumber && c.Notation != nil && c.Notation.Decimal != "":
		return c.Notation.String() // a decimal mark implies numbers
	case c.Notation.String() != "":
		return c.Kind + ", " + c.Notation.String()
	}
	return c.Kind
}

// valuesText is the range of a column or its most common values.
func valuesText(c tables.TableColumn) string {
	switch {
	case c.First != "":
		return timeRange(c.First, c.Last)
	case c.Min != nil:
		return shortNumber(*c.Min) + " to " + shortNumber(*c.Max)
	case c.Role == tables.RoleKey && c.Kind != "":
		return "nearly all different"
	case c.Different == 0:
		return ""
	}
	if c.Commonest == nil {
		return fmt.Sprintf("%d different", c.Different)
	}
	values := lists.Map(c.Commonest, func(v tables.ValueCount) string { return fmt.Sprintf("%s (%d)", v.Value, v.Rows) })
	if len(values) < c.Different {
		values = append(values, "…")
	}
	return fmt.Sprintf("%d: %s", c.Different, strings.Join(values, ", "))
}

// timeRange is a range of times, as dates if it covers several days.
func timeRange(first, last string) string {
	from, _, _ := strings.Cut(first, "T")
	to, _, _ := strings.Cut(last, "T")
	if from == to {
		return first + " to " + last
	}
	return from + " to " + to
}

// gridLines formats the rows of a grid as lines of a width: the widest columns are cut until they fit.
func gridLines(grid [][]string, width int) []string {
	const indent, gap, least = "  ", "  ", 8
	spared := [...]int{4, 4, 8, 12, 0, 0} // width of each column that does not count when the widest is chosen
	widths := make([]int, len(grid[0]))
	total := len(indent) - len(gap)
	for _, row := range grid {
		for k := range row {
			row[k] = sanitize.Text(row[k])
			widths[k] = max(widths[k], runes(row[k]))
		}
	}
	for _, n := range widths {
		total += n + len(gap)
	}
	for ; total > width; total-- {
		widest, most := -1, 0
		for k, n := range widths {
			if n > least && (widest < 0 || n-spared[k] >= most) {
				widest, most = k, n-spared[k]
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	lines := make([]string, len(grid))
	for i, row := range grid {
		cells := make([]string, len(row))
		for k, text := range row {
			text = cutTo(text, widths[k])
			space := strings.Repeat(" ", widths[k]-runes(text))
			if cells[k] = text + space; grid[0][k] == "missing" {
				cells[k] = space + text
			}
		}
		lines[i] = strings.TrimRight(indent+strings.Join(cells, gap), " ")
	}
	return lines
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// cutTo cuts a text to a width.
func cutTo(text string, width int) string {
	if runes(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
