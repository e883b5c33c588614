// Package graphfile reads one graph from a file that a graph program wrote, as a table of edges
// and, where the file lists its nodes, a table of nodes. Package tables treats them as it treats
// tables of other files.
//
// # Formats
//
// The content of a file decides its format, not its name. Every file may be gzipped.
//
//	graphml    GraphML of networkx, igraph, Gephi and yEd: typed columns by its keys
//	gexf       GEXF 1.1 to 1.3 of Gephi and networkx: typed columns by its attributes
//	mtx        Matrix Market, coordinate: an edge per entry, its value in the column weight
//	edge-list  lines of two ids and values, without a header: SNAP, KONECT, networkx
//	triples    lines of head, relation and tail, without a header: FB15k, WN18RR, N-Triples
//
// A format that is known and not read is refused by its name, with the command that converts it
// (Refuse).
//
// # Columns
//
// The first two columns of edges are "source" and "target"; the first column of nodes is "id".
// Attributes follow under the names that the file gives them. Of two columns with one name the
// second gets ".1" behind it.
//
//   - Edge lists name further columns in a comment (SNAP: # FromNodeId ToNodeId Sign). Without
//     such a comment the third is "weight" and the last is "time" where its values are seconds
//     since 1970; KONECT has weight and time in this order; others are "column_3" and so on.
//   - Triples have a column "relation", which is the label. Of a folder with train.txt, valid.txt
//     and test.txt the column "part" says in which file an edge is.
//   - GraphML has the types of attr.type and GEXF those of its attributes. GEXF adds "id", "label",
//     "kind" and "weight" of an edge where the file has them, and "label" of a node, the name that
//     is displayed, where it differs from the id. A weight that is missing is 1, as GEXF says.
//   - A rectangular matrix and a bipartite graph of KONECT have two kinds of nodes, each numbered
//     from 1. The ids of sources become r1, r2, ... and those of targets c1, c2, ...
//
// # Direction
//
// A GraphML or GEXF file with directed and undirected edges is refused. A symmetric matrix is
// undirected, another square one directed. A skew-symmetric or Hermitian matrix stores one of two
// entries that differ, so it is directed and has that one. Edge lists say their direction in
// comments (SNAP, KONECT) or not at all. Triples are directed.
//
// # What is not read
//
// Hyperedges, ports, nested graphs and several graphs of a file are refused. What an editor draws,
// as colours and positions in GEXF and yEd's graphics, and what changes over time in GEXF, is left
// out with a note. Entities of XML are never expanded.
//
// # Memory
//
// Edge lists, triples and matrices are streams. The tables of GraphML and GEXF, where nodes and
// edges may come in any order, are kept; their cells are charged to the data.Budget before they
// are kept. Errors are *data.ParseError with file and line.
package graphfile
