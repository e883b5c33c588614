package tables

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data"
)

// Format is Info.Format of the sets of this package.
const Format = "tables"

// None as the name of a column says that there is none, although one would be
// taken by convention.
const None = "-"

// Options say what the columns are; the zero value takes them by convention. Names
// are compared without case.
type Options struct {
	// Format is one of Formats; empty for what the content of the file says.
	Format string `json:",omitempty"`
	// Nodes and Edges name the files, relative to the folder; empty for nodes and
	// edges with one of the known endings. Nodes may be two files, one of the nodes of each end, or NoFiles.
	Nodes Files  `json:",omitempty"`
	Edges string `json:",omitempty"`

	NodeID         string // of a node: id, node or node_id
	Source, Target string // ends of an edge: source, target; src, dst; from, to; ...
	Label          string // what is predicted, of edges or nodes: label, class, y, or target where that is no end
	Time           string // when an edge came to be: time, timestamp, date, ...
	Group          string // edges that belong together: group
	Part           string `json:",omitempty"` // the part of a split that an edge, or a node, is in; none by convention
	Graph          string // graph within which ids count: graph or graph_id

	// Categories lists columns whose numbers are names of something, not amounts, or whose texts are no sets of values
	// though they look so, as a|b.
	Categories []string `json:",omitempty"`
	// Features lists columns that are features although they identify their rows.
	Features []string `json:",omitempty"`
	// Ignore lists columns that are not read.
	Ignore []string `json:",omitempty"`
	// Keys are the columns that identify edges and nodes, once data are read.
	Keys []string `json:",omitempty"`
	// Missing lists words that stand for no value, beside those that schema.IsMissing knows, and behind a minus sign
	// those of these that are values.
	Missing []string `json:",omitempty"`
	// Decimal is the decimal mark of numbers in text, schema.Point or schema.Comma; empty where
	// the columns say it.
	Decimal string `json:",omitempty"`
	// TimeFormat is how times in text are written, as schema.TimeFormatOf has it; empty where the
	// columns say it.
	TimeFormat string `json:",omitempty"`
	// Sheet is the sheet of a workbook; empty for the first.
	Sheet string `json:",omitempty"`
	// WholeIDs says that ids of nodes are whole numbers, so that 27.0 is 27.
	WholeIDs bool `json:",omitempty"`
	// Bipartite says that the ids of sources and of targets name things of two kinds. Where it is not given, Auto decides.
	Bipartite bool `json:"-"`
	// Kinds are the columns of ends whose ids name things of two kinds, once data are read.
	Kinds Kinds `json:",omitzero"`
	// NodesOf is the one of Kinds whose nodes the table of nodes lists, empty where it lists all nodes.
	NodesOf string `json:",omitempty"`
	// NodesOfBoth says that two tables list the nodes, each those of one of Kinds.
	NodesOfBoth bool `json:",omitempty"`
	// Number says that the label is a number to estimate, and Class that it is a class. With neither
	// the values of the label decide.
	Number bool
	Class  bool `json:",omitempty"`
	// Numbers is in runs that were written before fields said how columns are read. It is not used.
	Numbers []string `json:",omitempty"`
	// Form is the form of the graph. Auto is directed, but for a table that lists
	// every edge in both directions.
	Form data.Edges
	// Level is what has the label, OfEdges or OfNodes; empty for the edges, or for the nodes where
	// only their table has the column. An encoder has it in Encoder.Level.
	Level Level `json:"-"`
	// Relation is the field of a line of triples, from 0, that has the relation, once data are read.
	Relation int `json:",omitempty"`
	// MaxMemory is the memory, in bytes, that reading may take; 0 is
	// the bound of data.NewBudget.
	MaxMemory int64 `json:"-"`

	// KeepColumns keeps the columns of the files as they are (Set.NodeOwn, Set.EdgeOwn), beside what is
	// read of them.
	KeepColumns bool `json:"-"`
	// NodesElsewhere says that there is no table of nodes, as another set that this one is joined with has it.
	NodesElsewhere bool `json:"-"`

	// known is the encoder whose fields say how columns are read, for data to predict for. Label,
	// time, group and part may then be missing though they are named.
	known *Encoder
}

func (o Options) validate() error {
	if o.Form < data.Auto || o.Form > data.Undirected {
		return fmt.Errorf("tables: Options.Form is %d, expected Auto, Directed or Undirected", o.Form)
	}
	if o.Level != "" && o.Level != OfEdges && o.Level != OfNodes {
		return fmt.Errorf("tables: Options.Level is %q, expected %s or %s", o.Level, OfEdges, OfNodes)
	}
	if o.MaxMemory < 0 {
		return fmt.Errorf("tables: Options.MaxMemory is %d, expected 0 or more", o.MaxMemory)
	}
	return nil
}
