// Package surrogate predicts scores of molecules with a Gaussian process on their fingerprints and
// compositions.
//
// The kernel is the Tanimoto similarity of count bits ([Bits]): Morgan identifiers of radius 2,
// folded to 1024 positions of four bits each, which are set if an identifier occurs at least 1, 2,
// 4 and 8 times. It also has a share of the similarity of compositions, the numbers of atoms and
// rings of some kinds: scores such as a formula or a size are smoother functions of these than of a
// fingerprint. [Fit] takes several columns of scores at once, which share a factorisation. Each
// column is standardised. If they are not given, the noise and the share are chosen by likelihood:
// first one of three noises, as a ratio to the amplitude, at a share of 0.3, then one of three
// shares with this noise. [Model.Predict] returns means and deviations.
//
// The matrix is factorised in blocks in float32, with the matrix products of package kernel. The
// weights are then refined with the matrix in float64. The smallest pivot is the noise, at least
// 0.001, which is a thousand times the rounding error. Bits that only one molecule has do not
// change inner products of two molecules, so they are counted but left out of the products
// ([pack]).
//
// Results are the same to the bit for any number of threads.
package surrogate
