package data

import (
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Dataset is a set of graphs as read from its files.
type Dataset struct {
	Info   Info
	Graphs []*graph.Graph
	// SMILES are the SMILES of the graphs, one for each. It is nil if the set has none
	// (NAME_smiles.txt, mapping/mol.csv).
	SMILES []string
	// Split is the split of the graphs that comes with the set, such as the scaffold split of OGB.
	// It is nil if there is none. Folds are in Fold.
	Split *Split
	// NodeSplit is the split of the nodes of a set that is one graph, such as the public split of
	// Planetoid. It is nil if there is none.
	NodeSplit *Split

	folds *folds
}

// Split divides the items of a set, its graphs or the nodes of its only graph, into disjoint lists
// of indices, each in the order of its file. Some items may be in no list. A Split is read-only,
// like the graphs.
type Split struct {
	Name               string // "scaffold", "public"
	Train, Valid, Test []int
}

// Info returns the sizes of the split, or nil for a nil split.
func (s *Split) Info() *SplitInfo {
	if s == nil {
		return nil
	}
	return &SplitInfo{Name: s.Name, Train: len(s.Train), Valid: len(s.Valid), Test: len(s.Test)}
}

// SplitInfo has the sizes of the parts of a split.
type SplitInfo struct {
	Name  string `json:"name"`
	Train int    `json:"train"`
	Valid int    `json:"valid"`
	Test  int    `json:"test"`
}

// Info describes the content of a data set.
type Info struct {
	Name   string `json:"name"`   // "MUTAG"
	Format string `json:"format"` // FormatTU, FormatDGCNN, FormatOGB, or the format of another reader

	NumGraphs int `json:"num_graphs"`
	// NumClasses is 0 for a set without graph labels. Class i, the Label of a graph, is the label
	// ClassNames[i] in the files. Classes are in ascending order of that number.
	NumClasses int      `json:"num_classes"`
	ClassNames []string `json:"class_names"`
	// ClassCounts is the number of graphs of each class. It is nil without classes.
	ClassCounts []int `json:"class_counts,omitempty"`
	NumTargets  int   `json:"num_targets"` // width of Graph.Targets
	// MissingTargets counts the targets that are NaN among NumGraphs × NumTargets.
	MissingTargets int `json:"missing_targets"`
	// TargetNames are the names of the targets. It is nil if the set has none.
	TargetNames []string `json:"target_names,omitempty"`
	// NumNodeClasses is the number of node classes, if they are the prediction target (Planetoid).
	// In other sets node labels are features.
	NumNodeClasses int `json:"num_node_classes,omitempty"`
	// NodeClassCounts is the number of nodes of each node class.
	NodeClassCounts []int `json:"node_class_counts,omitempty"`

	NodeWidth int `json:"node_width"` // columns of a node's features
	EdgeWidth int `json:"edge_width"` // columns of an edge's features
	// NodeLabelOffset and EdgeLabelOffset were subtracted from labels to get codes, one for each
	// label column: label = code + offset. They are nil if there are no labels or the format fixes
	// the codes (OGB). If Options fix the widths, they are the offsets of Options.
	NodeLabelOffset []int `json:"node_label_offset"`
	EdgeLabelOffset []int `json:"edge_label_offset"`

	MeanNodes float64 `json:"mean_nodes"`
	MeanEdges float64 `json:"mean_edges"` // of undirected edges: {u,v} counts once, with one arc or with both
	MaxNodes  int     `json:"max_nodes"`
	MaxEdges  int     `json:"max_edges"`  // of undirected edges
	MaxDegree int     `json:"max_degree"` // largest number of arcs that leave a node

	HasNodeLabels     bool `json:"has_node_labels"`
	HasEdgeLabels     bool `json:"has_edge_labels"`
	HasNodeAttributes bool `json:"has_node_attributes"`
	HasEdgeAttributes bool `json:"has_edge_attributes"`
	HasFolds          bool `json:"has_folds"`
	// Scaled says that the numeric features are already scaled and must not be standardised again,
	// such as word counts divided by their sum and standardised degrees.
	Scaled bool `json:"scaled,omitempty"`

	// DegreeMean and DegreeScale standardise node degrees that replace missing node features. They
	// are zero if there are no such degrees or they are codes.
	DegreeMean  float64 `json:"degree_mean,omitempty"`
	DegreeScale float64 `json:"degree_scale,omitempty"`

	Split     *SplitInfo `json:"split,omitempty"`      // of Dataset.Split
	NodeSplit *SplitInfo `json:"node_split,omitempty"` // of Dataset.NodeSplit

	// Symmetric says that every arc of the input has a reverse with the same features. Directed
	// says that the graphs have one edge per arc.
	Symmetric bool `json:"symmetric"`
	Directed  bool `json:"directed"`

	// Checksum is a SHA-256 over the text of every file that was read. It is the same for a folder,
	// a zip and gzipped files of one set: the hash of the lines "sha256-of-the-text  file", sorted
	// by file, as sha256sum prints them.
	Checksum string `json:"checksum"`
	// Notes say what the reader did that a user might not expect.
	Notes []string `json:"notes"`
}

// Edges selects the form of the graphs.
type Edges int

const (
	// Auto makes undirected edges if the set is symmetric, else directed edges.
	Auto Edges = iota
	// Directed makes each arc an edge of its own, in the order of the authors' code: by (row,
	// column). For OGB it is the order of its loader, with the inverse after each bond.
	Directed
	// Undirected makes each pair of arcs one edge. It refuses a set that is not symmetric with an
	// error that wraps graph.ErrAsymmetric.
	Undirected
)

// The formats that the package reads.
const (
	FormatTU    = "tu"
	FormatDGCNN = "dgcnn"
	FormatOGB   = "ogb"
)

// maxCodes bounds the total width of the one-hot blocks of a row. Labels that need more are
// identifiers and not classes.
const maxCodes = 1 << 20

// Options change how a data set is read. The zero value recognises the format and decides all
// settings.
type Options struct {
	// Format is FormatTU, FormatDGCNN, FormatOGB, or "" to recognise the format.
	Format string
	// Name selects a set if a folder holds several: by the prefix of its files, or by its folder
	// (OGB).
	Name string
	// Edges selects the form of the graphs.
	Edges Edges
	// NodeCodes and EdgeCodes, if not 0, fix the width of the one-hot blocks of nodes (labels or
	// degrees) and edges. Codes are then the labels minus NodeOffset and EdgeOffset; the smallest
	// label is not subtracted. Sets that belong together, like the parts of ZINC (28 and 5), are
	// opened with the same widths, and new data with those of training. OGB has widths of its own
	// and refuses others.
	NodeCodes, EdgeCodes   int
	NodeOffset, EdgeOffset int
	// ClassNames, if not nil, fixes which label is which class, so that data opened later have the
	// classes of the training data.
	ClassNames []string
	// MaxMemory is the memory, in bytes, that reading may take. It also bounds the text, its lines
	// and how far it may unpack. 0 means the default of NewBudget. Reading that needs more returns
	// an error that wraps ErrTooLarge.
	MaxMemory int64
}

func (o Options) validate() error {
	switch o.Format {
	case "", FormatTU, FormatDGCNN, FormatOGB:
	default:
		return fmt.Errorf("data: format %q, expected %q, %q, %q or none", o.Format, FormatTU, FormatDGCNN, FormatOGB)
	}
	if o.Edges < Auto || o.Edges > Undirected {
		return fmt.Errorf("data: edge form %d, expected Auto, Directed or Undirected", o.Edges)
	}
	if o.NodeCodes < 0 || o.NodeCodes > maxCodes || o.EdgeCodes < 0 || o.EdgeCodes > maxCodes {
		return fmt.Errorf("data: code widths %d (nodes) and %d (edges), expected 0 to %d", o.NodeCodes, o.EdgeCodes, maxCodes)
	}
	const limit = 1 << 30
	if max(o.NodeOffset, o.EdgeOffset) > limit || min(o.NodeOffset, o.EdgeOffset) < -limit {
		return fmt.Errorf("data: code offsets %d (nodes) and %d (edges), expected -2^30 to 2^30", o.NodeOffset, o.EdgeOffset)
	}
	if o.MaxMemory < 0 {
		return fmt.Errorf("data: MaxMemory %d is negative", o.MaxMemory)
	}
	return nil
}

// Labels returns the classes of the graphs, graph.NoLabel for a graph without one, as
// StratifiedSplit and StratifiedFolds take them.
func (d *Dataset) Labels() []int32 {
	return lists.Map(d.Graphs, func(g *graph.Graph) int32 { return g.Label })
}

// ParseError is an error in the text of a data set.
type ParseError struct {
	File string // relative to the folder of the set
	Line int    // counted from 1; 0 if the error is not on a line
	Msg  string // what was found and what was expected
	Err  error  // the cause if reading failed, else nil
}

// Error returns "FILE:LINE: MSG", followed by the cause if there is one.
func (e *ParseError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", where, e.Msg, e.Err)
	}
	return where + ": " + e.Msg
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

var (
	// ErrNoFolds is returned by Fold for a set without 10fold_idx; WithFolds makes folds.
	ErrNoFolds = errors.New("data: the set has no fixed folds")
	// ErrUnknownFormat is wrapped if no readable data set is found.
	ErrUnknownFormat = errors.New("no data set recognised")
	// ErrTooLarge is wrapped if reading a set takes more than Options.MaxMemory.
	ErrTooLarge = errors.New("too large")
)
