// Package optim has optimisers, gradient clipping and learning-rate schedules.
//
// An optimiser is built over parameters. It leaves out parameters with Buffer set, which have no
// gradients. Params lists the others, in the order in which Step expects the gradients. One step is
//
//	for i, p := range opt.Params() {
//		wrt[i] = tape.Watch(p)
//	}
//	grads := tape.Grad(loss, wrt...)
//	optim.ClipGradNorm(grads, 1)
//	opt.Step(lr*schedule.Factor(step), grads)
//
// The learning rate is an argument of Step and not state: a schedule is a pure function of the
// step, so a resumed run only needs the number of the step. A nil gradient skips its parameter
// completely, as in PyTorch: moments, weight decay and the count of updates do not change.
//
// Formulas and defaults are those of torch.optim; the golden tests compare with it. Steps change
// parameters in place, allocate nothing, and run in the calling goroutine, so results depend only
// on the arguments.
//
// The package only uses tensor.Param. It has no layers, losses or files.
package optim
