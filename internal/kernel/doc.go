// Package kernel holds the numeric inner loops: single-threaded float32 and int32 loops over slices
// and row ranges.
//
// It has no shapes, gradients, errors or goroutines. Package tensor checks sizes, allocates, and
// passes row ranges to internal/par. A wrong length is a programming error: it causes an index
// panic or, at worst, a wrong result. All matrices are dense, contiguous and row-major.
//
// # Determinism
//
// A kernel that takes a range (Rows, Range, lo and hi) computes every output element in an order
// that depends only on the problem, never on the range, on the element's place inside a tile, or on
// memory alignment. So any partition of the rows gives the same bits, and training is reproducible
// for every number of threads. Element-wise kernels have the same property for any split of their
// slices. Whole-slice reductions (Sum, Dot, ColSum) use a fixed order for a given length.
//
// # Instruction sets
//
// Every kernel has a version in portable Go, which is also the reference of the tests. Most have
// AVX2 and AVX-512 versions in assembly, which the programs in _gen write with avo (go generate).
// The best set of the processor is chosen at start; with build tag noasm there is only the portable
// code. AVX2 and AVX-512 give the same bits: they add up in units of sixteen elements, which are
// one register or two. Portable code differs from them only in rounding:
//
//   - Gemm, SpMM, EdgeMessages and SDDMM fuse multiplication and addition in
//     vector code.
//   - Exp, Log, Sigmoid, Tanh and Softplus are polynomials in vector code, with
//     errors below 2.5 units of the last place; portable code rounds a float64
//     result.
//   - Sum, Dot, RowSum, the softmaxes and layer normalisation add in another order.
//   - All other kernels give the same bits everywhere, and so do SpMM and
//     EdgeMessages without coefficients and ColSum of more than one column. Only
//     the bits of a NaN may differ, at every level.
//
// Results can differ by more than rounding if an intermediate value overflows or underflows only in
// vector code or only in portable code: the vector code of SDDMM, for example, multiplies by Coef
// before it sums.
//
// # Aliasing
//
// In element-wise kernels dst may be exactly x or exactly y (in place). Partly overlapping slices,
// and any overlap in the other kernels unless their comment allows it, give undefined results.
//
// # NaN
//
// NaN is propagated, also by ReLU, maxima and clamping.
//
// # Sizes
//
// The lengths of slices are checked if vector code would otherwise run past their ends. Row ids
// (Col, Row, Perm) are not checked: this is the caller's task.
package kernel
