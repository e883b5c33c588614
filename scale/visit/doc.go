// Package visit runs a trained model over a store by turns of parts and blocks, as plain
// functions: which machine a turn runs on, and how what it says travels, is for packages local
// and pipeline.
//
//	Part 0      node features                      → rows of nodes, to the blocks that have them
//	Block 0     first states of edges              → state, sums of messages to parts
//	Part k      sums of messages at each node      → rows of nodes
//	Block k     states of edges from those before  → state, sums of messages
//	Block L     the last one                       → predictions, vectors
//
// # Determinism
//
// Sums are of 64-bit integers in fixed point, so that their order, what is added where, and where
// blocks end make no difference. The scale is 2^s with s = 62 - ceil(log2(greatest |message|)) -
// ceil(log2(most entries of a node)), or one less: no sum overflows. A sum becomes float32 once, in
// Part. What a block does is row by row with the dense products of the core, whose bits do not
// depend on a row's neighbours. So an edge gets the same bytes for any size of blocks, number of
// parts, order of the input, threads and runner; on one kind of processor instructions
// (kernel.Level), which jobs record.
//
// Models are evaluated in the core by the same sums (tensor.ExactSum), and visits compute all else by
// the core's operations in the same order. So what package task predicts for all edges of tables is
// what visits give for a store of them, to the bit. For a part of a split the core knows no more
// entries than are seen, and its scale may be larger: numbers below n·2^-37 of the greatest, n being the
// most entries, may then be rounded otherwise, which a float32 hardly shows.
//
// A message or state that is not finite is an error that names its edge.
//
// # Who sees what
//
// A visit sees the edges whose part of the split is among Seen: training sees those of training,
// validation its own besides, test and prediction all (docs/edges.md). Edges that are not seen send
// nothing, and have no state.
package visit
