package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// step trains on one batch. A skipped batch counts as a step for the schedule and the random
// streams, but the optimiser makes no update. If ctx ends before the parameters are updated, the
// step is undone.
func (r *run) step(ctx context.Context, b *graph.Batch) (info StepInfo, err error) {
	info = StepInfo{
		Epoch: r.Epoch + 1, Epochs: r.cfg.Epochs,
		Batch: r.Step%r.perEpoch + 1, Batches: r.perEpoch,
		Step: r.Step + 1,
		LR:   r.cfg.LR * r.schedule.Factor(r.Step),
	}
	copyValues(r.kept, r.stats)
	defer func() {
		if interrupted(ctx, err) {
			copyValues(r.stats, r.kept)
		}
	}()
	defer tensor.Catch(&err)
	p := nn.Pass{Tape: r.arena.Tape(), Train: true, Rand: rng.Stream(r.cfg.Seed, "step", r.Step)}
	defer p.Tape.Close()
	p.Tape.SetContext(ctx)
	loss, weight := r.problem.Loss(&p, b)
	switch {
	case weight == 0:
		info.Skipped = true
	case !(weight > 0) || math.IsInf(weight, 1):
		return info, fmt.Errorf("train: Problem.Loss gave weight %v at step %d, expected a finite number, 0 or more", weight, info.Step)
	case loss == nil:
		return info, fmt.Errorf("train: Problem.Loss gave weight %v without a loss at step %d", weight, info.Step)
	default:
		info.Loss, info.Weight = float64(loss.Item()), weight
		if !finite(info.Loss) {
			return info, &DivergedError{Epoch: info.Epoch, Step: info.Step, What: "loss", Value: info.Loss}
		}
		info.GradNorm = r.update(p.Tape, loss, info.LR)
		if !finite(info.GradNorm) {
			return info, &DivergedError{Epoch: info.Epoch, Step: info.Step, What: "gradient norm", Value: info.GradNorm}
		}
		r.Part.Loss += info.Loss * weight
		r.Part.Weight += weight
		r.Part.Norm += info.GradNorm
		r.Part.Updates++
	}
	r.Part.LR = info.LR
	r.Step++
	r.follow()
	return info, nil
}

// update changes the parameters by the gradient of the loss. It returns the gradient's norm. If the
// norm is not finite, the parameters do not change.
func (r *run) update(tape *tensor.Tape, loss *tensor.Tensor, lr float64) (norm float64) {
	// A parameter that the pass did not use has no gradient and no weight decay.
	params := r.opt.Params()
	used := r.wrt[:0]
	for _, p := range params {
		if w := tape.Watched(p); w != nil {
			used = append(used, w)
		}
	}
	found := tape.Grad(loss, used...)
	tape.SetContext(context.Background()) // from here on the step is always finished
	clear(used)
	grads := r.grads[:0]
	for _, p := range params {
		if tape.Watched(p) == nil {
			grads = append(grads, nil)
			continue
		}
		grads = append(grads, found[0])
		found = found[1:]
	}
	r.grads = grads
	if r.hook != nil {
		r.hook.Apply(grads)
	}
	if r.groups != nil {
		return r.stepGroups(grads, lr)
	}
	norm = float64(optim.ClipGradNorm(grads, float32(r.cfg.ClipNorm)))
	if finite(norm) {
		r.opt.Step(lr, grads)
	}
	return norm
}

// endEpoch validates, compares with the best epoch and records the epoch.
func (r *run) endEpoch(ctx context.Context) (EpochInfo, error) {
	info := EpochInfo{
		Epoch: r.Epoch + 1, Step: r.Step, LR: r.Part.LR,
		TrainLoss: r.Part.Loss / r.Part.Weight, // NaN if every batch was skipped
		GradNorm:  r.Part.Norm / float64(r.Part.Updates),
	}
	// An update can overflow even if loss and gradient were finite. The next loss would show it,
	// but only after the next checkpoint.
	if p, v := notFinite(r.params); p != nil {
		return info, &DivergedError{Epoch: info.Epoch, Step: r.Step, What: "parameter " + p.Name, Value: v}
	}
	r.swapAverage()
	defer r.swapAverage()
	if r.data.validated() {
		scores, err := r.data.score(ctx, r)
		if err != nil {
			return info, fmt.Errorf("train: validation of epoch %d: %w", info.Epoch, err)
		}
		info.Valid = scores
	}
	var err error
	if info.Improved, err = r.compare(info); err != nil {
		return info, err
	}
	if info.Improved {
		r.disk.modelChanged()
	}
	info.Counter = r.Counter
	info.Seconds = r.seconds()
	r.Epoch, r.Part = info.Epoch, epochPart{}
	r.History = append(r.History, info)
	switch {
	case r.cfg.Patience > 0 && r.Counter > r.cfg.Patience:
		r.Stopped = StoppedPatience
	case r.Epoch == r.cfg.Epochs:
		r.Stopped = StoppedEpochs
	}
	return info, r.record.epoch(info)
}

// interrupted reports whether err is the end of ctx.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// compare compares an epoch with the best one. It keeps the weights of a better epoch.
func (r *run) compare(info EpochInfo) (improved bool, err error) {
	if r.groups != nil {
		return r.compareGroups(info)
	}
	value, err := r.cfg.Monitor.watched(info, r.data.validated())
	if err != nil || !r.see(info.Epoch, value, r.cfg.Monitor) {
		return false, err
	}
	if r.best == nil {
		r.best = copies(r.params)
	}
	copyValues(r.best, r.params)
	return true, nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// notFinite returns a parameter with an element that is not finite, and that element.
func notFinite(params []*tensor.Param) (*tensor.Param, float64) {
	for _, p := range params {
		for _, v := range p.Value.Data() {
			if v-v != 0 { // NaN for infinite v and for NaN
				return p, float64(v)
			}
		}
	}
	return nil, 0
}
