package experiment

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// modelRow is a row of a grid: a model with the settings that distinguish it from similar rows.
type modelRow struct {
	Name  string // unique in the grid: "hyperdrop-endpoints"
	Title string // title in tables; empty for the paper's, or Name
	Model string // in the registry; empty for Name
	// Molecules is the model on OGB sets; empty for Model. There the GCN and GIN of GMT, whose numbers
	// the paper reports, read bonds.
	Molecules string
	// Overrides belong to the row and override settings of the request.
	Overrides settings.Values
}

// DatasetColumn is a data set of a grid.
type DatasetColumn struct {
	Name   string // unique in the grid; empty for the data's name
	Title  string // title in tables; empty for the paper's, or Name
	Path   string
	Set    string // set to read if the path holds several
	Format string // empty to recognise it
	// Variant distinguishes columns of the same data set and is added to name and title: "16 layers".
	Variant string
	// Overrides override settings of the request, and are overridden by the row's.
	Overrides settings.Values
	Folds     []int // from 1; nil for those of the request
}

// gridRequest describes a table to train.
type gridRequest struct {
	Name  string // of the experiment: "graph-classification"
	Title string
	// Measure is the meaning of cells in percent, and is added to Title.
	Measure   string
	Rows      []modelRow
	Columns   []DatasetColumn
	Seeds     []uint64 // one run each; the paper has ten
	Folds     []int    // of columns without their own; nil for all
	Edges     string   // auto, undirected or directed
	Overrides settings.Values
	// FoldSeed is the seed of the folds of data sets that have none.
	FoldSeed uint64
	// Adjust changes every opened session before training, in this order.
	Adjust []adjustment
	// Choose lists rows. For each data set, the best of them on validation makes up a last row of the
	// table; nil for none.
	Choose []string
	// ChooseFirst takes the first row of Choose whose validation score is not significantly worse than
	// the best.
	ChooseFirst bool
	// Notes are remarks below the table about shortened or missing parts.
	Notes   []string
	Threads int // concurrent jobs
	// MemoryLimit limits the estimated bytes of data and of concurrent jobs (see
	// session.Session.Estimate); 0 for no limit. A job that alone exceeds it fails.
	MemoryLimit int64
	// Dir stores finished jobs, from which runs are resumed, and the tables; empty stores nothing.
	Dir string
	// OnEvent receives progress reports; calls do not overlap and delay the jobs.
	OnEvent func(Event)
}

// adjustment changes an opened session before training in a way that no setting can.
type adjustment struct {
	// Name is part of a job's identity, like its settings: results with other adjustments do not
	// count.
	Name  string
	Apply func(*session.Session) error
}

// Job is one training.
type Job struct {
	Row     string `json:"row"`     // modelRow.Name
	Dataset string `json:"dataset"` // DatasetColumn.Name
	Seed    uint64 `json:"seed"`
	Fold    int    `json:"fold,omitempty"` // from 1; 0 for a set with one split
}

func (j Job) String() string {
	s := fmt.Sprintf("%s on %s, seed %d", j.Row, j.Dataset, j.Seed)
	if j.Fold > 0 {
		s += fmt.Sprintf(", fold %d", j.Fold)
	}
	return s
}

// JobResult is a finished job. Test and Valid are the protocol's scores at the selected epoch, in
// percent or, if lower is better, in the unit of the data.
type JobResult struct {
	Job
	Metric    string  `json:"metric"`
	Test      float64 `json:"test"`
	Valid     float64 `json:"valid"`
	ValidLoss float64 `json:"valid_loss"`
	BestEpoch int     `json:"best_epoch"`
	Epochs    int     `json:"epochs"`
	Seconds   float64 `json:"seconds"`
	// Key identifies settings and data, without seed and fold.
	Key string `json:"key"`
}

// JobFailure is a job that ended with an error. It is not stored: the next run tries again.
type JobFailure struct {
	Job
	Error string `json:"error"`
	Stack string `json:"stack,omitempty"` // of a panic
}

// Event is a progress report of a grid: a job starts, has finished an epoch, or has ended with a
// Result or a Failure.
type Event struct {
	Job     Job
	Epoch   *train.EpochInfo // of a running job
	Epochs  int              // of the job, at most
	Result  *JobResult
	Failure *JobFailure
	// Grid is the current state; read it only during the call.
	Grid *Grid
}

// Ended reports whether the job is over.
func (e Event) Ended() bool { return e.Result != nil || e.Failure != nil }
