// Package linear fits linear models of few columns exactly: multinomial logistic regression, least squares and
// least absolute errors, all with an L2 penalty of the weights. They are baselines of learned models.
//
// All minimise
//
//	Σ loss(x·W + b, y) + penalty/2·‖W‖²
//
// over rows x with standardised columns and a bias without penalty. The problem is convex, so there is no
// randomness and the start does not matter. It is solved by Newton's method. Each step is found by conjugate
// gradients, preconditioned by the second derivatives within each class, in a few passes over the rows. Least
// squares takes one step.
//
// Sums over rows are added up in blocks of fixed size, in their order, so that results are the same to the bit
// for any number of threads.
package linear
