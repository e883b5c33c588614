package tables

import (
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// Level is the level of the labels of a set.
type Level string

// Levels of labels.
const (
	OfEdges  Level = "edge"
	OfNodes  Level = "node"
	OfGraphs Level = "graph"
)

// Set is one graph or a collection of graphs with columns of attributes. Treat it as read-only.
type Set struct {
	Name     string
	Format   string   // Format, or that of the package that read the set
	Checksum string   // as data.Info.Checksum
	Notes    []string // remarks about unexpected actions of the reader
	Options  Options  // including names of columns found by convention

	// NodeIDs are the ids of the nodes; with a graph column they are graph/id.
	NodeIDs []string
	// GraphIDs are the ids of the graphs of a collection, and GraphOf is the graph of each node. Both
	// are nil for one graph. Both ends of an edge are in the same graph.
	GraphIDs []string
	GraphOf  []int32
	// Ends are the nodes of edges; those of edge e are Ends[2e] and Ends[2e+1].
	Ends     []int32
	Directed bool
	// NodeColumns and EdgeColumns are the features.
	NodeColumns, EdgeColumns []*Column
	// NodeKeys and EdgeKeys are the columns that identify their rows, which are not features.
	NodeKeys, EdgeKeys []*Column
	// NodeOwn and EdgeOwn are the unchanged columns of the files, with Options.KeepColumns; otherwise nil.
	NodeOwn, EdgeOwn []OwnColumn
	// Level says what is labelled: each edge or node by Label, each graph by Targets.
	Level Level
	// Label is the label of edges or nodes: numeric with Options.Number, otherwise categorical; nil if
	// there is none.
	Label *Column
	// Targets are the labels of graphs: one categorical column, or one or more numeric ones; nil if
	// there are none.
	Targets []*Column
	Time    []float64 // of each edge, NaN if missing; nil without times
	Dates   bool      // times are seconds since 1970
	// TimeNotation is the notation of times; nil if it is not known.
	TimeNotation *schema.Notation
	Group        []int32 // of each edge, -1 if missing; nil without groups
	// GroupNames are the names of the groups by their numbers.
	GroupNames []string
	Part       []int8 // of each edge, or of each node if nodes have the label: 0 Train, 1 Valid, 2 Test, -1 if missing; nil without parts

	tables []TableInfo // columns of the files
	form   data.Edges  // whether the file has directed edges; Auto if it does not say
}

// NumEdges is the number of edges.
func (s *Set) NumEdges() int { return len(s.Ends) / 2 }

// NumGraphs is the number of graphs, 1 without GraphIDs.
func (s *Set) NumGraphs() int {
	if s.GraphIDs == nil {
		return 1
	}
	return len(s.GraphIDs)
}
