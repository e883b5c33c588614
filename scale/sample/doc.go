// Package sample trains models of edges on a store, in mini-batches of sampled neighbourhoods. The
// memory of a step does not grow with the graph.
//
// # Steps
//
// A step has some training edges as seeds. Layer l of L layers computes representations of the
// edges E_l. E_L are the seeds. E_(l-1) are E_l and the edges that layer l reads at the nodes of
// E_l, at most k_l at each node. These are drawn uniformly, without replacement, from all ends of
// edges at the node, including those of E_l, so their mean is an unbiased estimate of the mean in
// the whole graph. An edge's own representation is exact. A layer draws once for each node, for all
// edges at it. With k_l = -1 the results are those of training in memory.
//
// The edges of E_(l-1) begin with E_l, so the rows that leave a layer are the first rows that enter
// it (Subgraph).
//
// # Whose edges
//
// The training graph has the training edges and the edges in no part. Only these are in the files
// that steps read (Index): a held-out edge is in no batch, whatever its label and features.
// Validation and test are exact: they are visits by package local, which also read the edges of
// their parts.
//
// # Determinism
//
// The order of seeds is a permutation from the random stream (seed, "order", round). A round has
// every training edge once. Draws at a node use the stream (seed, "draw", step, layer, end). Steps
// are counted over all epochs, and end is the first end of an edge at the node. So results do not
// depend on threads, on resuming, or on the division of the store.
//
// # Index
//
// An Index has files with rows of fixed width. Single rows are read with pread:
//
//	index.json  sizes, the checksum of the store, of each file
//	edges       ends, label and features of an edge; rows by the position of the edge
//	nodes       features of a node; the node with rank r of part p is row r + nodes of earlier parts
//	starts      position of the first end of each node, and the number of all ends
//	ends        2·position + 0 or 1 for each end of an edge at a node, ascending
//	seeds       positions of the training edges
//
// The position of an edge is its number among the edges of the training graph.
package sample
