package experiment

import (
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/version"
)

// gridJSON is a grid as one JSON document.
type gridJSON struct {
	Experiment string       `json:"experiment"`
	Title      string       `json:"title"`
	Columns    []string     `json:"columns"`
	Rows       []string     `json:"rows"`
	Cells      []cellJSON   `json:"cells"` // column by column
	Averages   []rowAverage `json:"averages,omitempty"`
	Choices    []rowChoice  `json:"choices,omitempty"`
	Seeds      []uint64     `json:"seeds"`
	Jobs       int          `json:"jobs"` // finished jobs
	Total      int          `json:"total"`
	Failures   []JobFailure `json:"failures,omitempty"`
	Notes      []string     `json:"notes"`
	Seconds    float64      `json:"seconds"` // of the call that wrote it
	Version    version.Info `json:"version"`
}

// cellJSON is a cell of a gridJSON; unknown values are null.
type cellJSON struct {
	Dataset  string   `json:"dataset"`
	Row      string   `json:"row"`
	Model    string   `json:"model"`
	Protocol string   `json:"protocol"`
	Metric   string   `json:"metric"`
	Lower    bool     `json:"lower,omitempty"` // lower is better
	Mean     *float64 `json:"mean"`            // in percent, or in the unit of the data if lower is better
	Std      *float64 `json:"std"`
	// StdOver is "seeds" for means over folds, one for each seed. With one seed it is "folds": folds
	// share training data, so their deviation is too small.
	StdOver    string   `json:"std_over"`
	Runs       int      `json:"runs"` // number of values in std, 0 until every job is done
	Jobs       int      `json:"jobs"` // finished jobs, out of Total
	Total      int      `json:"total"`
	Paper      *float64 `json:"paper"`
	PaperStd   *float64 `json:"paper_std"`
	Difference *float64 `json:"difference"`
	// Best says that the cell is bold: the best of its column or comparable to it. PBest and PPaper
	// are p-values of the t-tests against the best of the column and against the paper's number.
	Best      bool              `json:"best"`
	PBest     *float64          `json:"p_best"`
	PPaper    *float64          `json:"p_paper"`
	Seconds   float64           `json:"seconds"` // sum over its jobs
	Selection string            `json:"selection"`
	Failures  []JobFailure      `json:"failures,omitempty"`
	Folds     []JobResult       `json:"folds"`
	Settings  settings.Settings `json:"settings"` // of the first seed and fold
}

// rowAverage is the mean over the columns; null if a cell is missing.
type rowAverage struct {
	Row   string   `json:"row"`
	Mean  *float64 `json:"mean"`
	Paper *float64 `json:"paper"`
}

// asJSON returns the grid for programs.
func (g *Grid) asJSON() *gridJSON {
	d := &gridJSON{Experiment: g.Name, Title: g.title(), Seeds: g.Seeds, Jobs: g.Done(), Total: g.Total(), Failures: g.failures(),
		Notes: g.remarks(), Seconds: g.Seconds, Version: version.Get(kernel.Level()), Cells: g.gridCells()}
	for _, c := range g.columns {
		d.Columns = append(d.Columns, c.Name)
	}
	t := g.Table()
	for i, r := range g.rows {
		d.Rows = append(d.Rows, r.Name)
		if t.Average {
			mean, ok, paper, paperOK := t.RowAverage(i)
			d.Averages = append(d.Averages, rowAverage{r.Name, numberOrNil(ok, mean), numberOrNil(paperOK, paper)})
		}
	}
	if g.request.Choose != nil {
		d.Choices = g.choices()
		if mean, ok, _, _ := t.RowAverage(len(g.rows)); t.Average {
			d.Averages = append(d.Averages, rowAverage{Row: chosenTitle, Mean: numberOrNil(ok, mean)})
		}
	}
	return d
}

// numberOrNil is v, or nil for null.
func numberOrNil(ok bool, v float64) *float64 {
	if !ok {
		return nil
	}
	return &v
}
