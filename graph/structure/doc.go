// Package structure describes edges by the graph around them: numbers that a model can
// learn from where edges and nodes have no attributes of their own.
//
//	g, err := structure.New(nodes, ends, directed, pool)
//	names, err := structure.Names(directed, structure.Degree, structure.Common)
//	rows, err := g.Columns(names, structure.Pairs{Ends: ends})
//
// A Graph is the base: what is counted. Pairs are what is described, edges of the base or
// others. An edge of the base counts itself, as a degree does, unless Pairs.Own says that it
// is to be left out: then its row describes the base without it. That is how a training
// edge is seen as a new one will be, which is not in the graph yet. Edges that come in one
// batch know of each other: with Pairs.Together those between the same ends are counted as
// if they were in the base.
//
// # Columns
//
// Neighbours of a node are the other nodes that an edge joins it to, each counted once.
// Loops and parallel edges count in the numbers of edges and in pair alone. Counts and return
// probabilities p are given as log(1+count) and log(1+100p), as they spread over orders of
// magnitude. In a directed graph columns of a node come once for the source and once for
// the target; in an undirected one as mean and absolute difference of both ends, which do
// not depend on the order in which the ends are listed.
//
//	degree       neighbours that the node leads to, that lead to it, and all; edges that
//	             leave it and that reach it
//	reciprocity  share of the neighbours with edges in both directions (directed alone)
//	neighbours   means, over the neighbours that the node leads to and over those that lead
//	             to it, of their degree columns and reciprocity; undirected: of the degree
//	walk         probability that a random walk over the edges, whatever their direction, is
//	             back after 2, 3, 4, 5 and 6 steps
//	core         largest k for which the node is in a part of the graph where all have k
//	             neighbours
//	pair         whether an edge leads back (directed alone), edges from source to target,
//	             whether both are one node
//	common       nodes between the two by the direction of the edges on the way, and in any
//	             direction: their number, that weighted by 1/log of their degree
//	             (Adamic-Adar), and as a share of all neighbours of the two (Jaccard)
//
// Own and Together are exact but for walk and core, which look further than the ends and their
// neighbours. An edge of the base is in its own walks and cores, and so is one of those that are
// known together: they are put into the base for that.
//
// # Cost
//
// All is linear in nodes and edges but common, which takes for each pair of neighbours the
// shorter of the two lists: m·√m steps at worst, and on graphs with hubs far fewer. Pairs
// that are listed more than once are looked at once. Return probabilities are exact where
// the nodes within three steps are few, and else estimated from fixed random vectors, a few
// at a time. Results are the same to the bit for any number of threads, and however nodes are
// numbered; edges in another order change estimates within their error.
package structure
