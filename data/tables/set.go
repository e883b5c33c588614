package tables

import (
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// Level is what carries the labels of a set.
type Level string

// Levels of labels.
const (
	OfEdges  Level = "edge"
	OfNodes  Level = "node"
	OfGraphs Level = "graph"
)

// Set is one graph or a collection of graphs with columns of attributes. It is to be
// treated as read-only.
type Set struct {
	Name     string
	Format   string   // Format, or that of the package that read the set
	Checksum string   // as data.Info.Checksum
	Notes    []string // what the reader did that a user might not expect
	Options  Options  // with the columns that were taken by convention named

	// NodeIDs names the nodes; with a graph column as graph/id.
	NodeIDs []string
	// GraphIDs names the graphs of a collection, and GraphOf is the graph of each
	// node. Both are nil for one graph. The ends of an edge are of the same graph.
	GraphIDs []string
	GraphOf  []int32
	// Ends are the nodes of edge e: Ends[2e] and Ends[2e+1].
	Ends     []int32
	Directed bool
	// NodeColumns and EdgeColumns are the features.
	NodeColumns, EdgeColumns []*Column
	// NodeKeys and EdgeKeys are the columns that identify their rows, which are no features.
	NodeKeys, EdgeKeys []*Column
	// NodeOwn and EdgeOwn are the columns of the files as they are, with Options.KeepColumns; else nil.
	NodeOwn, EdgeOwn []OwnColumn
	// Level says what is labelled: each edge or node by Label, each graph by Targets.
	Level Level
	// Label is what is predicted of edges or nodes: numeric with Options.Number, else
	// categorical; nil when there is none.
	Label *Column
	// Targets are what is predicted of graphs: one categorical column, or one or more
	// numeric ones; nil when there are none.
	Targets []*Column
	Time    []float64 // of each edge, NaN where missing; nil without
	Dates   bool      // times are seconds since 1970
	// TimeNotation is how times were written; nil where that is not known.
	TimeNotation *schema.Notation
	Group        []int32 // of each edge, -1 where missing; nil without
	// GroupNames are the groups by their numbers.
	GroupNames []string
	Part       []int8 // of each edge, or node where nodes have the label: 0 Train, 1 Valid, 2 Test, -1 where missing; nil without

	tables []TableInfo // the columns of the files
	form   data.Edges  // whether the file has directed edges; Auto where it does not say
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
