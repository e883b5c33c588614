// Package links is the protocol of link prediction: which pairs of nodes there are, which of them are
// held out, what is in the graph when a pair is scored, which other pairs it is compared with, and the
// numbers that come of it.
//
// # Pairs and parts
//
// A Data has the nodes in the order of their ids and each pair once, however many rows name it. A pair
// is unordered where the graph is undirected. Split divides units of pairs: in a directed graph (u,v)
// and (v,u) are one unit of a random split. Loops are counted and are no pairs.
//
// # Graph and columns
//
// A Graph has the pairs that may be seen and nothing else. Columns describe a candidate by the graph:
// common neighbours, walks, personalised PageRank, degrees, features. A Worker holds what is computed
// for one end of candidates, the kept end, and gives the columns of any number of others. No column
// of a candidate depends on which others are asked for.
//
// # Candidates
//
// Uniform draws pairs that no positive has, ByDegree replaces one end of a positive, and HardList
// ranks, for a kept end, the nodes that are most like a partner without being one. Each is a function
// of seed and ids: threads, the order of rows and of positives do not change it.
//
// Scores of rankings and their intervals are in package links/rank.
package links
