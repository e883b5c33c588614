package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// journalFile is the name of the journal in the folder of a sweep.
const journalFile = "study.journal"

// Read reads the Config of the sweep in a folder.
func Read(dir string) (Config, error) {
	p, _, err := replay(dir)
	if err != nil {
		return Config{}, err
	}
	return p.config()
}

// replay reads the journal of a sweep: its plan and the trials. Attributes set by Optuna's
// dashboard are ignored. An incomplete last line, left by a kill, is ignored as well.
func replay(dir string) (plan, []*Trial, error) {
	path := filepath.Join(dir, journalFile)
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return plan{}, nil, settings.Misuse("sweep: %s holds no sweep: there is no %s in it", dir, journalFile)
	}
	if err != nil {
		return plan{}, nil, settings.Misuse("sweep: %w", err)
	}
	r := &replayed{}
	for n := 1; ; n++ {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		var op operation
		err := json.Unmarshal(text[:end], &op)
		if err == nil {
			err = r.apply(op)
		}
		if err != nil {
			return plan{}, nil, settings.Misuse("sweep: %s, line %d: %w", path, n, err)
		}
		text = text[end+1:]
	}
	if r.plan == nil {
		return plan{}, nil, settings.Misuse("sweep: %s does not say what the sweep is", path)
	}
	return *r.plan, r.trials, nil
}

// replayed is the state after the lines read so far.
type replayed struct {
	plan   *plan
	space  Space
	begun  bool
	trials []*Trial
}

func (r *replayed) apply(op operation) error {
	if !r.begun && op.Op != opCreateStudy {
		return fmt.Errorf("operation %d before the study", op.Op)
	}
	switch op.Op {
	case opCreateStudy:
		if r.begun || len(op.Directions) != 1 {
			return fmt.Errorf("expected one study with one direction")
		}
		r.begun = true
	case opStudyAttr:
		text, ok := op.Attr[planAttr]
		if !ok {
			return nil
		}
		var p plan
		if err := json.Unmarshal(text, &p); err != nil {
			return fmt.Errorf("%s: %w", planAttr, err)
		}
		c, err := p.config()
		if err != nil {
			return fmt.Errorf("%s: %w", planAttr, err)
		}
		r.plan, r.space = &p, c.Space
	case opCreateTrial:
		return r.create(op)
	case opTrialState, opIntermediate, opTrialAttr:
		return r.change(op)
	case opDeleteStudy, opTrialParam:
		return fmt.Errorf("operation %d, which a sweep does not write", op.Op)
	}
	return nil
}

// create adds a trial.
func (r *replayed) create(op operation) error {
	t := &Trial{Number: len(r.trials), Run: runName(len(r.trials)), Value: math.NaN(), Settings: settings.Values{}, at: make([]float64, len(r.space))}
	if len(op.Params) != len(r.space) || r.space == nil {
		return fmt.Errorf("trial %d has %d settings, expected %d", t.Number, len(op.Params), len(r.space))
	}
	for i, d := range r.space {
		x, ok := op.Params[d.Option]
		v, in := d.external(x)
		if !ok || !in {
			return fmt.Errorf("trial %d has no %s that is in the space", t.Number, d.Option)
		}
		t.Settings[d.Option], t.at[i] = v, d.coordinate(v)
	}
	r.trials = append(r.trials, t)
	return nil
}

// change changes a trial by an operation.
func (r *replayed) change(op operation) error {
	if op.Trial < 0 || op.Trial >= len(r.trials) {
		return fmt.Errorf("there is no trial %d", op.Trial)
	}
	t := r.trials[op.Trial]
	switch {
	case t.State != Running: // Optuna also does not change finished trials
	case op.Op == opTrialAttr:
		if text, ok := op.Attr[errorAttr]; ok {
			_ = json.Unmarshal(text, &t.Error) // text for people
		}
	case op.Op == opTrialState:
		if op.State != Complete && op.State != Pruned && op.State != Failed {
			return fmt.Errorf("trial %d has state %d, expected 1 to 3", op.Trial, int(op.State))
		}
		if t.State = op.State; len(op.Values) > 0 {
			t.Value = op.Values[0]
		}
	case op.Step < 1 || op.Step > mostEpochs:
		return fmt.Errorf("trial %d has a score of epoch %d", op.Trial, op.Step)
	default:
		for len(t.Scores) < op.Step {
			t.Scores = append(t.Scores, math.NaN())
		}
		t.Scores[op.Step-1] = op.Intermediate
	}
	return nil
}

// mostEpochs is how many epochs are read from a journal, at most.
const mostEpochs = 1_000_000

// errorAttr is the attribute with the error of a failed trial.
const errorAttr = "error"
