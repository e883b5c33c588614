// Package data reads graph data sets and splits them.
//
// A reader turns the files of a set into a Dataset: validated graphs, an Info
// that says what was found, and the fixed folds when the set has them. It reads
// an fs.FS (or a zip, as an io.ReaderAt); Open and OpenArchive take paths of the
// operating system. The package knows no models, no batches and no tasks. Generated
// graphs are in data/synth, the citation networks of Planetoid in data/planetoid,
// tables of nodes and edges in data/tables, node-link JSON in data/nodelink, public
// sets to download in data/fetch, other layouts to write in data/convert. WriteTU is
// here, as it needs nothing but this package.
//
// # Formats
//
// TU: NAME_A.txt with one arc a line, NAME_graph_indicator.txt, and optional
// labels and attributes of graphs, nodes and edges. DGCNN, also called GIN
// text: one file, each node a line "tag degree neighbours...". OGB: the molecules
// of the Open Graph Benchmark, raw/*.csv with mapping/mol.csv and split/scaffold.
// The format is recognised from the content; gzipped text is read as it is, and a set
// may be in a zip or a tar.
//
// # From arcs to edges
//
// TU and DGCNN text list each undirected edge twice. As in the authors' code,
// self-loops are dropped, the arcs are sorted by (row, column) and repeated ones
// removed. When every arc then has a reverse that carries the same labels and
// attributes, the set is symmetric, and by default each pair becomes one
// undirected edge {u,v} with u < v; otherwise the arcs are kept as directed
// edges. Options.Edges demands one form or the other.
//
// OGB lists each bond once and in an order of its own, which is kept, and so are
// self-loops and parallel bonds. Files of other tools that hold both directions
// of every bond are recognised, and each pair becomes one edge.
//
// # Features
//
// Node and edge features are the attributes followed by one-hot labels, a block
// per label column, in which the smallest value becomes column 0. Edges without either get the constant 1.
// Nodes without either, those of the social networks, get their degree: one-hot,
// or standardised when a degree reaches 1000. These are the rules of the code
// published with "Edge Representation Learning with Hypergraphs" (NeurIPS
// 2021). Attributes are not normalised: FitScale measures those of the training graphs
// of a split, unless Info.Scaled says that a reader has scaled the features. One-hot
// blocks stay codes (graph.Features).
//
// The nine columns of an OGB atom and the three of a bond are codes of fixed
// width. Its labels are Targets, NaN where a label is missing, nil without the file of
// labels.
//
// # Sharing
//
// The graphs of a Dataset are slices of common arrays, and label and code slices
// of a graph may be the same memory: treat them as read-only.
//
// # Errors
//
// Input that cannot be right is refused with a *ParseError that names file and
// line: "data: MUTAG: MUTAG_A.txt:17: node 41 of 40". Memory is
// allocated for lines that were read, not for counts that a file states, and charged to
// a Budget of Options.MaxMemory before it is, as are long lines and archives that unpack
// to far more than their size.
package data
