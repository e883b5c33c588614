package settings

import (
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/tables"
)

// DataSettings say how data are read, so that new data are encoded as the training data
// were. Graphs, or Graphs and Molecules, or Tables is set, whichever the source uses.
type DataSettings struct {
	Source string `json:"source"` // Source.Name
	Path   string `json:"path"`
	// FromRun is the path of the data relative to the run folder. It is used where Path
	// leads nowhere because both have moved.
	FromRun  string `json:"from_run,omitempty"`
	Name     string `json:"name"`
	Format   string `json:"format,omitempty"`
	Checksum string `json:"checksum"`
	// Edges is auto, undirected or directed; once data are read it is no longer auto. In a
	// directed graph each direction is an edge of its own, in an undirected one both are
	// one edge.
	Edges string `json:"edges"`
	// MaxMemory is the memory, in bytes, that reading may take; 0 is
	// the bound of data.NewBudget. It does not change results and is not kept.
	MaxMemory int64 `json:"-"`
	// Toolkit and Threads are those of the request, for reading molecules.
	Toolkit chem.Toolkit `json:"-"`
	Threads int          `json:"-"`
	// Memory has the data where they are in memory and not at Path; nil for data in files.
	Memory *Memory `json:"-"`

	Graphs    *GraphSettings    `json:"graphs,omitempty"`
	Molecules *MoleculeSettings `json:"molecules,omitempty"`
	Tables    *TableSettings    `json:"tables,omitempty"`
}

// Memory is data in memory, as one of two sources takes them.
type Memory struct {
	Tables    func(o tables.Options) (*tables.Set, error)
	Documents func(o nodelink.Options) (*tables.Set, error)
}

// Values of DataSettings.Edges.
const (
	EdgesAuto       = "auto"
	EdgesDirected   = "directed"
	EdgesUndirected = "undirected"
	EdgesBipartite  = "bipartite" // directed, from things of one kind to things of another
)

// Form is Edges in the type that the readers take.
func (d DataSettings) Form() data.Edges {
	return map[string]data.Edges{EdgesDirected: data.Directed, EdgesBipartite: data.Directed, EdgesUndirected: data.Undirected}[d.Edges]
}

// Bipartite reports whether edges go from things of one kind to things of another, as was asked for.
func (d DataSettings) Bipartite() bool { return d.Edges == EdgesBipartite }

// SetForm records whether the data that were read are directed.
func (d *DataSettings) SetForm(directed bool) {
	d.Edges = EdgesUndirected
	if directed {
		d.Edges = EdgesDirected
	}
}

// Directed reports whether each direction is an edge of its own.
func (d DataSettings) Directed() bool { return d.Edges == EdgesDirected }

// Many reports whether nodes and edges that have labels are those of many graphs, as the
// atoms and bonds of molecules are.
func (d DataSettings) Many() bool { return d.Molecules != nil }

// GraphSettings say how a collection of graphs is read, or one graph whose nodes are
// classified.
type GraphSettings struct {
	// Set selects a set where the path holds several.
	Set string `json:"set,omitempty"`
	// Standardise says that numeric features are standardised by their mean and deviation
	// over the training part; false where there are none.
	Standardise bool `json:"standardise"`
	// NodeScale and EdgeScale hold these means and deviations; nil where features stay as
	// they are.
	NodeScale *data.Scale `json:"node_scale,omitempty"`
	EdgeScale *data.Scale `json:"edge_scale,omitempty"`
	// NodeCodes and EdgeCodes are the numbers of one-hot columns that a reader chose by the
	// data, 0 for none. NodeOffset and EdgeOffset were subtracted from labels to get codes.
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
	Column string   `json:"column"`          // of the SMILES
	Label  string   `json:"label,omitempty"` // columns to predict, by commas, where they were named
	Ignore []string `json:"ignore,omitempty"`
	Part   string   `json:"part,omitempty"`  // column of the parts of a split
	Group  string   `json:"group,omitempty"` // column of groups
	// Class is the column of the one class; empty where Target.Names are the columns.
	Class     string `json:"class,omitempty"`
	Hydrogens bool   `json:"explicit_hydrogens,omitempty"`
	OnInvalid string `json:"on_invalid"` // what becomes of rows that are no molecule
}

// TableSettings say which files and columns of tables are what, as given or found by
// convention; node-link JSON uses some of them.
type TableSettings struct {
	NodesFiles tables.Files `json:"nodes,omitempty"` // files of the nodes, where they were given
	EdgesFile  string       `json:"edges,omitempty"` // file of the edges
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
	Features   []string     `json:"features,omitempty"` // that identify rows, and are features all the same
	Missing    []string     `json:"missing,omitempty"`  // words that stand for no value
	Decimal    string       `json:"decimal,omitempty"`
	TimeFormat string       `json:"time_format,omitempty"`
	Sheet      string       `json:"sheet,omitempty"` // of a workbook
	// Transductive lets training see the features of the edges of all parts.
	Transductive bool `json:"transductive"`
	// LabelContext says whether models of edges read the labels of training edges: on, off,
	// or auto, which a training replaces by one of them. Empty is off.
	LabelContext string `json:"label_context,omitempty"`
	// TimeFeatures says whether edges get columns of time: on, off, or auto, which a training
	// replaces by one of them. Empty is off.
	TimeFeatures string `json:"time_features,omitempty"`
	// Structure are the groups of structure columns that edges get, or StructureNone; while
	// there is no Encoder also StructureAuto, for which nil stands, too, or StructureAll.
	Structure []string `json:"structure,omitempty"`
	// Encoder is fitted on the training part.
	Encoder *tables.Encoder `json:"encoder,omitempty"`
}

// Clone copies the parts of the settings that each session completes for itself.
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

// From is where the data are now: at Path, or, where the data and the run folder dir have
// moved together, at FromRun.
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

// Relative is the slash-separated path of the data relative to the run folder; empty where
// there is no such path.
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
