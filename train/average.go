package train

import "github.com/ehgnn/ehgnn/optim"

// averageSteps is how slowly the average of weights begins: after t steps it forgets a share
// of averageSteps/(t+averageSteps) in a step, until that is below 1 - Config.Average.
const averageSteps = 5

// follow moves the average of the weights towards those of the step that was just done.
func (r *run) follow() {
	if r.average == nil {
		return
	}
	t := float64(r.Step)
	optim.Follow(r.average, r.opt.Params(), float32(1-min(r.cfg.Average, t/(t+averageSteps))))
}

// swapAverage puts the average of the weights into the model, and what was there in its place.
func (r *run) swapAverage() {
	if r.average != nil {
		optim.SwapValues(r.opt.Params(), r.average)
	}
}
