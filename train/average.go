package train

import "github.com/ehgnn/ehgnn/tensor"

// averageSteps is how slowly the average of weights begins: after t steps it forgets a share
// of averageSteps/(t+averageSteps) in a step, until that is below 1 - Config.Average.
const averageSteps = 5

// follow moves the average of the weights towards those of the step that was just done.
func (r *run) follow() {
	if r.average == nil {
		return
	}
	t := float64(r.Step)
	share := float32(1 - min(r.cfg.Average, t/(t+averageSteps)))
	for i, p := range r.opt.Params() {
		mean := r.average[i].Value.Data()
		for k, v := range p.Value.Data() {
			mean[k] += share * (v - mean[k])
		}
	}
}

// swapAverage puts the average of the weights into the model, and what was there in its place.
func (r *run) swapAverage() {
	if r.average != nil {
		swapValues(r.opt.Params(), r.average)
	}
}

func swapValues(a, b []*tensor.Param) {
	for i, p := range a {
		x, y := p.Value.Data(), b[i].Value.Data()
		for k := range x {
			x[k], y[k] = y[k], x[k]
		}
	}
}
