package tables

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data"
)

// Format is Info.Format of the sets of this package.
const Format = "tables"

// None as the name of a column says that there is none, although convention would find one.
const None = "-"

// Options say what the columns are; the zero value uses conventions. Names are compared without
// case.
type Options struct {
	// Format is one of Formats; empty to derive it from the content of the file.
	Format string `json:",omitempty"`
	// Nodes and Edges name the files, relative to the folder; empty for nodes and edges with one of the
	// known extensions. Nodes may be two files, one for the nodes of each end, or NoFiles.
	Nodes Files  `json:",omitempty"`
	Edges string `json:",omitempty"`

	NodeID         string // of a node: id, node or node_id
	Source, Target string // ends of an edge: source, target; src, dst; from, to; ...
	Label          string // label of edges or nodes: label, class, y, or target if it is not an end
	Time           string // time of an edge: time, timestamp, date, ...
	Group          string // group of edges that belong together: group
	Part           string `json:",omitempty"` // part of a split that an edge, or a node, is in; none by convention
	Graph          string // graph of the ids: graph or graph_id

	// Categories lists columns whose numbers are names, not amounts, or whose texts are not sets although they look
	// so, such as a|b.
	Categories []string `json:",omitempty"`
	// Features lists columns that are features although they identify their rows.
	Features []string `json:",omitempty"`
	// Ignore lists columns that are not read.
	Ignore []string `json:",omitempty"`
	// Keys are the columns that identify edges and nodes, set by reading.
	Keys []string `json:",omitempty"`
	// Missing lists words for missing values in addition to those of schema.IsMissing, and, after a minus sign,
	// words of schema.IsMissing that are values.
	Missing []string `json:",omitempty"`
	// Decimal is the decimal mark of numbers in text, schema.Point or schema.Comma; empty to derive it
	// from the columns.
	Decimal string `json:",omitempty"`
	// TimeFormat is the notation of times in text, as in schema.TimeFormatOf; empty to derive it from
	// the columns.
	TimeFormat string `json:",omitempty"`
	// Sheet is the sheet of a workbook; empty for the first.
	Sheet string `json:",omitempty"`
	// Date is the column with the dates of the times of day in the column Time, set by reading; empty if there is none.
	Date string `json:",omitempty"`
	// WholeIDs says that node ids are whole numbers, so that 27.0 is 27.
	WholeIDs bool `json:",omitempty"`
	// Bipartite says that the ids of sources and targets identify things of two kinds. If it is not given, Auto decides.
	Bipartite bool `json:"-"`
	// Kinds are the columns of ends whose ids identify things of two kinds, set by reading.
	Kinds Kinds `json:",omitzero"`
	// NodesOf is the element of Kinds whose nodes the table of nodes lists, empty if it lists all nodes.
	NodesOf string `json:",omitempty"`
	// NodesOfBoth says that two tables list the nodes, one for each of Kinds.
	NodesOfBoth bool `json:",omitempty"`
	// Number says that the label is a number, and Class that it is a class. With neither the values of
	// the label decide.
	Number bool
	Class  bool `json:",omitempty"`
	// Numbers is in older runs, whose fields did not say how columns are read. It is not used.
	Numbers []string `json:",omitempty"`
	// Form is the form of the graph. Auto means directed, unless a table lists every edge in both
	// directions.
	Form data.Edges
	// Level is the level of the label, OfEdges or OfNodes; empty for the edges, or for the nodes if
	// only their table has the column. An encoder stores it in Encoder.Level.
	Level Level `json:"-"`
	// Relation is the field, from 0, with the relation in a line of triples, set by reading.
	Relation int `json:",omitempty"`
	// MaxMemory is the memory, in bytes, that reading may use; 0 is the bound of data.NewBudget.
	MaxMemory int64 `json:"-"`

	// KeepColumns also stores the columns of the files unchanged (Set.NodeOwn, Set.EdgeOwn).
	KeepColumns bool `json:"-"`
	// NodesElsewhere says that there is no table of nodes, because another set, to be joined with this one, has it.
	NodesElsewhere bool `json:"-"`

	// known is the encoder whose fields say how columns are read, for data to predict for. Then label,
	// time, group and part may be missing although they are named.
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
