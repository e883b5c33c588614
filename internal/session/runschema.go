package session

import (
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Files and metadata that describe the inputs and outputs of a run, for users without its data or
// without this program.
const (
	schemaFile = "schema.json"
	schemaKey  = "ehgnn.schema"
)

// runSchema is the content of schema.json.
type runSchema struct {
	Task     string           `json:"task"`
	Items    settings.Level   `json:"items"` // level of the predicted items
	Directed bool             `json:"directed"`
	Nodes    []settings.Field `json:"nodes"`
	Edges    []settings.Field `json:"edges"`
	Classes  []string         `json:"classes,omitempty"`
	Targets  []string         `json:"targets,omitempty"`
	Units    []settings.Unit  `json:"units,omitempty"`
	// NumNodes and NumEdges are quantiles over the graphs of the training part.
	NumNodes quantiles `json:"num_nodes"`
	NumEdges quantiles `json:"num_edges"`
}

// quantiles has the minimum, the quartiles, the 99th percentile and the maximum of some numbers.
type quantiles struct {
	Min    int `json:"min"`
	Q1     int `json:"q1"`
	Median int `json:"median"`
	Q3     int `json:"q3"`
	Q99    int `json:"q99"`
	Max    int `json:"max"`
}

func quantilesOf(n []int) quantiles {
	slices.Sort(n)
	at := func(quarter int) int { return n[quarter*(len(n)-1)/4] }
	return quantiles{at(0), at(1), at(2), at(3), n[(99*len(n)-1)/100], at(4)}
}

// schema describes the run.
func (s *Session) schema() runSchema {
	columns := s.Settings.Schema()
	t := s.Settings.Target
	nodes, edges := s.sizes()
	return runSchema{Task: s.Settings.Task, Items: s.Task.Level, Directed: columns.Directed, Nodes: columns.Nodes, Edges: columns.Edges,
		Classes: t.Classes, Targets: t.Names, Units: t.Units,
		NumNodes: quantilesOf(nodes), NumEdges: quantilesOf(edges)}
}

// sizes returns the numbers of nodes and edges of the graphs of the training part.
func (s *Session) sizes() (nodes, edges []int) {
	if s.stream != nil {
		return []int{s.stream.Nodes}, []int{s.stream.Edges}
	}
	for _, g := range s.Graphs(source.PartTrain) {
		nodes, edges = append(nodes, g.NumNodes), append(edges, g.NumEdges())
	}
	return nodes, edges
}

// writeSchema writes schema.json.
func (s *Session) writeSchema(dir string) error {
	return atomicfile.WriteJSON(filepath.Join(dir, schemaFile), s.schema())
}
