// Package store stores a graph of labelled edges in files that are read a block at a time, so that
// a step over it needs only the memory of a few blocks and parts.
//
// # Blocks and parts
//
// A block has up to BlockEdges edges, in the order of the input: their encoded features, labels,
// parts of a split, and their ends as positions in the block's list of distinct nodes. A part has
// the nodes whose ids hash to the same number: their ids, sorted, and their encoded features. The
// rank of a node is its position in its part. A block lists its nodes by part and rank, so messages
// between a block and a part are one range of this list. Whole ids are compared, not hashes.
// Positions and ranks are int32, numbers of edges int64.
//
// The number of an edge is its row in the input, counted from 0 over all files.
//
// # Files
//
//	STORE/manifest.json        sizes, encoder, checksums; written last
//	STORE/blocks/000000.block  a block
//	STORE/blocks/000000.names  the ids of the block's distinct nodes, for tables that name ends
//	STORE/blocks/000000.ids    the names of the block's edges, if a column has them
//	STORE/parts/0000.part      a part
//
// Files are written completely or not at all, and their checksum is compared when they are read. A
// truncated or changed file is an error with its name. A folder without a manifest is no store.
//
// # Packing
//
// Pack makes a store from tables that are larger than memory. It reads the edges block by block,
// writes the ids of each block's nodes to a file for each part, sorts and writes each part, and
// then sets the ranks of each block's nodes. A thread has at most one block or part in memory. The
// error for a wrong row has its file and line; Pack reads the tables again if it needs to. Cut
// makes the same files from a set in memory.
package store
