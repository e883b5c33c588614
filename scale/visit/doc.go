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
// Package task sums in float32, so that its predictions differ in the last bits, and by more
// around hubs of very many edges, where it is the one that rounds.
//
// A message or state that is not finite is an error that names its edge.
//
// # Who sees what
//
// A visit sees the edges whose part of the split is among Seen: training sees those of training,
// validation its own besides, test and prediction all (docs/edges.md). Edges that are not seen send
// nothing, and have no state.
package visit
