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

// rowChoice is the row chosen by the validation parts of a data set.
type rowChoice struct {
	Dataset string  `json:"dataset"`
	Row     string  `json:"row"`
	Valid   float64 `json:"valid"` // mean over its jobs, as in JobResult
	Test    float64 `json:"test"`
}

// checkChoose returns an error for a name that is not a row, and for an empty choice.
func (g *Grid) checkChoose() error {
	if c := g.request; len(c.Choose) == 0 && (c.Choose != nil || c.ChooseFirst) {
		return settings.Misuse("experiment: no rows are named to choose from")
	}
	for _, name := range g.request.Choose {
		if !slices.ContainsFunc(g.rows, func(r modelRow) bool { return r.Name == name }) {
			return settings.Misuse("experiment: %q cannot be chosen, because it is not a row of the table", name)
		}
	}
	return nil
}

// chosen is the index of the row of gridRequest.Choose with the best validation score in a column,
// the first of equals; -1 until all of these rows are done.
//
// With ChooseFirst it is the first row of Choose that is not significantly worse than the best, by
// the t-test for bold type. If no test is possible, for example with one run each, the first row is
// chosen.
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

// choices lists the chosen row of each data set, as far as known.
func (g *Grid) choices() []rowChoice {
	var out []rowChoice
	for k, col := range g.columns {
		if i, valid := g.chosen(k); i >= 0 {
			out = append(out, rowChoice{Dataset: col.Name, Row: g.rows[i].Name, Valid: valid, Test: g.cells[i][k].summary(g.Seeds).Mean})
		}
	}
	return out
}

// chosenRow is the table row with the test scores of the chosen rows; rows are the rows before it.
func (g *Grid) chosenRow(rows []report.GridTableRow) report.GridTableRow {
	r := report.GridTableRow{Label: chosenTitle}
	for k := range g.columns {
		cell := report.GridTableCell{State: "-"}
		if i, _ := g.chosen(k); i >= 0 {
			cell = rows[i].Cells[k]
			cell.Paper, cell.PaperStd = nil, nil // the paper's numbers belong to one model
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

// chosenRemark explains the row.
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
