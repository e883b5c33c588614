package source

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// FitStructure resolves and fits the structure columns of edges. in has what the inputs of the
// parts share.
func (c *ColumnData) FitStructure(s *settings.Settings, e *tables.Encoder, split *data.Split, shared *tables.Structures) error {
	t := s.Data.Tables
	word := settings.StructureAuto
	if len(t.Structure) > 0 {
		word = t.Structure[0]
	}
	own := len(e.Nodes) + len(e.Edges)
	switch {
	case word == settings.StructureAuto && s.ModelName == model.AutoName: // the validation loss decides
		t.Structure = structure.GroupsOf(c.Set.Directed)
	case word == settings.StructureAuto && own > 0 && (len(split.Train) < settings.EnoughEdges || own >= settings.FewColumns && !c.manySmallComponents(split.Train)):
		t.Structure = []string{settings.StructureNone}
	case word == settings.StructureAuto || word == settings.StructureAll:
		t.Structure = structure.GroupsOf(c.Set.Directed)
	}
	if t.Structure[0] == settings.StructureNone {
		return nil
	}
	e.Past = c.Past && !t.Transductive
	if err := c.Set.FitStructure(e, split, t.Structure, tables.InputOptions{Transductive: t.Transductive, Threads: c.Threads, Structures: shared}); err != nil {
		return err
	}
	if word == settings.StructureAuto && s.ModelName != model.AutoName {
		c.note = fmt.Sprintf("%d columns of the graph around each edge are added to the %d of the tables; --structure %s leaves them out",
			len(e.Structure), own, settings.StructureNone)
	}
	return nil
}

// manySmallComponents applies ManySmallComponents to the graph of some edges.
func (c *ColumnData) manySmallComponents(edges []int) bool {
	ends := make([]int32, 0, 2*len(edges))
	for _, e := range edges {
		ends = append(ends, c.Set.Ends[2*e], c.Set.Ends[2*e+1])
	}
	_, apart := ManySmallComponents(len(c.Set.NodeIDs), ends)
	return apart
}

// InputOptions are the options of the graph that a model sees; split is how its edges were divided,
// nil for new data.
func (c *ColumnData) InputOptions(s *settings.Settings, split *data.Split) tables.InputOptions {
	known := c.Known(split)
	o := tables.InputOptions{Transductive: s.Data.Tables.Transductive, Threads: c.Threads, Context: c.Context, Known: known, Observed: c.shown(s, split, known)}
	if o.Transductive && split != nil { // as in the parts of the split
		o.Known = lists.Repeat(true, len(known))
	}
	return o
}

// ResolveTransductive sets the default of Transductive. With the default model, training sees the edges of all parts if
// edges have no times: new edges send messages to each other, and structure columns count all edges, so that edges of
// all parts have similar numbers of neighbours.
func (c *ColumnData) ResolveTransductive(s *settings.Settings) {
	s.Data.Tables.Transductive = s.Kind.Level == settings.Edges && s.ModelName == model.AutoName && c.Set.Time == nil
}

// Limits of a disconnected graph: the smallest number of components, and the largest share of the edges in
// one component.
const (
	leastComponents = 100
	largestShare    = 0.05
)

// ManySmallComponents counts the components of a graph that have edges, and reports whether they are
// many and small.
func ManySmallComponents(nodes int, ends []int32) (components int, apart bool) {
	of, n := graph.ComponentOf(nodes, ends)
	edges, most := make([]int, n), 0
	for i := 0; i < len(ends); i += 2 {
		k := of[ends[i]]
		if edges[k]++; edges[k] == 1 {
			components++
		}
		most = max(most, edges[k])
	}
	return components, components >= leastComponents && float64(most) <= largestShare*float64(len(ends)/2)
}
