// Package links is the protocol of link prediction: the pairs of nodes, the pairs that are held
// out, the graph in which a pair is scored, and the negatives that a pair is compared with.
//
// # Pairs and parts
//
// A Data has the nodes in the order of their ids, and each pair once, even if several rows name it.
// In an undirected graph pairs are unordered. Split assigns units of pairs to parts: in a directed
// graph (u,v) and (v,u) are one unit of a random split. Loops are counted but are no pairs.
//
// # Graph and columns
//
// A Graph has only the pairs that may be seen. Columns describe a candidate by the graph: common
// neighbours, walks, personalised PageRank, degrees, features. A Worker stores what it computes for
// one end of candidates, the kept end, and returns the columns for any number of other ends. The
// columns of a candidate do not depend on which other candidates are scored.
//
// # Candidates
//
// Uniform negatives are random unknown pairs. ByDegree replaces one end of a positive. Hard.List
// ranks, for a kept end, the nodes that are most similar to its partners without being partners.
// Each list depends only on the seed and the ids, not on the number of threads or the order of rows
// and positives.
//
// Package links/rank has ranks, scores of rankings and their intervals.
package links
