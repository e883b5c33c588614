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

// Part is a part of a model that is trained beside the others as if it were alone: with a
// rate, a bound on the norm of its gradient, a best epoch and a patience of its own. The loss
// must be a sum of terms that depend on the parameters of one part each.
type Part struct {
	// Prefix begins the names of the part's parameters.
	Prefix string `json:"prefix"`
	// LR is its learning rate; Config.LR when 0.
	LR float64 `json:"lr,omitempty"`
	// Metric is the validation score in place of Monitor.Metric. Without validation graphs
	// the training loss, which all parts share, decides.
	Metric string `json:"metric"`
}

// apart is a Part in a run.
type apart struct {
	Part
	trained, all []int            // places of its parameters in those of the optimiser, and of the model
	grads        []*tensor.Tensor // scratch of a step: nil for the parameters of others
}

// partsOf finds the parameters of the parts, if there are any.
func partsOf(parts []Part, trained, all []*tensor.Param) ([]apart, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	out := lists.Map(parts, func(p Part) apart { return apart{Part: p, grads: make([]*tensor.Tensor, len(trained))} })
	for i, w := range all {
		owner := slices.IndexFunc(out, func(a apart) bool { return strings.HasPrefix(w.Name, a.Prefix) })
		if owner < 0 {
			return nil, fmt.Errorf("train: Config.Apart: parameter %s is of none of the parts", w.Name)
		}
		out[owner].all = append(out[owner].all, i)
		if k := slices.Index(trained, w); k >= 0 {
			out[owner].trained = append(out[owner].trained, k)
		}
	}
	return out, nil
}

// stepApart updates each part that still trains and returns the norm of all gradients.
func (r *run) stepApart(grads []*tensor.Tensor, lr float64) (norm float64) {
	finiteNorms := true
	squares := 0.0
	for _, a := range r.parts {
		for _, i := range a.trained {
			a.grads[i] = grads[i]
		}
		n := float64(optim.ClipGradNorm(a.grads, float32(r.cfg.ClipNorm)))
		squares += n * n
		finiteNorms = finiteNorms && finite(n)
	}
	for k, a := range r.parts {
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

// ended reports whether a part has run out of patience.
func (r *run) ended(k int) bool {
	return r.cfg.Patience > 0 && r.Apart != nil && r.Apart[k].Counter > r.cfg.Patience
}

// compareApart compares the parts that still train with their best epochs, and keeps the
// weights of those that have improved. The standing of the run is that of the part that has
// improved last; the run goes on while one has patience left.
func (r *run) compareApart(info EpochInfo) (improved bool, err error) {
	if r.Apart == nil {
		r.Apart = make([]standing, len(r.parts))
	}
	r.standing = standing{Counter: math.MaxInt}
	for k, a := range r.parts {
		s := &r.Apart[k]
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
