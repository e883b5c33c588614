// Package structure describes edges by the graph around them: numbers that a model can learn from
// if edges and nodes have no attributes of their own.
//
//	g, err := structure.New(nodes, ends, directed, pool)
//	names, err := structure.Names(directed, structure.Degree, structure.Common)
//	rows, err := g.Columns(names, structure.Pairs{Ends: ends})
//
// A Graph is the base: the edges that are counted. Pairs are the node pairs to describe, edges of
// the base or others. An edge of the base counts itself, for example in a degree. Pairs.Own changes
// this: the row of an edge then describes the base without it. So a training edge has the same
// description as a new edge, which is not in the graph yet. With Pairs.Together, edges of one batch
// are known together: edges between the same ends are counted as if they were in the base.
//
// # Columns
//
// The neighbours of a node are the other nodes that an edge joins it to, each counted once. Loops
// and parallel edges count only in the numbers of edges and in the group pair. Counts and return
// probabilities p are written as log(1+count) and log(1+100p), because they differ by orders of
// magnitude. In a directed graph a column of a node occurs twice, for the source and for the
// target. In an undirected graph it becomes the mean and the absolute difference of both ends,
// which do not depend on the order of the ends.
//
//	degree       neighbours that the node leads to, that lead to it, and all; edges that
//	             leave it and that reach it
//	reciprocity  share of the neighbours with edges in both directions (only directed)
//	neighbours   means, over the neighbours that the node leads to and over those that lead
//	             to it, of their degree columns and reciprocity; undirected: of the degree
//	walk         probability that a random walk over the edges, whatever their direction, is
//	             back after 2, 3, 4, 5 and 6 steps
//	core         largest k for which the node is in a part of the graph where all have k
//	             neighbours
//	pair         whether an edge leads back (only directed), number of edges from source to
//	             target, whether both ends are one node
//	common       common neighbours of the two ends, by the direction of the edges on the way and
//	             in any direction: their number, the sum of 1/log of their degrees
//	             (Adamic-Adar), and their share of all neighbours of the two ends (Jaccard)
//
// Own and Together are exact except for walk and core, which read more than the ends and their
// neighbours. For walk and core an edge of the base is never left out, and the edges that are known
// together are added to the base.
//
// # Cost
//
// The time is linear in nodes and edges, except for common: for each pair of neighbours it reads
// the shorter of the two lists. That is m·√m steps at worst, and far fewer on graphs with hubs.
// Pairs that are listed more than once are computed once. Return probabilities are exact if few
// nodes are within three steps. Otherwise they are estimated from fixed random vectors, a few at a
// time. Results are the same to the bit for any number of threads and any numbering of the nodes.
// Another order of the edges changes estimates within their error.
package structure
