package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// GridTable is a table of systems by data sets, like the tables of papers: one row for each system,
// one column for each data set, and in each cell our mean and the paper's. It is a Comparison in
// two dimensions, and also shows unfinished cells.
type GridTable struct {
	Corner  string // heading of the rows: "model"
	Columns []GridTableColumn
	Rows    []GridTableRow
	// Average adds a column with the mean of a row's means. A row with a missing cell has no average.
	Average bool
}

// GridTableColumn is a data set: its numbers have the same unit.
type GridTableColumn struct {
	Title string
	// Lower says that the smallest number of the column is the best.
	Lower bool
}

// GridTableRow is a system: its cells are in the order of GridTable.Columns.
type GridTableRow struct {
	Label string
	Cells []GridTableCell
}

// GridTableCell is a cell that may not have its number yet.
type GridTableCell struct {
	// Cell has Runs 0 until the number is known. Its Runs are the number of values in Std, which the
	// t-test uses.
	Cell
	// State is shown instead of a number: "3/10", "failed".
	State string
}

// Best reports for each row and column whether the cell is the best of its column or comparable to
// it (see Comparable).
func (g *GridTable) Best() [][]bool {
	best := make([][]bool, len(g.Rows))
	for i := range best {
		best[i] = make([]bool, len(g.Columns))
	}
	for j, column := range g.Columns {
		samples := make([]Sample, len(g.Rows))
		for i := range g.Rows {
			samples[i] = g.cell(i, j).Sample()
		}
		for i, marked := range Comparable(samples, column.Lower) {
			best[i][j] = marked
		}
	}
	return best
}

// cell is empty if a row is too short.
func (g *GridTable) cell(i, j int) GridTableCell {
	if j < len(g.Rows[i].Cells) {
		return g.Rows[i].Cells[j]
	}
	return GridTableCell{}
}

// RowAverage is the mean of a row's means, and of the paper's; ok and paperOK say whether all cells
// have a number.
func (g *GridTable) RowAverage(row int) (mean float64, ok bool, paper float64, paperOK bool) {
	ok, paperOK = len(g.Columns) > 0, len(g.Columns) > 0
	n := float64(len(g.Columns))
	for j := range g.Columns {
		c := g.cell(row, j)
		if c.Runs > 0 {
			mean += c.Mean / n
		}
		ok = ok && c.Runs > 0
		if c.Paper != nil {
			paper += *c.Paper / n
		}
		paperOK = paperOK && c.Paper != nil
	}
	return mean, ok, paper, paperOK
}

// averageBest is the row with the best average, -1 for none. In a table with averages all columns
// have the same Lower.
func (g *GridTable) averageBest() int {
	best, at := 0.0, -1
	for i := range g.Rows {
		if mean, ok, _, _ := g.RowAverage(i); ok && (at < 0 || mean > best != g.Columns[0].Lower && mean != best) {
			best, at = mean, i
		}
	}
	return at
}

// Markdown renders the grid as a table with padded columns: mean ± deviation, bold if it is best or
// comparable, and the difference to the paper in brackets. A line below explains this.
func (g *GridTable) Markdown() string {
	header, rows := g.texts(func(c GridTableCell, best bool) string {
		s := c.ours()
		if best {
			s = "**" + s + "**"
		}
		if d := c.between(); d != None {
			s += " (" + d + ")"
		}
		return s
	})
	left := make([]bool, len(header))
	left[0] = true
	var b strings.Builder
	b.WriteString(markdownTable(header, rows, left))
	b.WriteString("\nIn each cell our mean ± deviation, and in brackets the difference to the paper's mean.\n")
	return b.String()
}

// Text renders the grid for a terminal: mean ± deviation, with a star if it is best or comparable.
func (g *GridTable) Text() string {
	header, rows := g.texts(func(c GridTableCell, best bool) string {
		if best {
			return c.ours() + "*"
		}
		return c.ours() + " "
	})
	var b strings.Builder
	for _, line := range alignedLines(header, rows) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Compact renders the grid in lines of at most width characters: means without deviations, no title
// and no average. Columns are divided into blocks if necessary. It is for a display that is
// redrawn.
func (g *GridTable) Compact(width int) []string {
	h := GridTable{Corner: g.Corner, Columns: g.Columns, Rows: g.Rows}
	header, rows := h.texts(func(c GridTableCell, best bool) string {
		switch {
		case c.Runs == 0:
			return c.ours() + " "
		case best:
			return twoDecimals(c.Mean) + "*"
		}
		return twoDecimals(c.Mean) + " "
	})
	widths := columnWidths(header, rows, 0)
	var lines []string
	for from := 1; from < len(header); {
		to, used := from, widths[0]
		for to < len(header) && (to == from || used+2+widths[to] <= width) {
			used += 2 + widths[to]
			to++
		}
		block := func(row []string) []string { return append([]string{row[0]}, row[from:to]...) }
		lines = append(lines, alignedLines(block(header), lists.Map(rows, block))...)
		from = to
	}
	return lines
}

func alignedLines(header []string, rows [][]string) []string {
	widths := columnWidths(header, rows, 0)
	var lines []string
	for _, row := range append([][]string{header}, rows...) {
		var line strings.Builder
		for j, s := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			line.WriteString(pad(s, widths[j], j == 0))
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

// texts formats every cell; the average is formatted like a cell of one run.
func (g *GridTable) texts(show func(c GridTableCell, best bool) string) (header []string, rows [][]string) {
	header = g.header()
	best, top := g.Best(), g.averageBest()
	for i, r := range g.Rows {
		row := []string{r.Label}
		for j := range g.Columns {
			row = append(row, show(g.cell(i, j), best[i][j]))
		}
		if g.Average {
			row = append(row, show(g.averageCell(i), i == top))
		}
		rows = append(rows, row)
	}
	return header, rows
}

func (g *GridTable) header() []string {
	header := append([]string{g.Corner}, lists.Map(g.Columns, func(c GridTableColumn) string { return c.Title })...)
	if g.Average {
		header = append(header, "average")
	}
	return header
}

func (g *GridTable) averageCell(row int) GridTableCell {
	mean, ok, paper, paperOK := g.RowAverage(row)
	var c GridTableCell
	if ok {
		c.Cell = NewCell([]float64{mean})
	}
	if paperOK {
		c.Paper = &paper
	}
	return c
}

// ours is the number of a cell, or the text shown instead.
func (c GridTableCell) ours() string {
	if c.Runs == 0 && c.State != "" {
		return c.State
	}
	return c.Cell.ours()
}

// Comparison is the grid with one row for each cell, column by column. The labels are column and
// row.
func (g *GridTable) Comparison(columns string) *Comparison {
	c := &Comparison{Labels: []string{columns, g.Corner}, BestOf: columns}
	for j, column := range g.Columns {
		for i, r := range g.Rows {
			cell := g.cell(i, j)
			if cell.Runs == 0 && cell.State != "" {
				cell.Note = strings.Join(slices.DeleteFunc([]string{cell.State, cell.Note}, func(s string) bool { return s == "" }), "; ")
			}
			c.Rows = append(c.Rows, ComparisonRow{Labels: []string{column.Title, r.Label}, Lower: column.Lower, Cell: cell.Cell})
		}
	}
	return c
}

// Check returns an error unless every row has a cell for each column.
func (g *GridTable) Check() error {
	for _, r := range g.Rows {
		if len(r.Cells) != len(g.Columns) {
			return fmt.Errorf("report: row %q has %d cells, expected %d", r.Label, len(r.Cells), len(g.Columns))
		}
	}
	return nil
}
