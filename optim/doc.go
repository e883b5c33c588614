// Package optim holds what turns gradients into new parameters: optimisers,
// gradient clipping and learning-rate schedules.
//
// An optimiser is built over parameters and keeps those that have gradients:
// a Param with Buffer set is left out. Params lists what is kept, in the order in
// which Step expects the gradients, so one step reads
//
//	for i, p := range opt.Params() {
//		wrt[i] = tape.Watch(p)
//	}
//	grads := tape.Grad(loss, wrt...)
//	optim.ClipGradNorm(grads, 1)
//	opt.Step(lr*schedule.Factor(step), grads)
//
// The learning rate is an argument of Step and not state: a schedule is a pure
// function of the step, so that a resumed run needs nothing but the number of
// the step. A nil gradient skips its parameter entirely, its moments, its decay
// and its own count of updates included, as a missing gradient does in PyTorch.
//
// Formulas and defaults are those of torch.optim, and the golden tests compare
// with it. Steps change parameters in place, allocate nothing, and run in the
// caller: every element has one writer, so results depend on nothing but the
// arguments.
//
// The package sees tensor.Param only; it knows no layers, losses or files.
package optim
