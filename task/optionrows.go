package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph/structure"
)

// Values of TableSettings.LabelContext.
const (
	contextAuto = "auto"
	contextOn   = "on"
	contextOff  = "off"
)

// enoughShown is how many training edges there must be for labels to be read where that is left
// open. Among few edges a model learns nodes by heart: the labels that its node has in all, less
// those that are shown, then give the hidden one away, and what is learned is wrong for new edges.
const enoughShown = 5000

// enoughTrial is how many training edges there must be for trials: among fewer a whole
// training takes seconds, and both ways can be tried.
const enoughTrial = enoughShown

// nodeWidth is the width of vectors of nodes where that is left open and they help.
const nodeWidth = 8

// nodeOption is the row of vectors of nodes in Options.
var nodeOption = of(OfSplit, "node-embedding", "tables: width of learned vectors of nodes, which are known again by their names; a node at no training edge has one vector that all such nodes share, learned by hiding nodes at random; 0 is none (default 0, or "+fmt.Sprint(nodeWidth)+" where nodes come again and trials on the validation part of many edges find that it helps)",
	func(s *Settings) *int {
		return ifEdges(s, func(c *TableSettings) *int { return &c.NodeEmbedding })
	}).where(atLeast(0))

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

// timeOption is the row of columns of time in Options.
var timeOption = of(OfSplit, "time-features", "tables: columns of the time of each edge: how long after the previous and before the next edge at its ends (after a split by time only the previous), and hour and weekday where times are dates or seconds since 1970: auto (where trials on the validation part find that they help), on or off (default auto)",
	func(s *Settings) *string {
		return ifEdges(s, func(c *TableSettings) *string { return &c.TimeFeatures })
	}).where(oneOf(contextAuto, contextOn, contextOff))

// openOptions are those that validation may decide.
var openOptions = []string{"label-context", "node-embedding", "structure", "time-features"}

// leavesOpen reports whether values leave an option to validation.
func (v Values) leavesOpen(option string) bool {
	switch v := v[option].(type) {
	case nil:
		return true
	case string:
		return v == contextAuto
	case []string:
		return slices.Equal(v, []string{structureAuto})
	}
	return false
}
