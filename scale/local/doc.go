// Package local runs a program over a store on one machine, on several threads and with bounded
// memory.
//
// # A turn
//
// First come the parts. Blocks are read one after the other, and each thread adds the messages of a
// block to the totals of as many parts as fit into memory, under a lock for each part. If not all
// parts fit, there are several passes. From the totals the program computes a file of rows for each
// part. Then come the blocks. The rows of a block's nodes are read from memory or, if they do not
// fit, in ranges of ranks from the files. From them and the block's states the program computes a
// file of states for the block, and a file of messages if these differ from the states. The files
// of two turns are kept. Sums are integers in fixed point, so results do not depend on the order of
// threads, the number of passes, or how often a job was stopped.
//
// # Files
//
//	OUT/manifest.json        the job and its progress; written after each turn
//	OUT/part-000000.parquet  the results of the last turn for a block, or for a part of the nodes
//	OUT/work/                states, messages and rows; removed at the end
//
// Files are written completely or not at all. Files in work contain a checksum (CRC-32C) and use
// the byte order of the machine. A resumed job skips finished turns and, in the turn that was
// stopped, each visit whose file is complete. OUT is locked while a job writes to it.
package local
