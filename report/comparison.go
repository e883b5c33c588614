package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Cell is one measured number beside the paper's. Its units are the table's;
// the paper prints accuracies in percent, and so should the cells beside them.
type Cell struct {
	Mean float64 // over Runs values
	Std  float64 // sample deviation, divisor n-1; says nothing for one run
	Runs int     // folds or seeds behind Mean; 0 for a cell not measured

	Paper    *float64 // nil where the paper has no number
	PaperStd *float64 // nil where the paper gives no deviation

	Seconds float64 // wall time of all runs; 0 if not taken
	Note    string  // what a reader must know, such as a shortened schedule
}

// NewCell is the cell of one value per run. The paper's number and the rest
// are the caller's to set.
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

// Sample is what the cell says to a test.
func (c Cell) Sample() Sample { return Sample{Mean: c.Mean, Std: c.Std, Runs: c.Runs} }

// TestPaper is StudentT of the cell against the paper's number over that many
// runs, ten in its tables. It is an error where one of the two is missing.
func (c Cell) TestPaper(runs int) (TTest, error) {
	if c.Paper == nil || c.PaperStd == nil {
		return TTest{}, errors.New("report: t-test against the paper, which gives no mean with a deviation")
	}
	return StudentT(c.Sample(), Sample{Mean: *c.Paper, Std: *c.PaperStd, Runs: runs})
}

// Difference is our mean minus the paper's, and whether there are both.
func (c Cell) Difference() (difference float64, ok bool) {
	if c.Runs == 0 || c.Paper == nil {
		return 0, false
	}
	return c.Mean - *c.Paper, true
}

// cellJSON is how a cell is stored. Numbers that are not there, or that JSON
// cannot hold, are null.
type cellJSON struct {
	Mean       *float64 `json:"mean"`
	Std        *float64 `json:"std"`
	Folds      int      `json:"folds"`
	Paper      *float64 `json:"paper"`
	PaperStd   *float64 `json:"paper_std"`
	Difference *float64 `json:"difference"`
	Seconds    float64  `json:"seconds"`
	Note       string   `json:"note,omitempty"`
}

func (c Cell) json() cellJSON {
	j := cellJSON{Folds: c.Runs, Seconds: c.Seconds, Note: c.Note}
	if c.Runs > 0 {
		j.Mean = finite(c.Mean)
	}
	if c.Runs > 1 {
		j.Std = finite(c.Std)
	}
	if c.Paper != nil {
		j.Paper = finite(*c.Paper)
	}
	if c.PaperStd != nil {
		j.PaperStd = finite(*c.PaperStd)
	}
	if d, ok := c.Difference(); ok {
		j.Difference = finite(d)
	}
	return j
}

func (j cellJSON) cell() Cell {
	c := Cell{Runs: j.Folds, Paper: j.Paper, PaperStd: j.PaperStd, Seconds: j.Seconds, Note: j.Note}
	if j.Mean != nil {
		c.Mean = *j.Mean
	} else if j.Folds > 0 {
		c.Mean = math.NaN()
	}
	if j.Std != nil {
		c.Std = *j.Std
	}
	return c
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// MarshalJSON writes mean, std, folds, paper, paper_std, difference, seconds
// and note. The mean of a cell not measured, the deviation of one run and what
// the paper lacks are null.
func (c Cell) MarshalJSON() ([]byte, error) { return json.Marshal(c.json()) }

// UnmarshalJSON reads what MarshalJSON writes; the difference is computed, not
// read.
func (c *Cell) UnmarshalJSON(b []byte) error {
	var j cellJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*c = j.cell()
	return nil
}

// ComparisonRow is a cell and what it is about, one label per label column of its
// Comparison: "MUTAG", "HyperDrop".
type ComparisonRow struct {
	Labels []string
	// Lower says that a smaller number is a better one.
	Lower bool
	Cell
}

type rowJSON struct {
	Labels []string `json:"labels"`
	Lower  bool     `json:"lower,omitempty"`
	cellJSON
}

// MarshalJSON writes the labels and the cell as one object.
func (r ComparisonRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(rowJSON{r.Labels, r.Lower, r.json()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *ComparisonRow) UnmarshalJSON(b []byte) error {
	var j rowJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*r = ComparisonRow{j.Labels, j.Lower, j.cell()}
	return nil
}

// Comparison is a table of the paper with our numbers beside it, one row per
// number.
type Comparison struct {
	Title  string          `json:"title"`
	Labels []string        `json:"labels"` // names of the label columns
	Rows   []ComparisonRow `json:"rows"`

	// BestOf names a label column. Among the rows with one label there, the best of
	// our numbers and those comparable to it (see Comparable) are marked: bold in
	// Markdown, with a star in Text. They agree in Lower. Empty: none is.
	BestOf string `json:"best_of,omitempty"`
	// Digits is how many decimals Markdown and Text show; 0 means 2. JSON has
	// all of them.
	Digits int `json:"-"`
}

// Best tells for each row whether it is to be marked; nothing is when BestOf is
// empty. It is an error when BestOf is no label column.
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
		samples := make([]Sample, len(rows))
		for k, i := range rows {
			samples[k] = c.Rows[i].Sample()
		}
		for k, marked := range Comparable(samples, c.Rows[rows[0]].Lower) {
			best[rows[k]] = marked
		}
	}
	return best, nil
}
