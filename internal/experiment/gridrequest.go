package experiment

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// modelRow is a line of a grid: a model and what sets it apart from others of its kind.
type modelRow struct {
	Name  string // unique in the grid: "hyperdrop-endpoints"
	Title string // as tables show it; empty: the paper's, or Name
	Model string // of the registry; empty: Name
	// Molecules is the model on OGB sets, where GMT's GCN and GIN, whose numbers the
	// paper took over, read bonds; empty: Model.
	Molecules string
	// Overrides are part of what the row is and win over those of the request.
	Overrides settings.Values
}

// DatasetColumn is a data set of a grid.
type DatasetColumn struct {
	Name   string // unique in the grid; empty: the data's own name
	Title  string // as tables show it; empty: the paper's, or Name
	Path   string
	Set    string // the set to read where the path holds several
	Format string // empty to recognise it
	// Variant sets columns of one data set apart and is added to name and title:
	// "16 layers".
	Variant string
	// Overrides win over those of the request, and the row's over these.
	Overrides settings.Values
	Folds     []int // from 1; nil for those of the request
}

// gridRequest asks for a table.
type gridRequest struct {
	Name  string // of the experiment: "graph-classification"
	Title string
	// Measure says what cells are in percent, and is added to Title.
	Measure   string
	Rows      []modelRow
	Columns   []DatasetColumn
	Seeds     []uint64 // a run each; the paper has ten
	Folds     []int    // of columns that do not have their own; nil for all
	Edges     string   // auto, undirected or directed
	Overrides settings.Values
	// FoldSeed is that of the folds of data sets that come without any.
	FoldSeed uint64
	// Adjust changes every opened session, in this order, before it is trained.
	Adjust []adjustment
	// Choose names rows of which each data set's best on validation makes a row of its
	// own, the last; nil for none.
	Choose []string
	// ChooseFirst takes the first of Choose that validation does not speak against:
	// whose score differs from the best by no more than chance.
	ChooseFirst bool
	// Notes are remarks that belong below the table: what was shortened or left
	// out.
	Notes   []string
	Threads int // jobs at a time
	// MemoryLimit bounds the estimated bytes of data and of the jobs that run at a
	// time (see task.Session.Estimate); 0 for none. A job that does not fit alone fails.
	MemoryLimit int64
	// Dir keeps finished jobs (jobs are resumed from there) and gets the tables;
	// empty keeps nothing.
	Dir string
	// OnEvent is told of the progress; calls do not overlap, and what it does holds
	// up the jobs.
	OnEvent func(Event)
}

// adjustment changes an opened session before it is trained, in a way that no setting
// can say.
type adjustment struct {
	// Name is part of what jobs are known by, as settings are: results of other
	// adjustments do not count as theirs.
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

// JobResult is a finished job. Test and Valid are the protocol's score at the selected
// epoch, in percent or, where lower is better, in the unit of the data.
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

// JobFailure is a job that ended in an error. It is not kept: the next run tries
// again.
type JobFailure struct {
	Job
	Error string `json:"error"`
	Stack string `json:"stack,omitempty"` // of a panic
}

// Event is a step of a grid's progress: a job that starts, has done an epoch, or
// has ended with a Result or a Failure.
type Event struct {
	Job     Job
	Epoch   *train.EpochInfo // of a job under way
	Epochs  int              // of the job, at most
	Result  *JobResult
	Failure *JobFailure
	// Grid is the state, to be read during the call only.
	Grid *Grid
}

// Ended reports whether the job is over.
func (e Event) Ended() bool { return e.Result != nil || e.Failure != nil }
