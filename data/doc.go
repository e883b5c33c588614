// Package data reads graph data sets and splits them.
//
// A reader turns the files of a set into a Dataset: validated graphs, an Info that describes them,
// and the fixed folds if the set has them. It reads an fs.FS (or a zip, as an io.ReaderAt). Open
// and OpenArchive take paths of the operating system. The package has no models, batches or tasks.
// Other packages have generated graphs (data/synth), the citation networks of Planetoid
// (data/planetoid), tables of nodes and edges (data/tables), node-link JSON (data/nodelink), public
// sets to download (data/fetch) and writers of other layouts (data/convert). WriteTU is here,
// because it needs only this package.
//
// # Formats
//
// TU: NAME_A.txt with one arc per line, NAME_graph_indicator.txt, and optional labels and
// attributes of graphs, nodes and edges. DGCNN, also called GIN text: one file, in which each node
// is a line "tag degree neighbours...". OGB: the molecules of the Open Graph Benchmark, raw/*.csv
// with mapping/mol.csv and split/scaffold. The content decides which format it is. Text may be
// gzipped, and a set may be in a zip or a tar.
//
// # From arcs to edges
//
// TU and DGCNN text list each undirected edge twice. As in the authors' code, self-loops are
// dropped, the arcs are sorted by (row, column) and repeated arcs are removed. If every arc then
// has a reverse with the same labels and attributes, the set is symmetric, and by default each pair
// becomes one undirected edge {u,v} with u < v. Otherwise the arcs are kept as directed edges.
// Options.Edges can require one form.
//
// OGB lists each bond once and in an order of its own. This order, self-loops and parallel bonds
// are kept. Files of other tools that have both directions of every bond are recognised, and each
// pair becomes one edge.
//
// # Features
//
// Node and edge features are the attributes followed by one-hot labels, a block per label column,
// in which the smallest value becomes column 0. Edges without features get the constant 1. Nodes
// without features, as in the social networks, get their degree: one-hot, or standardised if a
// degree reaches 1000. These are the rules of the code published with "Edge Representation Learning
// with Hypergraphs" (NeurIPS 2021). Attributes are not normalised. FitScale computes the scale of
// those of the training graphs, unless Info.Scaled says that a reader has scaled the features.
// One-hot blocks stay codes (graph.Features).
//
// The nine columns of an OGB atom and the three of a bond are codes of fixed width. OGB labels are
// Targets: NaN if a label is missing, nil without the file of labels.
//
// # Sharing
//
// The graphs of a Dataset are slices of common arrays, and label and code slices of a graph may be
// the same memory: treat them as read-only.
//
// # Errors
//
// Input that cannot be right is refused with a *ParseError that names file and line: "data: MUTAG:
// MUTAG_A.txt:17: node 41 of 40". Memory is allocated for lines that were read, not for counts in a
// file. It is charged to a Budget of Options.MaxMemory before it is allocated. Long lines and
// archives that unpack to far more than their size are refused, too.
package data
