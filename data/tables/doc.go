// Package tables reads graphs from a table of nodes and a table of edges (package tablefile), or
// from a graph file, and prepares a Set of columns for learning about its edges, its nodes or its
// graphs: payments between accounts, roads between crossings, molecules.
//
// The path for labelled edges is
//
//	Read -> Set          columns as read, edges with their ends as indices
//	Set.Split -> Split   training, validation and test edges
//	Set.Fit -> Encoder   means, scales, vocabularies, from the training edges only
//	Set.Input -> Input   the graph that a model sees for a part, with its labels
//
// For labelled nodes it is FitNodes and WholeNodes, for labelled graphs FitGraphs and
// Graphs, with a split by data.StratifiedSplit of the codes of the label. Tables label
// edges or nodes; sets with labels of graphs come from other readers, such as package
// nodelink.
//
// # Tables
//
// A folder (or zip, or tar) holds edges.csv, edges.csv.gz or edges.parquet, and may
// hold nodes likewise; Options names other files. A CSV starts with a line of column
// names and is separated by comma, semicolon or tab. Columns get their roles from
// Options or by convention: source and target (or src and dst, from and to, ...),
// label (or class, y), time, group; the nodes' id. A part column is used only if Options
// names it: train, valid (or validation, val, dev) and test, or 0, 1 and 2. All other columns
// are features, except edge columns named id, edge or edge_id, which number the edges.
//
// Ids are text, so "7" and "007" are two nodes. Without a table of nodes, nodes
// are numbered in the order of the edges and have the constant feature 1. If the tables have
// a graph column (as written by ehgnn data convert), ids are unique only within their graph,
// and the set is a collection of graphs.
//
// Each row of the edges is a separate edge, and a separate node in the dual
// hypergraph, even if several rows join the same two nodes. There is one exception:
// if a table lists each undirected edge in both directions (for every row there is a
// row with exchanged ends and equal values otherwise), it is read as undirected, and each
// pair becomes one edge, unless Options.Form says directed.
//
// # Graph files
//
// Edge lists, triples, GraphML, GEXF and Matrix Market (package graphfile) are read like tables.
// The file determines ends, direction, label and parts. The ids of edges, and the names of
// nodes that GEXF displays, are not features.
//
// # Features
//
// A column whose values are all numbers is numeric, any other is categorical. A
// numeric column becomes (x-mean)/scale, and 0 for a missing number; if the
// training rows have missing numbers, a further feature marks them. A categorical column is
// one-hot, all zero for a category that no training row had; Unseen counts these. The
// label, the time, the group, the part and the ends are never features. An encoder may add
// columns that describe the graph around each edge (Set.FitStructure), counted from the
// training edges, and columns about the time of each edge (Set.FitTimes).
//
// # No leak
//
// An Encoder is fitted to the training part only: edges and their ends, nodes and the edges
// at them, or whole graphs. Only the kind of a column (numeric or not) depends on all rows.
//
// The input for training on edges has only the training edges: edges of the other parts
// are not in the graph, so nothing about them can reach it. The input for validation
// has training and validation edges, the input for test has all edges; each scores the edges
// of its own part. The scored edges take part in message passing with their features, which
// are known when a prediction is made, and never with a label: no label is a
// feature of any edge. InputOptions.Transductive puts all edges into every input, for
// tasks in which the features of all edges are known when training starts.
//
// # New edges
//
// New edges are joined with their context, the earlier edges (Join), and encoded together with them
// (Set.Whole). Beside does the same for many batches of a few edges: it computes what depends only on
// the context once.
//
// # Rows
//
// Tables that do not fit into memory are read row by row: ScanEdges and ScanNodes assign the roles of
// columns like Open, Scan.Encoder encodes a row with the same bits as Set.Whole, and Scan.Fitter fits
// an encoder. Other packages build the graphs.
//
// Errors are *data.ParseError with file, line and column. Options.MaxMemory limits the memory of
// reading.
package tables
