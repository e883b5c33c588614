package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/version"
)

// document has the table with its remarks, every cell and every job.
func (g *Grid) document() *report.Document {
	t := g.Table()
	list := t.Comparison("data set")
	list.Title = "Every cell"
	d := &report.Document{Title: g.title(), Lead: []string{fmt.Sprintf("ehgnn %s, %d of %d trainings done.", version.Get(kernel.Level()).Name(), g.Done(), g.Total())},
		Parts: []report.Part{t}, Remarks: g.remarks(), Details: []*report.Comparison{list}, Sheets: []report.Sheet{g.cellSheet(), g.jobSheet()}, Value: g.asJSON()}
	for _, f := range g.failures() {
		d.Problems = append(d.Problems, "Failed: "+f.Job.String()+": "+strings.ReplaceAll(f.Error, "\n", " "))
	}
	return d
}

// title is the title of the table. It says whether all or some columns are errors.
func (g *Grid) title() string {
	errors := lists.Count(g.columns, func(c *column) bool { return c.protocol.Lower })
	measure := g.request.Measure
	switch {
	case measure == "":
		return g.Title
	case errors == len(g.columns):
		measure = "test RMSE in the unit of the data"
	case errors > 0:
		measure += "; RMSE in the unit of the data"
	}
	return g.Title + ": " + measure
}

// writeFiles writes the document's files and a line for every job (see report.Document.WriteFiles).
func (g *Grid) writeFiles(dir string) error { return g.document().WriteFiles(dir) }

// cellSheet is table.csv.
func (g *Grid) cellSheet() report.Sheet {
	sheet := report.Sheet{Name: "table", Header: []string{"dataset", "row", "model", "metric", "mean", "std", "std_over", "runs", "jobs", "total", "failed",
		"paper", "paper_std", "difference", "best", "p_best", "p_paper", "seconds", "error"}}
	for _, c := range g.gridCells() {
		failure := ""
		if len(c.Failures) > 0 {
			failure = c.Failures[0].Error
		}
		sheet.Rows = append(sheet.Rows, []string{c.Dataset, c.Row, c.Model, c.Metric, field(c.Mean), field(c.Std), c.StdOver, strconv.Itoa(c.Runs), strconv.Itoa(c.Jobs), strconv.Itoa(c.Total),
			strconv.Itoa(len(c.Failures)), field(c.Paper), field(c.PaperStd), field(c.Difference), strconv.FormatBool(c.Best), field(c.PBest), field(c.PPaper), number(c.Seconds), failure})
	}
	return sheet
}

// jobSheet is folds.csv.
func (g *Grid) jobSheet() report.Sheet {
	sheet := report.Sheet{Name: "folds", Header: []string{"dataset", "row", "seed", "fold", "metric", "test", "valid", "valid_loss", "best_epoch", "epochs", "seconds"}}
	for _, c := range g.gridCells() {
		for _, r := range c.Folds {
			sheet.Rows = append(sheet.Rows, []string{r.Dataset, r.Row, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Fold), r.Metric, number(r.Test), number(r.Valid),
				number(r.ValidLoss), strconv.Itoa(r.BestEpoch), strconv.Itoa(r.Epochs), number(r.Seconds)})
		}
	}
	return sheet
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// field is a number of a sheet, or empty.
func field(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

// single is the document of a grid with one cell: every job, and the comparison with the paper. Its
// value is one flat object: mean, std, paper, seconds and details. Its folds have the keys of a
// table's folds and, if the metric is accuracy, accuracy and valid_accuracy.
func (g *Grid) single() *report.Document {
	type fold struct {
		JobResult
		Accuracy *float64 `json:"accuracy,omitempty"`
		Valid    *float64 `json:"valid_accuracy,omitempty"`
	}
	cell := g.gridCells()[0]
	folds := make([]fold, len(cell.Folds))
	for i, f := range cell.Folds {
		folds[i].JobResult = f
		if f.Metric == "accuracy" {
			folds[i].Accuracy, folds[i].Valid = &f.Test, &f.Valid
		}
	}
	var lines report.Lines
	for _, f := range cell.Folds {
		at := ""
		if f.Fold > 0 {
			at = fmt.Sprintf("  fold %2d", f.Fold)
		}
		lines = append(lines, fmt.Sprintf("seed %d%s  test %6.2f  valid %6.2f  best epoch %3d of %3d  %6.1f s",
			f.Seed, at, f.Test, f.Valid, f.BestEpoch, f.Epochs, f.Seconds))
	}
	for _, f := range cell.Failures {
		lines = append(lines, fmt.Sprintf("%s failed: %s", f.Job, f.Error))
	}
	unit := "percent"
	if cell.Lower {
		unit = "the unit of the data"
	}
	table := &report.Comparison{Title: "Test " + task.ScoreTitle(cell.Metric) + " in " + unit, Labels: []string{"data set", "model"},
		Rows: []report.ComparisonRow{{Labels: []string{cell.Dataset, cell.Row}, Lower: cell.Lower, Cell: g.Table().Rows[0].Cells[0].Cell}}}
	return &report.Document{
		Parts:   []report.Part{lines, table},
		Remarks: []string{fmt.Sprintf("Deviation over %s. Selection: %s.", cell.StdOver, cell.Selection)},
		Value: struct {
			cellJSON
			Folds      []fold   `json:"folds"`
			Seeds      []uint64 `json:"seeds"`
			Seconds    float64  `json:"seconds"`
			JobSeconds float64  `json:"job_seconds"`
			Notes      []string `json:"notes"`
		}{cell, folds, g.Seeds, g.Seconds, cell.Seconds, g.remarks()},
	}
}
