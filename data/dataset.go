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
	// SMILES are the molecules behind the graphs, one a graph, nil when the set
	// has none (NAME_smiles.txt, mapping/mol.csv).
	SMILES []string
	// Split is the one split of the graphs that comes with the set, as the
	// scaffold split of OGB; nil when there is none. Folds are in Fold.
	Split *Split
	// NodeSplit is the split of the nodes of a set that is one graph, as the
	// public split of Planetoid; nil when there is none.
	NodeSplit *Split

	folds *folds
}

// Split divides the items of a set, its graphs or the nodes of its one graph,
// into disjoint lists of indices, each in the order of its file. Items may be in
// none of them. Like the graphs, it is to be treated as read-only.
type Split struct {
	Name               string // "scaffold", "public"
	Train, Valid, Test []int
}

// Info is the split without its lists; nil for no split.
func (s *Split) Info() *SplitInfo {
	if s == nil {
		return nil
	}
	return &SplitInfo{Name: s.Name, Train: len(s.Train), Valid: len(s.Valid), Test: len(s.Test)}
}

// SplitInfo says how large the parts of a split are.
type SplitInfo struct {
	Name  string `json:"name"`
	Train int    `json:"train"`
	Valid int    `json:"valid"`
	Test  int    `json:"test"`
}

// Info says what a data set holds.
type Info struct {
	Name   string `json:"name"`   // "MUTAG"
	Format string `json:"format"` // FormatTU, FormatDGCNN, FormatOGB, or that of the package that read it

	NumGraphs int `json:"num_graphs"`
	// NumClasses is 0 for a set without graph labels. Class i, the Label of a
	// graph, is the label that the files write as ClassNames[i]; classes are in
	// rising order of that number.
	NumClasses int      `json:"num_classes"`
	ClassNames []string `json:"class_names"`
	// ClassCounts is the number of graphs of each class, nil without classes.
	ClassCounts []int `json:"class_counts,omitempty"`
	NumTargets  int   `json:"num_targets"` // width of Graph.Targets
	// MissingTargets counts the targets that are NaN, of NumGraphs × NumTargets.
	MissingTargets int `json:"missing_targets"`
	// TargetNames are the names of the targets, nil when the set has none.
	TargetNames []string `json:"target_names,omitempty"`
	// NumNodeClasses is the number of classes of nodes where these are what is to
	// be predicted (Planetoid); node labels of other sets are features.
	NumNodeClasses int `json:"num_node_classes,omitempty"`
	// NodeClassCounts is the number of nodes of each of these classes.
	NodeClassCounts []int `json:"node_class_counts,omitempty"`

	NodeWidth int `json:"node_width"` // columns of a node's features
	EdgeWidth int `json:"edge_width"` // columns of an edge's features
	// NodeLabelOffset and EdgeLabelOffset are what was subtracted from a label to
	// get its code, one per label column: label = code + offset. They are nil
	// without labels, and where the format fixes the codes (OGB), and those of
	// Options when they fix the widths.
	NodeLabelOffset []int `json:"node_label_offset"`
	EdgeLabelOffset []int `json:"edge_label_offset"`

	MeanNodes float64 `json:"mean_nodes"`
	MeanEdges float64 `json:"mean_edges"` // undirected: {u,v} counts once, with one arc or with both
	MaxNodes  int     `json:"max_nodes"`
	MaxEdges  int     `json:"max_edges"`  // undirected
	MaxDegree int     `json:"max_degree"` // largest number of arcs that leave a node

	HasNodeLabels     bool `json:"has_node_labels"`
	HasEdgeLabels     bool `json:"has_edge_labels"`
	HasNodeAttributes bool `json:"has_node_attributes"`
	HasEdgeAttributes bool `json:"has_edge_attributes"`
	HasFolds          bool `json:"has_folds"`
	// Scaled says that the numbers among the features have a scale of their own, as
	// word counts divided by their sum and standardised degrees, so that they are not
	// to be standardised again.
	Scaled bool `json:"scaled,omitempty"`

	// DegreeMean and DegreeScale standardise the degrees that stand in for features of
	// nodes; zero where degrees do not, or are codes.
	DegreeMean  float64 `json:"degree_mean,omitempty"`
	DegreeScale float64 `json:"degree_scale,omitempty"`

	Split     *SplitInfo `json:"split,omitempty"`      // of Dataset.Split
	NodeSplit *SplitInfo `json:"node_split,omitempty"` // of Dataset.NodeSplit

	// Symmetric says that every arc of the input has a reverse with the same
	// features. Directed is the form of the graphs: one edge per arc.
	Symmetric bool `json:"symmetric"`
	Directed  bool `json:"directed"`

	// Checksum is a SHA-256 over the text of every file that was read, the same
	// for a folder, a zip and gzipped files of one set: the hash of the lines
	// "sha256-of-the-text  file", sorted by file, as sha256sum prints them.
	Checksum string `json:"checksum"`
	// Notes are remarks on what the reader did that a user might not expect.
	Notes []string `json:"notes"`
}

// Edges selects the form of the graphs.
type Edges int

const (
	// Auto is undirected when the set is symmetric, else directed.
	Auto Edges = iota
	// Directed makes each arc an edge of its own, in the order of the authors'
	// code: by (row, column), and for OGB as its loader has them, the inverse of a
	// bond behind it.
	Directed
	// Undirected makes each pair of arcs one edge, and refuses a set that is not
	// symmetric with an error that wraps graph.ErrAsymmetric.
	Undirected
)

// Formats that the package reads.
const (
	FormatTU    = "tu"
	FormatDGCNN = "dgcnn"
	FormatOGB   = "ogb"
)

// maxCodes bounds the width of the one-hot blocks of a row together: labels that need
// more are identifiers and not classes.
const maxCodes = 1 << 20

// Options change how a data set is read; the zero value recognises and decides
// by itself.
type Options struct {
	// Format is FormatTU, FormatDGCNN, FormatOGB or "" to recognise it.
	Format string
	// Name selects a set where a folder holds several: by the prefix of its files,
	// or by its folder (OGB).
	Name string
	// Edges selects the form of the graphs.
	Edges Edges
	// NodeCodes and EdgeCodes, when not 0, fix the width of the one-hot blocks of
	// nodes (labels or degrees) and edges. Labels are then codes as they stand,
	// less NodeOffset and EdgeOffset, without subtracting the smallest. Sets that
	// belong together, like the parts of ZINC (28 and 5), are opened with the
	// same widths, and new data with those of the training. OGB has widths of its
	// own and refuses others.
	NodeCodes, EdgeCodes   int
	NodeOffset, EdgeOffset int
	// ClassNames, when not nil, fixes which label is which class, so that data
	// opened later has the classes of the data a model was trained on.
	ClassNames []string
	// MaxMemory is the memory, in bytes, that reading may take, and with it bounds the
	// text, its lines and how far it may unpack; 0 is that of NewBudget. Reading that needs
	// more ends with an error that wraps ErrTooLarge.
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

// Labels are the classes of the graphs, graph.NoLabel where there is none, as
// StratifiedSplit and StratifiedFolds take them.
func (d *Dataset) Labels() []int32 {
	return lists.Map(d.Graphs, func(g *graph.Graph) int32 { return g.Label })
}

// ParseError is an error in the text of a data set.
type ParseError struct {
	File string // relative to the folder of the set
	Line int    // from 1; 0 when the error is not on a line
	Msg  string // what was found and what was expected
	Err  error  // the cause, when reading failed; else nil
}

// Error is "FILE:LINE: MSG", with the cause behind when there is one.
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
	// ErrUnknownFormat is wrapped when nothing readable is found.
	ErrUnknownFormat = errors.New("no data set recognised")
	// ErrTooLarge is wrapped when reading a set takes more than Options.MaxMemory.
	ErrTooLarge = errors.New("too large")
)
