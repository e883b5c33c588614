package sweep

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Operations of Optuna's JournalStorage that a sweep writes
// (optuna.storages.journal, JournalOperation).
const (
	opCreateStudy  = 0
	opDeleteStudy  = 1 // never written
	opStudyAttr    = 2
	opCreateTrial  = 4
	opTrialParam   = 5 // never written
	opTrialState   = 6
	opIntermediate = 7
	opTrialAttr    = 8
)

// State is the state of a trial, with Optuna's numbers.
type State int

// The states of trials.
const (
	Running  State = 0 // or paused at a rung
	Complete State = 1
	Pruned   State = 2
	Failed   State = 3
)

// String is the state as a word.
func (s State) String() string {
	switch s {
	case Complete:
		return "complete"
	case Pruned:
		return "pruned"
	case Failed:
		return "failed"
	}
	return "running"
}

// MarshalText is the state as a word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Directions of a study.
const (
	minimise = 1
	maximise = 2
)

// worker is the name of this writer in the journal, by which Optuna distinguishes writers.
const worker = "ehgnn"

// journal is an open study.journal. Lines are written completely or not at all. A trial is created
// with all its settings in one line, so that a kill leaves the whole trial or no trial.
type journal struct {
	lines *atomicfile.Lines
	now   func() time.Time
}

type createStudy struct {
	Op         int    `json:"op_code"`
	Worker     string `json:"worker_id"`
	Name       string `json:"study_name"`
	Directions []int  `json:"directions"`
}

type studyAttr struct {
	Op     int            `json:"op_code"`
	Worker string         `json:"worker_id"`
	Study  int            `json:"study_id"`
	Attr   map[string]any `json:"user_attr"` // with one key
}

type createTrial struct {
	Op            int                `json:"op_code"`
	Worker        string             `json:"worker_id"`
	Study         int                `json:"study_id"`
	Started       string             `json:"datetime_start"`
	State         int                `json:"state"`
	Value         *float64           `json:"value"`
	Values        []float64          `json:"values"`
	Distributions map[string]string  `json:"distributions"`
	Params        map[string]float64 `json:"params"`
	UserAttrs     map[string]any     `json:"user_attrs"`
	SystemAttrs   map[string]any     `json:"system_attrs"`
	Intermediate  map[string]float64 `json:"intermediate_values"`
}

type trialAttr struct {
	Op     int            `json:"op_code"`
	Worker string         `json:"worker_id"`
	Trial  int            `json:"trial_id"`
	Attr   map[string]any `json:"user_attr"` // with one key
}

type intermediate struct {
	Op     int     `json:"op_code"`
	Worker string  `json:"worker_id"`
	Trial  int     `json:"trial_id"`
	Step   int     `json:"step"`
	Value  float64 `json:"intermediate_value"`
}

type trialState struct {
	Op     int       `json:"op_code"`
	Worker string    `json:"worker_id"`
	Trial  int       `json:"trial_id"`
	State  int       `json:"state"`
	Values []float64 `json:"values"`
	Ended  string    `json:"datetime_complete"`
}

// stamp formats a time like Optuna.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// header writes a journal with the study and its plan, completely or not at all.
func header(path, name string, maximised bool, p plan) error {
	direction := minimise
	if maximised {
		direction = maximise
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		return errors.Join(enc.Encode(createStudy{opCreateStudy, worker, name, []int{direction}}),
			enc.Encode(studyAttr{opStudyAttr, worker, 0, map[string]any{planAttr: p}}))
	})
}

// attr sets an attribute of the study.
func (j *journal) attr(key string, value any) error {
	return j.lines.Append(studyAttr{opStudyAttr, worker, 0, map[string]any{key: value}})
}

// trial creates the next trial.
func (j *journal) trial(s Space, values settings.Values, run string) error {
	c := createTrial{Op: opCreateTrial, Worker: worker, Started: stamp(j.now()), Distributions: map[string]string{}, Params: map[string]float64{},
		UserAttrs: map[string]any{"run": run}, SystemAttrs: map[string]any{}, Intermediate: map[string]float64{}}
	for _, d := range s {
		c.Distributions[d.Option] = d.distribution()
		c.Params[d.Option] = d.internal(values[d.Option])
	}
	return j.synced(c)
}

// internal is a value in Optuna's form: the number, or the index of the choice.
func (d Dimension) internal(v any) float64 {
	if n, ok := v.(int); ok && d.Choices == nil {
		return float64(n)
	}
	if d.Choices != nil {
		return d.coordinate(v)
	}
	return v.(float64)
}

// external is the value with the number that Optuna stores; ok is false if it is not in the
// dimension.
func (d Dimension) external(x float64) (v any, ok bool) {
	switch {
	case d.Choices != nil:
		if ok = x >= 0 && x < float64(len(d.Choices)) && x == math.Trunc(x); ok {
			v = d.Choices[int(x)]
		}
	case d.Whole:
		v, ok = int(x), x >= d.Low && x <= d.High && x == math.Trunc(x)
	default:
		v, ok = x, x >= d.Low && x <= d.High
	}
	return v, ok
}

// score records the score of an epoch.
func (j *journal) score(trial, epoch int, v float64) error {
	return j.lines.Append(intermediate{opIntermediate, worker, trial, epoch, v})
}

// end records the attributes and the end of a trial; value is nil if it has no score.
func (j *journal) end(trial int, state State, value *float64, attrs []attr) error {
	for _, a := range attrs {
		if err := j.lines.Append(trialAttr{opTrialAttr, worker, trial, map[string]any{a.key: a.value}}); err != nil {
			return err
		}
	}
	e := trialState{Op: opTrialState, Worker: worker, Trial: trial, State: int(state), Ended: stamp(j.now())}
	if value != nil {
		e.Values = []float64{*value}
	}
	return j.synced(e)
}

type attr struct {
	key   string
	value any
}

// synced appends a line that survives a power failure.
func (j *journal) synced(v any) error {
	if err := j.lines.Append(v); err != nil {
		return err
	}
	return j.lines.Sync()
}

// operation is a line of a journal of any kind.
type operation struct {
	Op           int                        `json:"op_code"`
	Study        int                        `json:"study_id"`
	Trial        int                        `json:"trial_id"`
	Attr         map[string]json.RawMessage `json:"user_attr"`
	Params       map[string]float64         `json:"params"`
	State        State                      `json:"state"`
	Values       []float64                  `json:"values"`
	Step         int                        `json:"step"`
	Intermediate float64                    `json:"intermediate_value"`
	Directions   []int                      `json:"directions"`
}
