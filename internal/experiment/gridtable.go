package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Total and Done count the jobs; Failed counts the jobs that ended with an error.
func (g *Grid) Total() int  { return g.count(func(c *cell) int { return c.total(g.Seeds) }) }
func (g *Grid) Done() int   { return g.count(func(c *cell) int { return len(c.results) }) }
func (g *Grid) Failed() int { return g.count(func(c *cell) int { return len(c.failures) }) }

func (g *Grid) count(of func(*cell) int) int {
	n := 0
	for _, row := range g.cells {
		for _, c := range row {
			n += of(c)
		}
	}
	return n
}

// SecondsLeft estimates the time of the pending jobs: from the mean time of finished jobs of the
// cell, or else from the time per work of the row, or else of all rows. It is 0 while nothing is
// known.
func (g *Grid) SecondsLeft() float64 {
	type rate struct{ seconds, work float64 }
	var all rate
	rows := make([]rate, len(g.cells))
	for i, row := range g.cells {
		for _, c := range row {
			for _, r := range c.results[c.kept:] {
				rows[i] = rate{rows[i].seconds + r.Seconds, rows[i].work + c.work}
			}
		}
		all = rate{all.seconds + rows[i].seconds, all.work + rows[i].work}
	}
	if all.work == 0 {
		return 0
	}
	left := 0.0
	for i, row := range g.cells {
		for _, c := range row {
			if g.follows(c) {
				continue
			}
			n := float64(c.total(g.Seeds) - len(c.results) - len(c.failures))
			own := rate{}
			for _, r := range c.results {
				own = rate{own.seconds + r.Seconds, own.work + c.work}
			}
			for _, r := range []rate{own, rows[i], all} {
				if r.work > 0 {
					left += n * c.work * r.seconds / r.work
					break
				}
			}
		}
	}
	return left / float64(g.threads)
}

// failures lists the jobs that ended with an error.
func (g *Grid) failures() []JobFailure {
	var out []JobFailure
	for _, row := range g.cells {
		for _, c := range row {
			out = append(out, c.failures...)
		}
	}
	return out
}

// gridCells lists the cells column by column and decides which are bold.
func (g *Grid) gridCells() []cellJSON {
	t := g.Table()
	best := t.Best()
	var out []cellJSON
	for k := range g.columns {
		top := -1
		for i := range g.rows {
			if c := t.Rows[i].Cells[k]; c.Runs > 0 && (top < 0 || g.columns[k].protocol.better(c.Mean, t.Rows[top].Cells[k].Mean)) {
				top = i
			}
		}
		for i, row := range g.cells {
			c, of := row[k], t.Rows[i].Cells[k].Cell
			difference, ok := of.Difference()
			cell := cellJSON{Dataset: c.column.Name, Row: c.row.Name, Model: c.row.Model, Protocol: c.column.protocol.Name, Metric: c.column.protocol.Score, Lower: c.column.protocol.Lower,
				Mean: numberOrNil(of.Runs > 0, of.Mean), Std: numberOrNil(of.Runs > 1, of.Std), StdOver: g.stdOver(c), Runs: of.Runs, Jobs: len(c.results), Total: c.total(g.Seeds),
				Paper: of.Paper, PaperStd: of.PaperStd, Difference: numberOrNil(ok, difference), Best: best[i][k], Seconds: of.Seconds, Selection: task.Selection(c.settings),
				Failures: c.failures, Folds: c.results, Settings: c.settings}
			if top >= 0 && of.Runs > 0 {
				test, err := report.StudentT(of.Sample(), t.Rows[top].Cells[k].Sample())
				cell.PBest = numberOrNil(err == nil, test.P)
			}
			// The folds of one seed are not a sample of the paper's repeated runs.
			if len(g.Seeds) > 1 && of.Runs > 0 {
				test, err := of.TestPaper(paperRuns)
				cell.PPaper = numberOrNil(err == nil, test.P)
			}
			out = append(out, cell)
		}
	}
	return out
}

// stdOver says what the deviation of a cell is over.
func (g *Grid) stdOver(c *cell) string {
	if len(g.Seeds) == 1 && len(c.folds) > 1 {
		return "folds"
	}
	return "seeds"
}

// summary returns the mean over folds for each seed, and the mean and deviation of these.
func (c *cell) summary(seeds []uint64) report.Cell {
	if len(c.results) < c.total(seeds) {
		return report.Cell{}
	}
	return report.NewCell(c.runs(seeds, func(r JobResult) float64 { return r.Test }))
}

// runs returns the values of a cell as the runs of a test: the mean over folds for each seed, or
// the folds if there is one seed.
func (c *cell) runs(seeds []uint64, of func(JobResult) float64) []float64 {
	var perSeed, all []float64
	for _, seed := range seeds {
		folds := lists.Map(lists.Filter(c.results, func(r JobResult) bool { return r.Seed == seed }), of)
		mean, _ := report.MeanStd(folds)
		perSeed = append(perSeed, mean)
		all = append(all, folds...)
	}
	if len(seeds) == 1 {
		return all
	}
	return perSeed
}

// Table returns the grid for rendering, without a title.
func (g *Grid) Table() *report.GridTable {
	t := &report.GridTable{Corner: "model", Average: len(g.columns) > 1}
	for _, c := range g.columns {
		t.Columns = append(t.Columns, report.GridTableColumn{Title: c.Title, Lower: c.protocol.Lower})
		t.Average = t.Average && c.protocol.Average
	}
	for i, row := range g.cells {
		r := report.GridTableRow{Label: g.rows[i].Title}
		for _, c := range row {
			cell := report.GridTableCell{Cell: c.summary(g.Seeds)}
			if p, ok := paperOf(c.row.Name, c.column.Name); ok {
				cell.Cell = cell.WithPaper(p.Mean, p.Std)
			}
			for _, j := range c.results {
				cell.Seconds += j.Seconds
			}
			switch {
			case len(c.failures) > 0:
				cell.State = fmt.Sprintf("failed (%d/%d)", len(c.results), c.total(g.Seeds))
				cell.Note = c.failures[0].Error
			case cell.Runs == 0:
				cell.State = fmt.Sprintf("%d/%d", len(c.results), c.total(g.Seeds))
			}
			r.Cells = append(r.Cells, cell)
		}
		t.Rows = append(t.Rows, r)
	}
	if g.request.Choose != nil {
		t.Rows = append(t.Rows, g.chosenRow(t.Rows))
	}
	return t
}

// remarks are the notes below the table: how epochs were selected, what is bold, what was
// shortened.
func (g *Grid) remarks() []string {
	out := slices.Clone(g.Notes)
	byProtocol := map[string][]string{}
	var order []string
	for k, c := range g.columns {
		text := c.protocol.Title
		if n := len(g.cells[0][k].folds); n < c.protocol.Folds {
			text += fmt.Sprintf(" (of these %d, not %d: %s)", n, c.protocol.Folds, joinNumbers(g.cells[0][k].folds))
		}
		text += ". Selection: " + task.Selection(g.cells[0][k].settings)
		if byProtocol[text] == nil {
			order = append(order, text)
		}
		byProtocol[text] = append(byProtocol[text], c.Title)
	}
	for _, text := range order {
		between := ", "
		if strings.Contains(byProtocol[text][0], ",") {
			between = "; "
		}
		out = append(out, strings.Join(byProtocol[text], between)+": "+text+".")
	}
	if g.request.Choose != nil {
		out = append(out, g.chosenRemark())
	}
	runs := fmt.Sprintf("%d seeds (%s)", len(g.Seeds), joinNumbers(g.Seeds))
	if len(g.Seeds) == 1 {
		runs = "One seed (" + joinNumbers(g.Seeds) + ")"
	}
	over := "the deviation is over seeds, divisor n-1"
	if len(g.Seeds) == 1 {
		over = "the deviation is over folds, which share training data and look more certain than they are; a set with one split has none"
	}
	out = append(out, runs+"; "+over+". The paper has ten runs.",
		fmt.Sprintf("Bold: the best of its column, and what does not differ from it significantly (two-sided t-test, equal variances, p > %.2f). A cell with failed jobs takes no part.", report.Significance))
	return out
}

func joinNumbers[T int | uint64](numbers []T) string {
	text := lists.Map(numbers, func(n T) string { return fmt.Sprint(n) })
	return strings.Join(text, ", ")
}
