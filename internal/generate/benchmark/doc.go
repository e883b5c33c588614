// Package benchmark has the tasks and measures for comparing searches for molecules.
//
// A [Task] is an objective of package genetic: the goal-directed tasks of GuacaMol (Brown et al.,
// GuacaMol: Benchmarking models for de novo molecular design, Journal of Chemical Information and
// Modeling 59, 2019), as far as the toolkit can compute their parts. The score of a task is the
// geometric mean of parts in [0,1]. [AUC] is the area under the curve of the mean of the best
// molecules over the calls (Gao et al., Sample efficiency matters, NeurIPS 2022); [Hits] describes
// the molecules that reach all thresholds.
package benchmark
