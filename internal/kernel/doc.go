// Package kernel holds the numeric inner loops: single-threaded float32 and
// int32 loops over slices and row ranges.
//
// It knows no shapes, gradients, errors or goroutines. Package tensor checks
// sizes, allocates, and hands row ranges to internal/par; a wrong length here
// is a programmer error and ends in an index panic or, at worst, in a result
// that the caller's own check should have prevented. All matrices are dense,
// contiguous and row-major.
//
// # Determinism
//
// A kernel that takes a range (Rows, Range, lo and hi) computes every output
// element in an order that depends on the problem alone, never on the range, on
// the element's place inside a tile, or on memory alignment. Any partition of
// the rows therefore gives the same bits, which is what makes training
// reproducible for every thread count. Element-wise kernels have the same
// property for any split of their slices. Whole-slice reductions (Sum, Dot,
// ColSum) use a fixed order for a given length.
//
// # Instruction sets
//
// Every kernel exists as portable Go, which is also the oracle of the tests, and
// most exist for AVX2 and AVX-512 as assembly that the programs in _gen write with
// avo (go generate). The best set that the processor has is chosen at start; with
// build tag noasm there is only the portable code. AVX2 and AVX-512 give the same
// bits: they add up in units of sixteen elements, which are one register or two.
// Portable code differs from them only in rounding:
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
// Results can differ by more than rounding where an intermediate value overflows or
// underflows in vector code or portable code only: the vector code of SDDMM, for example,
// multiplies by Coef before it sums.
//
// # Aliasing
//
// In element-wise kernels dst may be exactly x or exactly y (in place). Partly
// overlapping slices, and any overlap in the other kernels unless their comment
// allows it, give undefined results.
//
// # NaN
//
// NaN is propagated, also by ReLU, maxima and clamping.
//
// # Sizes
//
// The lengths of slices are checked where vector code would otherwise run past
// their ends. Row ids (Col, Row, Perm) are not checked: the caller has to.
package kernel
