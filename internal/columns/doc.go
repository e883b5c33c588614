// Package columns describes an edge by the known labels of other edges, in columns of numbers.
//
// Which labels are known is said by one list, and nothing else is read of a label: two graphs whose known labels are the
// same give the same columns, to the bit. No edge that is described may be known, so that no edge reads its own label.
//
// # Families
//
//	Labels   means and numbers of the known labels at the source and at the target, each as source and as
//	         target, and of parallel and reverse edges; of numbers also the effects of both ends
//	LowRank  scores of a low-rank model of the known labels: additive effects of both ends, and the product of
//	         vectors of both ends, which alternating least squares fits to what the effects leave
//	TwoStep  for labels of two classes and numbers: paths of two known edges from the source to the target, by the
//	         directions of the edges: mean of the product of both labels and of each, and the number of paths
//
// Means shrink towards the mean of all known labels where there are few. Of two classes the columns are about the
// second one.
//
// # Cost
//
// All is linear in the known edges and in the rows but TwoStep, which intersects the neighbours of both ends: it takes the
// shorter list and at most mostSteps of it, evenly spaced. Sums are in float64 in the order of the edges, and a result is
// the same to the bit for any number of threads.
package columns
