package settings

import (
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/tables"
)

// DataSettings say how data are read, so that new data are encoded like the training data. Either
// Graphs, or Graphs and Molecules, or Tables is set, depending on the source.
type DataSettings struct {
	Source string `json:"source"` // Source.Name
	Path   string `json:"path"`
	// FromRun is the path of the data relative to the run folder. It is used if Path does not exist
	// because run and data were moved together.
	FromRun  string `json:"from_run,omitempty"`
	Name     string `json:"name"`
	Format   string `json:"format,omitempty"`
	Checksum string `json:"checksum"`
	// Edges is auto, undirected or directed; reading the data replaces auto. In a directed graph each
	// direction is a separate edge; in an undirected graph both directions are one edge.
	Edges string `json:"edges"`
	// MaxMemory is the memory, in bytes, that reading may use; 0 is the bound of data.NewBudget. It
	// does not change results and is not stored.
	MaxMemory int64 `json:"-"`
	// Toolkit and Threads are copied from the request, for reading molecules.
	Toolkit chem.Toolkit `json:"-"`
	Threads int          `json:"-"`
	// Memory has the data if they are in memory and not at Path; nil for data in files.
	Memory *Memory `json:"-"`

	Graphs    *GraphSettings    `json:"graphs,omitempty"`
	Molecules *MoleculeSettings `json:"molecules,omitempty"`
	Tables    *TableSettings    `json:"tables,omitempty"`
}

// Memory is data in memory, in the form of one of two sources.
type Memory struct {
	Tables    func(o tables.Options) (*tables.Set, error)
	Documents func(o nodelink.Options) (*tables.Set, error)
}

// Values of DataSettings.Edges.
const (
	EdgesAuto       = "auto"
	EdgesDirected   = "directed"
	EdgesUndirected = "undirected"
	EdgesBipartite  = "bipartite" // directed, from nodes of one kind to nodes of another kind
)

// Form is Edges as the type that the readers use.
func (d DataSettings) Form() data.Edges {
	return map[string]data.Edges{EdgesDirected: data.Directed, EdgesBipartite: data.Directed, EdgesUndirected: data.Undirected}[d.Edges]
}

// Bipartite reports whether edges were requested to go from nodes of one kind to nodes of another kind.
func (d DataSettings) Bipartite() bool { return d.Edges == EdgesBipartite }

// SetForm records whether the data that were read are directed.
func (d *DataSettings) SetForm(directed bool) {
	d.Edges = EdgesUndirected
	if directed {
		d.Edges = EdgesDirected
	}
}

// Directed reports whether each direction is a separate edge.
func (d DataSettings) Directed() bool { return d.Edges == EdgesDirected }

// Many reports whether labelled nodes and edges belong to many graphs, for example atoms and bonds
// of molecules.
func (d DataSettings) Many() bool { return d.Molecules != nil }

// GraphSettings say how a collection of graphs, or one graph with classified nodes, is read.
type GraphSettings struct {
	// Set is the name of a set, if the path holds several.
	Set string `json:"set,omitempty"`
	// Standardise says that numeric features are standardised by their mean and deviation over the
	// training part; false if there are no numeric features.
	Standardise bool `json:"standardise"`
	// NodeScale and EdgeScale hold these means and deviations; nil if features are not scaled.
	NodeScale *data.Scale `json:"node_scale,omitempty"`
	EdgeScale *data.Scale `json:"edge_scale,omitempty"`
	// NodeCodes and EdgeCodes are the numbers of one-hot columns that the reader derived from the
	// data, or 0. NodeOffset and EdgeOffset were subtracted from labels to get codes.
	NodeCodes  int `json:"node_codes"`
	EdgeCodes  int `json:"edge_codes"`
	NodeOffset int `json:"node_offset,omitempty"`
	EdgeOffset int `json:"edge_offset,omitempty"`
	// NodeFields and EdgeFields describe the columns of features, in their order.
	NodeFields []Field `json:"node_fields"`
	EdgeFields []Field `json:"edge_fields"`
}

// MoleculeSettings say how a table of SMILES is read. Its graphs are described by
// GraphSettings.
type MoleculeSettings struct {
	Column string   `json:"column"`          // column of the SMILES
	Label  string   `json:"label,omitempty"` // columns to predict, separated by commas, if they were given
	Ignore []string `json:"ignore,omitempty"`
	Part   string   `json:"part,omitempty"`  // column of the parts of a split
	Group  string   `json:"group,omitempty"` // column of groups
	// Class is the column of the class to predict; empty if Target.Names lists the columns.
	Class     string `json:"class,omitempty"`
	Hydrogens bool   `json:"explicit_hydrogens,omitempty"`
	OnInvalid string `json:"on_invalid"` // what happens to rows that are not molecules
}

// TableSettings say which files and columns of tables have which role, as given or found by
// convention. Node-link JSON uses some of the fields.
type TableSettings struct {
	NodesFiles tables.Files `json:"nodes,omitempty"` // node files, if they were given
	EdgesFile  string       `json:"edges,omitempty"` // edge file
	NodeID     string       `json:"node_id,omitempty"`
	From       string       `json:"source,omitempty"`
	To         string       `json:"target,omitempty"`
	Label      string       `json:"label,omitempty"`
	Time       string       `json:"time,omitempty"`
	Group      string       `json:"group,omitempty"`
	Part       string       `json:"part,omitempty"` // column of the parts of a split
	Graph      string       `json:"graph,omitempty"`
	Ignore     []string     `json:"ignore,omitempty"`
	Categories []string     `json:"categories,omitempty"`
	Features   []string     `json:"features,omitempty"` // columns that identify rows and are still features
	Missing    []string     `json:"missing,omitempty"`  // words for missing values
	Decimal    string       `json:"decimal,omitempty"`
	TimeFormat string       `json:"time_format,omitempty"`
	Sheet      string       `json:"sheet,omitempty"` // sheet of a workbook
	// Transductive says that training sees the features of the edges of all parts.
	Transductive bool `json:"transductive"`
	// LabelContext says whether edge models read the labels of training edges: on, off, or auto, which
	// training replaces. Empty is off.
	LabelContext string `json:"label_context,omitempty"`
	// TimeFeatures says whether edges get time columns: on, off, or auto, which training replaces.
	// Empty is off.
	TimeFeatures string `json:"time_features,omitempty"`
	// Structure lists the groups of structure columns of edges, or is StructureNone. Without an
	// Encoder it may also be StructureAuto (or nil, with the same meaning) or StructureAll.
	Structure []string `json:"structure,omitempty"`
	// Encoder is fitted on the training part.
	Encoder *tables.Encoder `json:"encoder,omitempty"`
}

// Clone copies the parts of the settings that each session fills in itself.
func (d DataSettings) Clone() DataSettings {
	if d.Graphs != nil {
		g := *d.Graphs
		d.Graphs = &g
	}
	if d.Molecules != nil {
		m := *d.Molecules
		d.Molecules = &m
	}
	if d.Tables != nil {
		t := *d.Tables
		d.Tables = &t
	}
	return d
}

// From is the current path of the data: Path, or FromRun if the data and the run folder dir were
// moved together.
func (d DataSettings) From(dir string) string {
	if _, err := os.Stat(d.Path); err == nil || d.FromRun == "" {
		return d.Path
	}
	moved := filepath.Join(dir, filepath.FromSlash(d.FromRun))
	if _, err := os.Stat(moved); err != nil {
		return d.Path
	}
	return moved
}

// Relative is the slash-separated path of the data relative to the run folder; empty if there is no
// such path.
func Relative(dir, path string) string {
	from, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
