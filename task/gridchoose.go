package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/report"
)

// chosenTitle is the row that GridRequest.Choose adds.
const chosenTitle = "chosen on validation"

// Choice is the row that a data set's validation parts speak for.
type Choice struct {
	Dataset string  `json:"dataset"`
	Row     string  `json:"row"`
	Valid   float64 `json:"valid"` // mean over its jobs, in percent
	Test    float64 `json:"test"`
}

// checkChoose reports a name that is no row.
func (g *Grid) checkChoose() error {
	for _, name := range g.request.Choose {
		if !slices.ContainsFunc(g.rows, func(r Row) bool { return r.Name == name }) {
			return misuse("task: %q cannot be chosen, as it is no row of the table", name)
		}
	}
	return nil
}

// chosen is the place among the rows that the validation scores of a column choose
// from GridRequest.Choose, the first of equals; -1 until all of these are done.
func (g *Grid) chosen(column int) (row int, valid float64) {
	row = -1
	for i, r := range g.rows {
		if !slices.Contains(g.request.Choose, r.Name) {
			continue
		}
		c := g.cells[i][column]
		if len(c.results) < c.total(g.Seeds) {
			return -1, 0
		}
		mean := 0.0
		for _, j := range c.results {
			mean += j.Valid / float64(len(c.results))
		}
		if row < 0 || mean > valid {
			row, valid = i, mean
		}
	}
	return row, valid
}

// Choices lists what is chosen on each data set, as far as that is known.
func (g *Grid) Choices() []Choice {
	var out []Choice
	for k, col := range g.columns {
		if i, valid := g.chosen(k); i >= 0 {
			out = append(out, Choice{Dataset: col.Name, Row: g.rows[i].Name, Valid: valid, Test: g.cells[i][k].summary(g.Seeds).Mean})
		}
	}
	return out
}

// chosenRow is the row of the table with the test scores of what is chosen; rows are
// those before it.
func (g *Grid) chosenRow(rows []report.GridRow) report.GridRow {
	r := report.GridRow{Label: chosenTitle}
	for k := range g.columns {
		cell := report.GridCell{State: "-"}
		if i, _ := g.chosen(k); i >= 0 {
			cell = rows[i].Cells[k]
			cell.Paper, cell.PaperStd = nil, nil // which are of one model
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

// chosenRemark says how the row came about.
func (g *Grid) chosenRemark() string {
	var list []string
	for _, c := range g.Choices() {
		list = append(list, fmt.Sprintf("%s %s (%.2f)", c.Dataset, c.Row, c.Valid))
	}
	return fmt.Sprintf("Chosen on validation: on each data set the row of %s with the highest mean validation score, by which alone it is chosen: %s.",
		strings.Join(g.request.Choose, ", "), strings.Join(list, ", "))
}
