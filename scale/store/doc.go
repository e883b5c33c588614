// Package store keeps a graph of labelled edges in files that are read a block at a time, so
// that no step over it needs more memory than a few blocks and parts.
//
// # Blocks and parts
//
// A block is up to BlockEdges edges, in the order of the input: their encoded features, labels,
// parts of a split, and their ends as places in the block's list of distinct nodes. A part is
// the nodes whose ids hash to one number: their ids, sorted, and their encoded features. The rank of
// a node is its place in its part, and a block lists its nodes by part and rank, so that what a
// block and a part say to each other is one run of ranks. Ids are compared whole. Places and ranks
// are int32, numbers of edges int64.
//
// An edge is known by its number, which is its row in the input, counted from 0 over all files.
//
// # Files
//
//	STORE/manifest.json        what is in it: sizes, encoder, checksums; written last
//	STORE/blocks/000000.block  a block
//	STORE/blocks/000000.names  the ids of the block's distinct nodes, for tables that name ends
//	STORE/blocks/000000.ids    what the input calls the block's edges, where a column does
//	STORE/parts/0000.part      a part
//
// Files are written whole or not at all, and read with their checksum: a torn or changed one is an
// error that names it. A folder without a manifest is no store.
//
// # Packing
//
// Pack makes a store of tables that memory does not hold. It reads the edges block by block, spreads
// the ids of each block's nodes over a file per part, sorts and writes each part, and then gives
// the nodes of each block their ranks. No step holds more than a block or a part on each thread.
// A row that is wrong is named by its file and line, if need be by reading again. Cut makes the
// same files of a set in memory.
package store
