package train

import "github.com/ehgnn/ehgnn/optim"

// averageSteps makes the average of weights faster in the first steps: after t steps the average
// forgets a share of averageSteps/(t+averageSteps) per step, until this is below 1 -
// Config.Average.
const averageSteps = 5

// follow updates the average of the weights after a step.
func (r *run) follow() {
	if r.average == nil {
		return
	}
	t := float64(r.Step)
	optim.Follow(r.average, r.opt.Params(), float32(1-min(r.cfg.Average, t/(t+averageSteps))))
}

// swapAverage exchanges the weights in the model with their average.
func (r *run) swapAverage() {
	if r.average != nil {
		optim.SwapValues(r.opt.Params(), r.average)
	}
}
