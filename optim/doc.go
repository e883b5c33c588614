// Package optim has optimisers, gradient clipping and learning-rate schedules.
//
// An optimiser is built over parameters and leaves out those with Buffer set, which
// have no gradients. Params lists the others, in the order in which Step expects
// the gradients, so one step reads
//
//	for i, p := range opt.Params() {
//		wrt[i] = tape.Watch(p)
//	}
//	grads := tape.Grad(loss, wrt...)
//	optim.ClipGradNorm(grads, 1)
//	opt.Step(lr*schedule.Factor(step), grads)
//
// The learning rate is an argument of Step and not state: a schedule is a pure
// function of the step, so that a resumed run needs the number of the step only. A
// nil gradient skips its parameter entirely, as in PyTorch: moments, weight decay
// and the count of updates included.
//
// Formulas and defaults are those of torch.optim, and the golden tests compare with
// it. Steps change parameters in place, allocate nothing, and run in the calling
// goroutine, so results depend on the arguments only.
//
// The package sees tensor.Param only; it knows no layers, losses or files.
package optim
