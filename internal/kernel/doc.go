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
// # Aliasing
//
// In element-wise kernels dst may be exactly x or exactly y (in place). Partly
// overlapping slices, and any overlap in the other kernels unless their comment
// allows it, give undefined results.
//
// # NaN
//
// A NaN must stay visible: ReLU, maxima and clamping pass it on.
package kernel
