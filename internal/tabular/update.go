package tabular

import (
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// updater updates parameters by AdamW with gradients of bounded norm.
type updater struct {
	params []*tensor.Param
	opt    *optim.Adam
	wrt    []*tensor.Tensor
	rate   float64
}

func newUpdater(params []*tensor.Param) *updater {
	opt, err := optim.NewAdamW(params, optim.AdamConfig{WeightDecay: weightDecay})
	if err != nil {
		panic(err) // constant settings are always valid
	}
	return &updater{params: params, opt: opt, rate: learningRate}
}

// step makes one update and returns the norm of the gradients. If the norm is not finite, the
// parameters do not change.
func (u *updater) step(tape *tensor.Tape, loss *tensor.Tensor) float32 {
	u.wrt = u.wrt[:0]
	for _, p := range u.params {
		u.wrt = append(u.wrt, tape.Watch(p))
	}
	grads := tape.Grad(loss, u.wrt...)
	norm := optim.ClipGradNorm(grads, gradientNorm)
	if finite(norm) {
		u.opt.Step(u.rate, grads)
	}
	return norm
}

// copyParams copies all parameters to one slice, which grows if needed.
func (u *updater) copyParams(to []float32) []float32 {
	to = to[:0]
	for _, p := range u.params {
		to = append(to, p.Value.Data()...)
	}
	return to
}

// setParams restores what copyParams copied.
func (u *updater) setParams(from []float32) {
	for _, p := range u.params {
		from = from[copy(p.Value.Data(), from):]
	}
}
