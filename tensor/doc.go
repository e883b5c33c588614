// Package tensor is the engine: float32 arrays, the operations that graph
// networks need, and reverse-mode differentiation of any order.
//
// # Model
//
// A Tensor is a dense row-major array of rank 0 to 4. Operations are methods
// and functions that return new tensors; nothing is changed in place. A Tape
// records, in execution order, every operation that depends on a watched
// Param. Grad walks the tape backwards and returns gradients as plain values;
// GradGraph returns gradients that are on the tape themselves, so that they
// can be differentiated again (a gradient penalty needs that).
//
// Every gradient rule is written with the operations of this package. A rule
// receives its operands as arguments and closes over constants only. Grad hands
// it detached operands, which record nothing; GradGraph hands it the recorded
// ones. No global switch says whether gradients are on.
//
// # Buffers
//
// An Arena owns the memory of a training loop. Every tensor computed on a Tape
// takes its buffer from the arena, and Tape.Close gives all of them back, so a
// loop reaches a steady state in which steps reuse the same memory. Tensors of a
// closed tape must not be used; built with the tag ehgnndebug the package fills
// freed buffers with NaN and panics on a closed tape. Tensors made with New or
// FromSlice live on the heap, belong to no tape and are constants.
//
// # Determinism
//
// Loops are partitioned by output rows and reductions by fixed blocks, never by
// the number of threads: results are the same to the bit for any thread count.
//
// # Errors
//
// A shape that does not fit is a bug in the caller and panics with *ShapeError;
// Catch turns exactly that panic into an error at a public boundary. What reads
// outside data (NewIndex) returns errors. A Tape is used by one goroutine.
//
// The package knows no graphs, no files and no randomness.
package tensor
