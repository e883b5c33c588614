// Package graphfile reads one graph from a file that a graph program wrote, as a table of edges
// and, if the file lists its nodes, a table of nodes. Package tables treats them like tables of
// other files.
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
// Refuse returns an error for a known format that is not read. The error has the name of the format
// and the command that converts the file.
//
// # Columns
//
// The first two columns of edges are "source" and "target". The first column of nodes is "id".
// Attributes follow with their names in the file. If two columns have the same name, the second
// gets ".1" appended.
//
//   - Edge lists name further columns in a comment (SNAP: # FromNodeId ToNodeId Sign). Without such a
//     comment the third column is "weight", and the last is "time" if its values are seconds since
//     1970. KONECT has weight and time in this order. Other columns are "column_3" and so on.
//   - Triples have a column "relation", which is the label. In a folder with train.txt, valid.txt and
//     test.txt the column "part" says in which file an edge is.
//   - GraphML has the types of attr.type, and GEXF those of its attributes. GEXF adds "id", "label",
//     "kind" and "weight" of an edge if the file has them. It adds "label" of a node, the displayed
//     name, if it differs from the id. A missing weight is 1, as GEXF defines.
//   - A rectangular matrix and a bipartite graph of KONECT have two kinds of nodes, each numbered
//     from 1. The ids of sources become r1, r2, ..., the ids of targets c1, c2, ...
//
// # Direction
//
// A GraphML or GEXF file with both directed and undirected edges is refused. A symmetric matrix is
// undirected, any other square matrix is directed. A skew-symmetric or Hermitian matrix stores only
// one of two entries that differ; it is directed and has the stored entry. Edge lists give their
// direction in comments (SNAP, KONECT) or not at all. Triples are directed.
//
// # What is not read
//
// Hyperedges, ports, nested graphs and several graphs in a file are refused. Drawing attributes,
// such as colours and positions in GEXF and yEd's graphics, and values that change over time in
// GEXF are left out with a note. Entities of XML are never expanded.
//
// # Memory
//
// Edge lists, triples and matrices are streams. The tables of GraphML and GEXF are kept in memory,
// because their nodes and edges may come in any order. Their cells are charged to the data.Budget
// before they are kept. Errors are *data.ParseError with file and line.
package graphfile
