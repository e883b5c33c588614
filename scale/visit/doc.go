// Package visit runs a trained model over a store in turns (supersteps, as in Pregel): each turn
// visits parts of the nodes and then blocks of edges. Visits are plain functions. Packages local
// and pipeline choose the machine of a visit and send messages.
//
//	Part 0      node features                      → rows of nodes, to the blocks that have them
//	Block 0     first states of edges              → state, sums of messages to parts
//	Part k      sums of messages at each node      → rows of nodes
//	Block k     states of edges from those before  → state, sums of messages
//	Block L     the last one                       → predictions, vectors
//
// # Determinism
//
// Sums are 64-bit integers in fixed point, so they do not depend on the order of additions, on
// where they are made, or on the bounds of blocks. The scale is 2^s with s = 62 -
// ceil(log2(greatest |message|)) - ceil(log2(largest number of entries of a node)), or one less, so
// no sum overflows. A sum is converted to float32 once, in Part. A block computes row by row with
// the dense products of ehgnn, whose bits do not depend on neighbouring rows. So an edge gets the
// same bytes for any block size, number of parts, order of the input, number of threads and runner,
// with one kind of processor instructions (kernel.Level), which jobs record.
//
// ehgnn evaluates models with the same sums (tensor.ExactSum), and visits make all other
// computations with the same operations in the same order. So the predictions of package session
// for all edges of tables equal those of visits for a store of these tables, to the bit. For a part
// of a split, ehgnn counts only the entries that are seen, so its scale may be larger. Numbers
// below n·2^-37 of the greatest, where n is the largest number of entries, may then be rounded
// differently, which rarely changes a float32.
//
// A message or state that is not finite is an error that names its edge.
//
// # Who sees what
//
// A visit sees the edges whose part of the split is in Seen. Training sees the training edges,
// validation also its own edges, test and prediction all edges (docs/edges.md). Edges that are not
// seen send nothing and have no state.
package visit
