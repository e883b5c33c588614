package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// chosenTitle is the row that gridRequest.Choose adds.
const chosenTitle = "chosen on validation"

// rowChoice is the row that a data set's validation parts speak for.
type rowChoice struct {
	Dataset string  `json:"dataset"`
	Row     string  `json:"row"`
	Valid   float64 `json:"valid"` // mean over its jobs, as in JobResult
	Test    float64 `json:"test"`
}

// checkChoose reports a name that is no row, and a choice of nothing.
func (g *Grid) checkChoose() error {
	if c := g.request; len(c.Choose) == 0 && (c.Choose != nil || c.ChooseFirst) {
		return settings.Misuse("experiment: no rows are named to choose from")
	}
	for _, name := range g.request.Choose {
		if !slices.ContainsFunc(g.rows, func(r modelRow) bool { return r.Name == name }) {
			return settings.Misuse("experiment: %q cannot be chosen, as it is no row of the table", name)
		}
	}
	return nil
}

// chosen is the place among the rows that the validation scores of a column choose
// from gridRequest.Choose, the first of equals; -1 until all of these are done.
//
// With ChooseFirst it is the first of Choose that the t-test behind bold type does not
// tell from the best. Where no test is possible, as of one run each, nothing speaks
// against the first.
func (g *Grid) chosen(column int) (row int, valid float64) {
	var rows []int
	var samples []report.Sample
	best := 0
	for _, name := range g.request.Choose {
		i := slices.IndexFunc(g.rows, func(r modelRow) bool { return r.Name == name })
		c := g.cells[i][column]
		if len(c.results) < c.total(g.Seeds) {
			return -1, 0
		}
		s := report.SampleOf(c.runs(g.Seeds, func(r JobResult) float64 { return r.Valid }))
		rows, samples = append(rows, i), append(samples, s)
		if g.columns[column].protocol.better(s.Mean, samples[best].Mean) {
			best = len(samples) - 1
		}
	}
	pick := best
	if g.request.ChooseFirst {
		pick = slices.IndexFunc(samples, func(s report.Sample) bool {
			test, err := report.StudentT(s, samples[best])
			return err != nil || test.P > report.Significance
		})
	}
	return rows[pick], samples[pick].Mean
}

// choices lists what is chosen on each data set, as far as that is known.
func (g *Grid) choices() []rowChoice {
	var out []rowChoice
	for k, col := range g.columns {
		if i, valid := g.chosen(k); i >= 0 {
			out = append(out, rowChoice{Dataset: col.Name, Row: g.rows[i].Name, Valid: valid, Test: g.cells[i][k].summary(g.Seeds).Mean})
		}
	}
	return out
}

// chosenRow is the row of the table with the test scores of what is chosen; rows are
// those before it.
func (g *Grid) chosenRow(rows []report.GridTableRow) report.GridTableRow {
	r := report.GridTableRow{Label: chosenTitle}
	for k := range g.columns {
		cell := report.GridTableCell{State: "-"}
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
	list := lists.Map(g.choices(), func(c rowChoice) string { return fmt.Sprintf("%s %s (%.2f)", c.Dataset, c.Row, c.Valid) })
	best := "highest"
	for _, c := range g.columns {
		if c.protocol.Lower {
			best = "best"
		}
	}
	rows := strings.Join(g.request.Choose, ", ")
	rule := fmt.Sprintf("the row of %s with the %s mean validation score", rows, best)
	if g.request.ChooseFirst {
		rule = fmt.Sprintf("the first row of %s whose validation score does not differ significantly from the %s", rows, best)
	}
	return fmt.Sprintf("Chosen on validation: on each data set %s, by which alone it is chosen: %s.", rule, strings.Join(list, ", "))
}
