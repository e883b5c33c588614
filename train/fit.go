package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Options are the settings around a run. Only Gradients changes its numbers.
type Options struct {
	Checkpoint *Checkpoint // nil writes nothing to disk
	Recorder   *Recorder   // nil records nothing
	// OnStep and OnEpoch report progress, in the goroutine of Fit. They may be nil. OnEpoch may
	// evaluate the model but must not change it.
	OnStep  func(StepInfo)
	OnEpoch func(EpochInfo)
	// Gradients, if not nil, makes a hook for the gradients of the trained parameters. The numbers
	// of the run depend on the hook, so Checkpoint.Identity should differ for different hooks.
	Gradients func(params []*tensor.Param) GradientHook
}

// GradientHook changes the gradients of each step before they are clipped.
type GradientHook interface {
	// Apply may change the elements of grads and of the tensors in them. grads[i] is the gradient
	// of parameter i, nil if the loss of the step does not depend on it. Clipping and the optimiser
	// change the tensors that Apply leaves, in place.
	Apply(grads []*tensor.Tensor)
	// State lists the tensors that the hook keeps between steps. Their names differ. A checkpoint
	// saves and restores their values.
	State() []*tensor.Param
}

// StepInfo is the progress after one batch.
type StepInfo struct {
	Epoch, Epochs  int     // counted from 1; Config.Epochs
	Batch, Batches int     // of this epoch, from 1
	Step           int     // batches since the start of the run, including this one
	Loss, Weight   float64 // results of Problem.Loss; both 0 when skipped
	GradNorm       float64 // before clipping
	LR             float64 // of this step
	Skipped        bool    // the batch had nothing to learn from
}

// Stopped is the reason why a run ended.
type Stopped string

// The reasons why a run ends.
const (
	StoppedEpochs    Stopped = "epochs"    // all of Config.Epochs are done
	StoppedPatience  Stopped = "patience"  // no better epoch for too long
	StoppedCancelled Stopped = "cancelled" // the context ended
	StoppedDiverged  Stopped = "diverged"  // see DivergedError
)

// Result is what a run leaves besides the trained model.
type Result struct {
	History []EpochInfo // one for each completed epoch, in order
	// BestEpoch is the epoch of the model's weights, counted from 1. It is 0 if no epoch had a
	// score that can be compared. For separately trained parts it is the last of their best epochs.
	BestEpoch int
	Steps     int     // batches, including those of an unfinished epoch
	Seconds   float64 // over all sessions of a resumed run
	Stopped   Stopped
}

// Best returns the record of the best epoch, if there is one.
func (r *Result) Best() (EpochInfo, bool) {
	if r.BestEpoch == 0 {
		return EpochInfo{}, false
	}
	return r.History[r.BestEpoch-1], true
}

// DivergedError reports that training ended because a number is not finite.
type DivergedError struct {
	Epoch int     // counted from 1
	Step  int     // batches since the start of the run, counted from 1
	What  string  // loss, gradient norm or a parameter
	Value float64 // NaN or an infinity
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("train: the %s is %v at step %d (epoch %d)", e.What, e.Value, e.Step, e.Epoch)
}

// Fit trains problem.Model on the graphs of train. The graphs of valid, if there are any, are
// scored after each epoch; see Config.Monitor.
//
// A run ends after its last epoch, by patience, by cancellation or by divergence. The model then
// has the weights of the best epoch, or the current weights if there is no best epoch yet. A
// cancelled run returns its result so far with an error that wraps ctx.Err(), a diverged run with a
// *DivergedError. Other errors are returned without a Result and leave the model in an unspecified
// state.
func Fit(ctx context.Context, problem Problem, train, valid []*graph.Graph, cfg Config, opts Options) (*Result, error) {
	return (&run{problem: problem, cfg: cfg, opts: opts, data: &graphData{train: train, valid: valid}}).fit(ctx)
}

// fit runs from the checks to the result.
func (r *run) fit(ctx context.Context) (res *Result, err error) {
	defer func() {
		// The epoch and the step make a shape bug easier to find.
		if shape := (*tensor.ShapeError)(nil); errors.As(err, &shape) {
			err = fmt.Errorf("train: epoch %d, step %d: %w", r.Epoch+1, r.Step+1, err)
		}
	}()
	defer tensor.Catch(&err)
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if cerr := r.record.close(); cerr != nil && err == nil {
			res, err = nil, cerr
		}
	}()
	return r.train(ctx)
}

// run is one call of Fit.
type run struct {
	problem Problem
	cfg     Config
	opts    Options

	data     source
	perEpoch int             // steps in an epoch
	params   []*tensor.Param // of the model, with buffers
	best     []*tensor.Param // a copy of params, of the best epoch
	stats    []*tensor.Param // the buffers among params, which a forward pass may change
	kept     []*tensor.Param // a copy of stats from before the step
	average  []*tensor.Param // of the trained parameters, over the steps; nil without Config.Average
	hook     GradientHook    // made by Options.Gradients, or nil
	opt      optim.Optimizer
	schedule optim.Schedule
	arena    *tensor.Arena
	wrt      []*tensor.Tensor // scratch of a step
	grads    []*tensor.Tensor // scratch of a step
	groups   []groupState     // of Config.ParamGroups; nil for one model
	disk     *disk            // nil without checkpoints
	record   *recording       // nil without records
	begun    time.Time
	before   float64 // seconds of earlier sessions

	progress
}

// progress is the part of a run that a checkpoint stores besides tensors.
type progress struct {
	Epoch   int         `json:"epoch"` // completed epochs, with validation
	Step    int         `json:"step"`  // batches since the start
	Part    epochPart   `json:"part"`  // of the current epoch
	Stopped Stopped     `json:"stopped,omitempty"`
	Seconds float64     `json:"seconds"`
	History []EpochInfo `json:"history,omitempty"`
	bestState
	Groups []bestState `json:"apart,omitempty"` // of Config.ParamGroups
}

// epochPart has the sums over the batches of an epoch.
type epochPart struct {
	Loss    float64 `json:"loss"`   // weighted sum
	Weight  float64 `json:"weight"` // of the losses
	Norm    float64 `json:"norm"`   // sum over updates
	Updates int     `json:"updates"`
	LR      float64 `json:"lr"` // of the last batch
}

// prepare checks the input and builds the run, from a checkpoint if there is one to resume.
func (r *run) prepare(ctx context.Context) error {
	if err := r.cfg.Validate(); err != nil {
		return err
	}
	if err := r.problem.validate(); err != nil {
		return err
	}
	var err error
	if r.perEpoch, err = r.data.open(ctx, r); err != nil {
		return err
	}
	if most := math.MaxInt / r.perEpoch; max(r.cfg.Epochs, r.cfg.Schedule.WarmupEpochs) > most { // on 32-bit systems
		return fmt.Errorf("train: Config.Epochs is %d, expected at most %d with %d steps in each", r.cfg.Epochs, most, r.perEpoch)
	}
	r.params = r.problem.Model.Params()
	r.stats = lists.Filter(r.params, func(p *tensor.Param) bool { return p.Buffer })
	r.kept = copies(r.stats)
	r.arena = tensor.NewArena(r.cfg.Threads)
	r.schedule = r.cfg.Schedule.steps(r.cfg.Epochs, r.perEpoch)
	if r.opt, err = optim.New(r.cfg.Optimizer, r.params); err != nil {
		return fmt.Errorf("train: Config.Optimizer: %w", err)
	}
	if r.cfg.Average > 0 {
		r.average = copies(r.opt.Params())
	}
	if r.opts.Gradients != nil {
		r.hook = r.opts.Gradients(r.opt.Params())
	}
	if r.groups, err = groupsOf(r.cfg.ParamGroups, r.opt.Params(), r.params); err != nil {
		return err
	}
	r.wrt = make([]*tensor.Tensor, len(r.opt.Params()))
	if r.disk, err = openDisk(r.opts.Checkpoint, r.identity()); err != nil {
		return err
	}
	if err := r.resume(); err != nil {
		return err
	}
	r.begun, r.before = time.Now(), r.Seconds
	if r.Stopped == "" {
		r.record, err = r.opts.Recorder.open(r.History)
	}
	return err
}

// train runs to the end, writes the files and returns the result.
func (r *run) train(ctx context.Context) (*Result, error) {
	if r.Stopped != "" { // the run had already ended
		if err := r.saveModel(); err != nil {
			return nil, err
		}
		return r.result(r.Stopped), nil
	}
	err := r.loop(ctx)
	r.Seconds = r.seconds()
	var diverged *DivergedError
	switch {
	case err == nil:
		if err := r.save(); err != nil {
			return nil, err
		}
		return r.result(r.Stopped), nil
	case interrupted(ctx, err):
		err = fmt.Errorf("train: stopped in epoch %d after step %d: %w", r.Epoch+1, r.Step, ctx.Err())
		if serr := r.save(); serr != nil {
			err = errors.Join(err, serr)
		}
		return r.result(StoppedCancelled), err
	case errors.As(err, &diverged):
		// The checkpoint stays. The best weights are older and finite.
		if serr := r.saveModel(); serr != nil {
			err = errors.Join(err, serr)
		}
		return r.result(StoppedDiverged), err
	}
	return nil, err
}

// result copies the best weights into the model and returns the Result.
func (r *run) result(reason Stopped) *Result {
	if r.BestEpoch > 0 {
		copyValues(r.params, r.best)
	} else {
		r.swapAverage()
	}
	return &Result{History: r.History, BestEpoch: r.BestEpoch, Steps: r.Step, Seconds: r.Seconds, Stopped: reason}
}

// loop trains epoch by epoch until the run stops.
func (r *run) loop(ctx context.Context) error {
	next, end, err := r.data.batches(ctx, r)
	if err != nil {
		return err
	}
	defer end()
	for r.Stopped == "" {
		for r.Step < (r.Epoch+1)*r.perEpoch {
			if err := ctx.Err(); err != nil {
				return err
			}
			b, err := next()
			if err != nil {
				return err
			}
			info, err := r.step(ctx, b)
			if err != nil {
				return err
			}
			if r.opts.OnStep != nil {
				r.opts.OnStep(info)
			}
			// The end of an epoch has a checkpoint of its own, after validation.
			if r.Step < (r.Epoch+1)*r.perEpoch {
				if err := r.saveIfDue(); err != nil {
					return err
				}
			}
		}
		info, err := r.endEpoch(ctx)
		if err != nil {
			return err
		}
		if r.Stopped == "" { // otherwise train saves
			if err := r.saveIfDue(); err != nil {
				return err
			}
		}
		if r.opts.OnEpoch != nil {
			r.opts.OnEpoch(info)
		}
	}
	return nil
}

func (r *run) seconds() float64 { return r.before + time.Since(r.begun).Seconds() }

// copies returns parameters with the same names and values and memory of their own.
func copies(params []*tensor.Param) []*tensor.Param {
	return lists.Map(params, func(p *tensor.Param) *tensor.Param {
		return &tensor.Param{Name: p.Name, Value: p.Value.Clone(), Buffer: p.Buffer}
	})
}

func copyValues(to, from []*tensor.Param) {
	for i, p := range to {
		copy(p.Value.Data(), from[i].Value.Data())
	}
}
