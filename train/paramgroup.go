package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// ParamGroup is a part of a model that is trained together with the others as if it were alone:
// with its own learning rate, gradient norm, best epoch and patience. The loss must be a sum of
// terms, each of which depends on the parameters of one group only.
type ParamGroup struct {
	// Prefix is the prefix of the names of the group's parameters.
	Prefix string `json:"prefix"`
	// LR is the learning rate of the group. 0 means Config.LR.
	LR float64 `json:"lr,omitempty"`
	// Metric is the validation score of the group; it replaces Monitor.Metric. Without validation
	// graphs, the training loss is compared, which all groups share.
	Metric string `json:"metric"`
}

// groupState is the state of a ParamGroup in a run.
type groupState struct {
	ParamGroup
	trained, all []int            // positions of its parameters among those of the optimiser, and among those of the model
	grads        []*tensor.Tensor // scratch of a step: nil for parameters of other groups
}

// groupsOf finds the parameters of each group. It returns nil if there are no groups.
func groupsOf(groups []ParamGroup, trained, all []*tensor.Param) ([]groupState, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	out := lists.Map(groups, func(g ParamGroup) groupState {
		return groupState{ParamGroup: g, grads: make([]*tensor.Tensor, len(trained))}
	})
	for i, w := range all {
		owner := slices.IndexFunc(out, func(a groupState) bool { return strings.HasPrefix(w.Name, a.Prefix) })
		if owner < 0 {
			return nil, fmt.Errorf("train: Config.ParamGroups: parameter %s is in none of the groups", w.Name)
		}
		out[owner].all = append(out[owner].all, i)
		if k := slices.Index(trained, w); k >= 0 {
			out[owner].trained = append(out[owner].trained, k)
		}
	}
	return out, nil
}

// stepGroups updates each group that still trains. It returns the norm of all gradients.
func (r *run) stepGroups(grads []*tensor.Tensor, lr float64) (norm float64) {
	finiteNorms := true
	squares := 0.0
	for _, a := range r.groups {
		for _, i := range a.trained {
			a.grads[i] = grads[i]
		}
		n := float64(optim.ClipGradNorm(a.grads, float32(r.cfg.ClipNorm)))
		squares += n * n
		finiteNorms = finiteNorms && finite(n)
	}
	for k, a := range r.groups {
		if finiteNorms && !r.ended(k) {
			rate := lr
			if a.LR > 0 {
				rate = lr / r.cfg.LR * a.LR
			}
			r.opt.Step(rate, a.grads)
		}
		clear(a.grads)
	}
	return math.Sqrt(squares)
}

// ended reports whether the patience of group k has run out.
func (r *run) ended(k int) bool {
	return r.cfg.Patience > 0 && r.Groups != nil && r.Groups[k].Counter > r.cfg.Patience
}

// compareGroups compares the groups that still train with their best epochs, and keeps the weights
// of groups that have improved. The state of the run is that of the group that improved last. The
// run continues while at least one group has patience left.
func (r *run) compareGroups(info EpochInfo) (improved bool, err error) {
	if r.Groups == nil {
		r.Groups = make([]bestState, len(r.groups))
	}
	r.bestState = bestState{Counter: math.MaxInt}
	for k, a := range r.groups {
		s := &r.Groups[k]
		if !r.ended(k) {
			m := r.cfg.Monitor
			if r.data.validated() {
				m.Metric = a.Metric
			}
			value, err := m.watched(info, r.data.validated())
			if err != nil {
				return false, err
			}
			if s.see(info.Epoch, value, m) {
				improved = true
				if r.best == nil {
					r.best = copies(r.params)
				}
				for _, i := range a.all {
					copyValues(r.best[i:i+1], r.params[i:i+1])
				}
			}
		}
		r.BestEpoch, r.Counter = max(r.BestEpoch, s.BestEpoch), min(r.Counter, s.Counter)
		r.Best += s.Best
	}
	return improved, nil
}
