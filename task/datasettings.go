package task

import (
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// DataSettings say how data are read, so that new data are encoded as those of the
// training were. Of the parts at the end, the one of the source is there.
type DataSettings struct {
	Source string `json:"source"` // Source.Name
	Path   string `json:"path"`
	// FromRun is the path from the run folder, which leads there when both have moved.
	FromRun  string `json:"from_run,omitempty"`
	Name     string `json:"name"`
	Format   string `json:"format,omitempty"`
	Checksum string `json:"checksum"`
	// Edges is auto, undirected or directed; after reading not auto. In a directed graph
	// each arc is an edge of its own, else both directions are one edge.
	Edges string `json:"edges"`

	Graphs *GraphSettings `json:"graphs,omitempty"`
	Tables *TableSettings `json:"tables,omitempty"`
}

// Values of DataSettings.Edges.
const (
	edgesAuto       = "auto"
	edgesDirected   = "directed"
	edgesUndirected = "undirected"
)

// form is Edges as readers have it.
func (d DataSettings) form() data.Edges {
	return map[string]data.Edges{edgesDirected: data.Directed, edgesUndirected: data.Undirected}[d.Edges]
}

// setForm records the form of data that were read.
func (d *DataSettings) setForm(directed bool) {
	d.Edges = edgesUndirected
	if directed {
		d.Edges = edgesDirected
	}
}

// Directed reports whether each arc is an edge of its own.
func (d DataSettings) Directed() bool { return d.Edges == edgesDirected }

// GraphSettings are those of collections of graphs and of the one graph whose nodes are
// learned.
type GraphSettings struct {
	// Set selects a set where the path holds several.
	Set string `json:"set,omitempty"`
	// Standardise asks for numeric features less their mean and divided by their
	// deviation over the training part; false where none are to be.
	Standardise bool `json:"standardise"`
	// NodeScale and EdgeScale are these means and deviations; nil where features stay
	// as they are.
	NodeScale *data.Scale `json:"node_scale,omitempty"`
	EdgeScale *data.Scale `json:"edge_scale,omitempty"`
	// NodeCodes and EdgeCodes are the widths of the one-hot parts of features that a
	// reader chose by the data, 0 for none; NodeOffset and EdgeOffset were subtracted
	// from labels to get codes.
	NodeCodes  int `json:"node_codes"`
	EdgeCodes  int `json:"edge_codes"`
	NodeOffset int `json:"node_offset,omitempty"`
	EdgeOffset int `json:"edge_offset,omitempty"`
	// NodeFields and EdgeFields name the columns of features, in their order.
	NodeFields []Field `json:"node_fields"`
	EdgeFields []Field `json:"edge_fields"`
}

// TableSettings are those of tables of nodes and edges, and of node-link JSON: which
// files and columns are what, as given or found by convention.
type TableSettings struct {
	NodesFile  string   `json:"nodes,omitempty"` // file of the nodes, where it was given
	EdgesFile  string   `json:"edges,omitempty"` // that of the edges
	NodeID     string   `json:"node_id,omitempty"`
	From       string   `json:"source,omitempty"`
	To         string   `json:"target,omitempty"`
	Label      string   `json:"label,omitempty"`
	Time       string   `json:"time,omitempty"`
	Group      string   `json:"group,omitempty"`
	Graph      string   `json:"graph,omitempty"`
	Ignore     []string `json:"ignore,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// Transductive lets training see the features of the edges of all parts.
	Transductive bool `json:"transductive"`
	// Encoder is fitted on the training part.
	Encoder *tables.Encoder `json:"encoder,omitempty"`
}

// clone copies the parts of the settings that sessions complete each for itself.
func (d DataSettings) clone() DataSettings {
	if d.Graphs != nil {
		g := *d.Graphs
		d.Graphs = &g
	}
	if d.Tables != nil {
		t := *d.Tables
		d.Tables = &t
	}
	return d
}

// from is the path of the data as it leads there now: as it was given, or from the run
// folder where both moved.
func (d DataSettings) from(dir string) string {
	if _, err := os.Stat(d.Path); err == nil || d.FromRun == "" {
		return d.Path
	}
	moved := filepath.Join(dir, filepath.FromSlash(d.FromRun))
	if _, err := os.Stat(moved); err != nil {
		return d.Path
	}
	return moved
}

// relative is the path to the data from the run folder, with /; empty where there is
// none.
func relative(dir, path string) string {
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
