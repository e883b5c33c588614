// Package columns describes an edge by the known labels of other edges, in columns of numbers.
//
// One list says which labels are known, and no other label is read: two graphs with the same known labels give the same
// columns, to the bit. A described edge must not be known, so that no edge reads its own label.
//
// # Families
//
//	Labels   means and counts of the known labels at the source and at the target, each as source and as
//	         target, and of parallel and reverse edges; of numbers also the effects of both ends
//	LowRank  scores of a low-rank model of the known labels: additive effects of both ends, and the product of
//	         vectors of both ends, which alternating least squares fits to what the effects leave
//	TwoStep  for labels of two classes and numbers: paths of two known edges from the source to the target, by the
//	         directions of the edges: mean of the product of both labels and of each, and the number of paths
//
// Means of few labels shrink towards the mean of all known labels. If there are two classes, the columns describe the
// second one.
//
// # Cost
//
// The time is linear in the known edges and in the rows, except for TwoStep. TwoStep intersects the neighbours of both
// ends: it walks the shorter list, at most mostSteps evenly spaced entries of it. Sums are in float64 in the order of
// the edges, so results are bit-identical for any number of threads.
package columns
