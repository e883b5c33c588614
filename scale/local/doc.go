// Package local runs a program over a store on one machine, on threads and with a bounded memory.
//
// # A turn
//
// First the parts: blocks stream past, and each thread adds what a block says to totals of as many
// parts as fit into memory at once, under a lock for each part; more passes where they do not all
// fit. What the program makes of the totals is a file of rows for each part. Then the blocks: the
// rows of a block's nodes are taken from memory, or in runs of ranks from the files where they do not
// fit, and what the program makes of them and of the block's states is a file of states for the
// block, and one of messages where these are not the states. Two turns are kept. Sums are whole numbers in
// fixed point, so that results do not depend on which thread comes first, how many
// passes there are, or how often a job was stopped.
//
// # Files
//
//	OUT/manifest.json        what the job is of and how far it is; written after each turn
//	OUT/part-000000.parquet  what the last turn gives for a block, or for a part of the nodes
//	OUT/work/                states, messages and rows; removed at the end
//
// Files are written whole or not at all. Those in work have a checksum (CRC-32C) of their own and
// are in the byte order of the machine. A job that is resumed leaves out finished turns, and in
// the one that was stopped each visit whose file is there and whole. OUT is locked while a job writes to it.
package local
