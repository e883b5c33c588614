// Package surrogate predicts scores of molecules by a Gaussian process on their fingerprints and compositions.
//
// The kernel is the Tanimoto similarity of count bits ([Bits]): Morgan identifiers of radius 2,
// folded to 1024 places of four bits each, which are set where an identifier occurs at least 1, 2, 4
// and 8 times; and a share of the similarity of compositions, numbers of atoms and rings of some kinds, on which scores such as a formula or
// a size depend more smoothly than on a fingerprint. [Fit] takes several columns of scores at once, which share a factorisation; each column is
// standardised. The noise, as a ratio to the amplitude, is the one of three with the largest likelihood at a share of 0.3, and the share the
// one of three with the largest likelihood with that noise, unless they are given. [Model.Predict] gives means and deviations.
//
// The matrix is factorised in blocks in float32 by the products of package kernel; the weights are
// then refined against the matrix in float64. The smallest pivot is the noise, at least 0.001, a thousand
// times the rounding. Bits that only one molecule has change no product of two, so they are
// counted and left out of the products ([pack]).
//
// Results are the same to the bit for any number of threads. What is predicted, and for what, is left
// to others.
package surrogate
