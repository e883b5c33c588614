package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
)

// fitStructure resolves which structure columns edges get, and fits them, with what the inputs
// of the parts share.
func (c *columnData) fitStructure(s *Settings, e *tables.Encoder, split *data.Split, shared *tables.Structures) error {
	t := s.Data.Tables
	word := structureAuto
	if len(t.Structure) > 0 {
		word = t.Structure[0]
	}
	own := len(e.Nodes) + len(e.Edges)
	switch {
	case word == structureAuto && own > 0 && (len(split.Train) < enoughEdges || own >= fewColumns && !c.fallsApart(split.Train)):
		t.Structure = []string{structureNone}
	case word == structureAuto || word == structureAll:
		t.Structure = structure.GroupsOf(c.set.Directed)
	}
	if t.Structure[0] == structureNone {
		return nil
	}
	if err := c.set.FitStructure(e, split, t.Structure, tables.InputOptions{Transductive: t.Transductive, Threads: c.threads, Structures: shared}); err != nil {
		return err
	}
	if word == structureAuto {
		c.note = fmt.Sprintf("%d columns of the graph around each edge are added to the %d of the tables; --structure %s leaves them out",
			len(e.Structure), own, structureNone)
	}
	return nil
}

// fallsApart reports whether the graph of some edges does.
func (c *columnData) fallsApart(edges []int) bool {
	ends := make([]int32, 0, 2*len(edges))
	for _, e := range edges {
		ends = append(ends, c.set.Ends[2*e], c.set.Ends[2*e+1])
	}
	_, apart := fallsApart(len(c.set.NodeIDs), ends)
	return apart
}

// inputOptions are those of the graph that a model sees; split is how its edges were divided,
// nil for new data.
func (c *columnData) inputOptions(s *Settings, split *data.Split) tables.InputOptions {
	known := c.known(split)
	return tables.InputOptions{Transductive: s.Data.Tables.Transductive, Threads: c.threads, Context: c.context, Known: known, Shown: c.shown(s, split, known)}
}

// From how many components on a graph falls apart, and the share of its edges that one of them may
// hold.
const (
	leastComponents = 100
	largestShare    = 0.05
)

// fallsApart counts the components of a graph that have edges, and says whether they are many
// and small.
func fallsApart(nodes int, ends []int32) (components int, apart bool) {
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
