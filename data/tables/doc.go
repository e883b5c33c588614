// Package tables reads graphs from a table of nodes and a table of edges, CSV or
// Parquet, or from a graph file, and prepares a Set of columns for learning about its edges, its nodes or its
// graphs: payments between accounts, roads between crossings, molecules.
//
// The path for labelled edges is
//
//	Read -> Set          columns as they stand, edges with their ends as indices
//	Set.Split -> Split   which edges train, validate and test
//	Set.Fit -> Encoder   means, scales, vocabularies, from the training edges only
//	Set.Input -> Input   the graph that a model sees for a part, with its labels
//
// For labelled nodes it is FitNodes and WholeNodes, for labelled graphs FitGraphs and
// Graphs, with a split by data.StratifiedSplit of the codes of the label. The tables
// label edges; sets with labels of nodes and graphs come from other readers, such as
// package nodelink.
//
// # Tables
//
// A folder (or zip, or tar) holds edges.csv, edges.csv.gz or edges.parquet, and may
// hold nodes likewise; Options names other files. A CSV starts with a line of column
// names and is separated by comma, semicolon or tab. Columns get their roles from
// Options or by convention: source and target (or src and dst, from and to, ...),
// label (or class, y), time, group; the nodes' id. Options alone name a column of
// parts: train, valid (or validation, val, dev) and test, or 0, 1 and 2. All others are
// features, except columns of the edges called id, edge or edge_id, which number them.
//
// Ids are text, so "7" and "007" are two nodes. Without a table of nodes, nodes
// are numbered as the edges name them, and have the constant feature 1. With a
// graph column in the tables (as ehgnn data convert writes them), ids count
// within their graph, and the set is a collection of graphs.
//
// Each row of the edges is an edge of its own, a node of its own in the dual
// hypergraph, also when several join the same two nodes. There is one exception:
// a table that lists each undirected edge in both directions, every row beside a
// row with the ends exchanged and all else equal, is read as undirected, each pair
// as one edge, unless Options.Form says directed.
//
// # Graph files
//
// Edge lists, triples, GraphML, GEXF and Matrix Market (package graphfile) are read as tables are.
// Ends, direction, label and parts are those that the file names. The ids of edges and the names of
// nodes that GEXF displays are no features.
//
// # Features
//
// A column whose values are all numbers is numeric, any other is categorical. A
// numeric column becomes (x-mean)/scale, and 0 where a number is missing; when the
// training rows have such gaps, a further feature marks them. A categorical column is
// one-hot, all zero for a category that no training row had; Unseen counts those. The
// label, the time, the group, the part and the ends are never features. An encoder may give edges
// columns that describe the graph around them, too (Set.FitStructure), counted from the
// training edges, and columns that say when they are (Set.FitTimes).
//
// # No leak
//
// An Encoder measures the training part only: edges and their ends, nodes and the edges
// at them, or whole graphs. Only whether a column is numeric is taken from all rows.
//
// The input for training on edges has the training edges only: edges of the other parts
// are not in the graph, so nothing about them can reach it. The input for validation
// has training and validation edges, the one for test all; each scores the edges of its
// own part. The edges to be scored are in message passing with their features, which
// are known when a prediction is wanted, and never with a label, as no label is a
// feature of any edge. InputOptions.Transductive puts all edges into every input, for
// tasks where the others' features are known when training starts.
//
// # Beside
//
// New edges are joined with those before them (Join), their context, and encoded with them (Set.Whole). Beside does
// the same for a few edges of many batches: what depends on the context alone is computed once.
//
// # Rows
//
// Tables that memory does not hold are gone through row by row: ScanEdges and ScanNodes give
// columns their roles as Open does, Scan.Encoder encodes a row with the bits that Set.Whole gives,
// and Scan.Fitter measures columns for an encoder. Graphs are put together elsewhere.
//
// Errors are *data.ParseError with file, line and column. What reading takes
// is bounded by Options.MaxMemory.
package tables
