// Package tensor is the engine: float32 arrays, the operations that graph networks need, and
// reverse-mode differentiation of any order.
//
// # Tensors and operations
//
// A Tensor is a dense row-major array of rank 0 to 4. Operations are methods and functions that
// return new tensors and change no operand. Reshape, RoundGrad, Detach, and Variable and Constant
// of a Tape return the same elements in the same memory. An operation with nothing to do, such as a
// Slice of the whole axis, returns its operand.
//
// # Tapes and gradients
//
// A Tape records, in execution order, every operation that depends on a Param given to Watch or on
// a Variable. Grad goes through the tape backwards and returns gradients as constants. GradGraph
// returns gradients that are recorded on the tape and can be differentiated again, as a gradient
// penalty needs. There is no global switch for gradients.
//
// Each operation has a gradient rule. Its arguments are the gradient of the result, the operands
// and the result. Constants of the operation, such as an axis or an index, are fields of the rule.
// Rules call operations of this package, which have rules of their own, so gradients exist to any
// order. Grad calls a rule with detached tensors, so that nothing is recorded. GradGraph calls it
// with the recorded tensors.
//
// During Grad the gradients of a tensor that is used several times are summed in place, if the
// buffer of the sum holds no forward value and no other gradient. The rules of MatMul, MatMulT and
// Affine then add their product into that buffer. GradGraph writes nothing in place, because every
// intermediate value is recorded.
//
// # Buffers
//
// An Arena owns the memory of a training loop. Tensors that are computed on a Tape take their
// memory from the arena. Tape.Close gives all of it back, so that later steps reuse it and
// recording an operation allocates nothing. Grad gives back earlier what no further rule needs, but
// never values of the forward pass or gradients that it returns. Close also frees buffers that
// recent steps did not use.
//
// Tensors, indices and ids made on a tape must not be used after Close, because their memory then
// holds other values. With the build tag ehgnndebug the package fills freed buffers with NaN and
// panics if a closed tape is used. Tensors made with New, Full, Scalar, FromSlice or Clone live on
// the heap, belong to no tape and are constants.
//
// # Goroutines and determinism
//
// One goroutine at a time uses an Arena and its tapes. Sparse, ArcIndex and Index are immutable and
// may be shared, except for an Index made by Tape.Index and structures in the memory of a tape.
// Operations divide large loops among the threads of the arena. One thread computes each element of
// a result, and sums over rows are taken in blocks of fixed size. So results are the same to the
// bit for any number of threads. Other instruction sets can round differently; see internal/kernel.
//
// # Errors
//
// A shape that does not fit is a bug in the caller and panics with *ShapeError. Catch turns this
// panic into an error at a public boundary. Other bugs in the caller panic with a message: operands
// on two tapes, gradients by a constant or by a tensor of another tape. NewIndex checks ids that
// may come from outside and returns an error. MustIndex and Tape.Index panic with it.
//
// The package has no graphs, no files and no randomness.
package tensor
