package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Cell is one measured number and the paper's number. Both use the unit of the table; accuracies
// are in percent, as in the paper.
type Cell struct {
	Mean float64 // over Runs values
	Std  float64 // sample deviation, divisor n-1; meaningless for one run
	Runs int     // folds or seeds in Mean; 0 for a cell that was not measured

	Paper    *float64 // nil if the paper has no number
	PaperStd *float64 // nil if the paper gives no deviation

	Seconds float64 // wall time of all runs; 0 if not measured
	Note    string  // a remark for readers, for example about a shortened schedule
}

// NewCell returns the cell of one value for each run. The caller sets the paper's number and other
// fields.
func NewCell(values []float64) Cell {
	if len(values) == 0 {
		return Cell{}
	}
	mean, std := MeanStd(values)
	return Cell{Mean: mean, Std: std, Runs: len(values)}
}

// WithPaper returns c with the paper's mean and deviation set; a NaN deviation
// means that the paper gives none.
func (c Cell) WithPaper(mean, std float64) Cell {
	c.Paper, c.PaperStd = &mean, nil
	if !math.IsNaN(std) {
		c.PaperStd = &std
	}
	return c
}

// Sample is the cell as input of a test.
func (c Cell) Sample() Sample { return Sample{Mean: c.Mean, Std: c.Std, Runs: c.Runs} }

// TestPaper is StudentT of the cell against the paper's number over that many runs, ten in its
// tables. It is an error if one of the two is missing.
func (c Cell) TestPaper(runs int) (TTest, error) {
	if c.Paper == nil || c.PaperStd == nil {
		return TTest{}, errors.New("report: t-test against the paper, which gives no mean with a deviation")
	}
	return StudentT(c.Sample(), Sample{Mean: *c.Paper, Std: *c.PaperStd, Runs: runs})
}

// Difference is our mean minus the paper's; ok is false if one is missing.
func (c Cell) Difference() (difference float64, ok bool) {
	if c.Runs == 0 || c.Paper == nil {
		return 0, false
	}
	return c.Mean - *c.Paper, true
}

// ComparisonRow is a cell with its labels, one for each label column of its Comparison: "MUTAG",
// "HyperDrop".
type ComparisonRow struct {
	Labels []string
	// Lower says that a smaller number is better.
	Lower bool
	Cell
}

// Comparison is a table of the paper's numbers and ours, with one row for each number.
type Comparison struct {
	Title  string
	Labels []string // names of the label columns
	Rows   []ComparisonRow

	// BestOf names a label column. Among the rows with the same label there, the best of our numbers
	// and those comparable to it (see Comparable) are marked: bold in Markdown, with a star in Text.
	// Such rows must have the same Lower. If BestOf is empty, nothing is marked.
	BestOf string
}

// Best reports for each row whether it is marked; none is if BestOf is empty. It is an error if
// BestOf is not a label column.
func (c *Comparison) Best() ([]bool, error) {
	best := make([]bool, len(c.Rows))
	if c.BestOf == "" {
		return best, nil
	}
	column := slices.Index(c.Labels, c.BestOf)
	if column < 0 {
		return nil, fmt.Errorf("report: best of %q, expected one of the label columns %q", c.BestOf, c.Labels)
	}
	groups := map[string][]int{}
	for i, r := range c.Rows {
		if column < len(r.Labels) {
			groups[r.Labels[column]] = append(groups[r.Labels[column]], i)
		}
	}
	for _, rows := range groups {
		samples := lists.Map(rows, func(i int) Sample { return c.Rows[i].Sample() })
		for k, marked := range Comparable(samples, c.Rows[rows[0]].Lower) {
			best[rows[k]] = marked
		}
	}
	return best, nil
}
