package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph/structure"
)

// Words for TableSettings.Structure, each by itself, in place of groups of columns.
const (
	structureAuto = "auto"
	structureNone = "none"
	structureAll  = "all"
)

// Edges get structure columns by default where the tables have no feature columns, as there
// is nothing else to learn from, or few of them, of nodes and edges together, and enough edges
// to find out which of the columns matter: among too few, some forty columns that tell nothing
// drown one that does. Of a graph that falls apart, as one of many molecules, they also get them
// beside many columns: what is true around an edge of one component then holds in others.
const (
	fewColumns  = 4    // from here on there are not few
	enoughEdges = 1000 // that train
)

// structureOption is the row of structure columns in Options.
var structureOption = of(OfSplit, "structure", "tables: columns that describe each edge by the graph around it: auto (all where tables have no feature columns; or at least "+fmt.Sprint(enoughEdges)+" training edges and fewer than "+fmt.Sprint(fewColumns)+
	" feature columns, or a graph that falls apart into many small ones; beside feature columns of many edges trials on the validation part decide), none, all, or some of "+strings.Join(structure.Groups, ", ")+" (default auto)",
	func(s *Settings) *[]string {
		return ifEdges(s, func(c *TableSettings) *[]string { return &c.Structure })
	}).where(structureWords).as([]string(nil),
	func(s *Settings) any {
		c := s.Data.Tables
		if c.Structure == nil && c.Encoder != nil { // of a run from before there were any
			return []string{structureNone}
		}
		return c.Structure
	},
	func(s *Settings, v any) { s.Data.Tables.Structure = v.([]string) })

// structureWords accepts groups, or one of the other words.
func structureWords(v any) error {
	words := v.([]string)
	if len(words) == 1 && slices.Contains([]string{structureAuto, structureNone, structureAll}, words[0]) {
		return nil
	}
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(structure.Groups, w) }) {
		return fmt.Errorf("%s, %s, %s, or some of %q", structureAuto, structureNone, structureAll, structure.Groups)
	}
	return nil
}

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
