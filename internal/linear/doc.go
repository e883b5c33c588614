// Package linear fits linear models of few columns exactly: multinomial logistic regression,
// least squares and least absolute errors, all with an L2 penalty of the weights. They are what a learned model
// has to beat.
//
// All minimise
//
//	Σ loss(x·W + b, y) + penalty/2·‖W‖²
//
// over rows x whose columns are standardised, with a bias that is free. The problem is
// convex, so that nothing is drawn and nothing depends on a start. It is solved by Newton's
// method whose steps are found by conjugate gradients, preconditioned by the second derivatives
// within each class: a step costs some passes over the rows. Least squares is one such step.
//
// Sums over rows are added up in blocks of fixed size, in their order, so that results are
// the same to the bit for any number of threads.
package linear
