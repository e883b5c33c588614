// Package sample trains models of edges on a store, in steps whose memory does not grow with the
// graph.
//
// # Steps
//
// A step takes some training edges, its seeds. What layer l, of L, says of an edge is needed of the
// edges E_l: E_L are the seeds, and E_(l-1) are E_l and the edges that layer l reads at the nodes
// of E_l, at most k_l at each. These are drawn uniformly, without replacement, from all ends of
// edges at the node, those of E_l among them, so that their mean is an unbiased estimate of the
// mean that the whole graph gives. What an edge says of itself is exact. A node is drawn for once in
// a layer, whichever edges ask. With k_l = -1 everything is as in the core.
//
// E_l begins E_(l-1), so that a layer's own rows are the first ones that enter it (Subgraph).
//
// # Whose edges
//
// The training graph has the edges that are trained on, and those that are in no part. Only they are
// in the files that steps read (Index): a held-out edge is in no batch, whatever its label and
// features. Validation and test are exact: local visits, with the edges of their parts besides.
//
// # Determinism
//
// Seeds come in an order that is a permutation named by (seed, "order", round), a round being all
// training edges once. Draws are named by (seed, "draw", step, layer, end), steps being counted over
// all epochs and end being the first end of an edge at the node, so that neither threads, a resumed
// run nor how a store is divided make a difference.
//
// # Index
//
// An Index is files of rows of fixed width, read with pread and never as a whole:
//
//	index.json  sizes, the checksum of the store, of each file
//	edges       ends, label and features of an edge; rows by the place of the edge
//	nodes       features of a node; the node with rank r of part p is row r + nodes of earlier parts
//	starts      where the ends at a node begin, and after the last node where they end
//	ends        2·place + 0 or 1 of each end of an edge at a node, rising
//	seeds       places of the edges that are learned from
//
// The place of an edge is its number among those of the training graph.
package sample
