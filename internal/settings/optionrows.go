package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/model"
)

// Values of TableSettings.LabelContext.
const (
	ContextAuto = "auto"
	ContextOn   = "on"
	ContextOff  = "off"
)

// EnoughShown is how many training edges there must be for labels to be read where that is left
// open. Among few edges a model learns nodes by heart: the labels that its node has in all, less
// those that are shown, then give the hidden one away, and what is learned is wrong for new edges.
const EnoughShown = 5000

// Words for TableSettings.Structure, each by itself, in place of groups of columns.
const (
	StructureAuto = "auto"
	StructureNone = "none"
	StructureAll  = "all"
)

// Edges get structure columns by default where the tables have no feature columns, as there
// is nothing else to learn from, or few of them, of nodes and edges together, and enough edges
// to find out which of the columns matter: among too few, some forty columns that tell nothing
// drown one that does. Edges of a disconnected graph, as one of many molecules, also get them
// beside many columns: what is true around an edge of one component then holds in others.
const (
	FewColumns  = 4    // from here on there are not few
	EnoughEdges = 1000 // that train
)

// structureOption is the row of structure columns in Options.
var structureOption = of(OfSplit, "structure", "tables: columns that describe each edge by the graph around it: auto (all where tables have no feature columns; or at least "+fmt.Sprint(EnoughEdges)+" training edges and fewer than "+fmt.Sprint(FewColumns)+
	" feature columns, or a graph of many small components), none, all, or some of "+strings.Join(structure.Groups(), ", ")+" (default auto)",
	func(s *Settings) *[]string {
		return ifEdges(s, func(c *TableSettings) *[]string { return &c.Structure })
	}).Where(structureWords).as([]string(nil),
	func(s *Settings) any {
		c := s.Data.Tables
		if c.Structure == nil && c.Encoder != nil { // of a run from before there were any
			return []string{StructureNone}
		}
		return c.Structure
	},
	func(s *Settings, v any) { s.Data.Tables.Structure = v.([]string) })

// structureWords accepts groups, or one of the other words.
func structureWords(v any) error {
	words := v.([]string)
	if len(words) == 1 && slices.Contains([]string{StructureAuto, StructureNone, StructureAll}, words[0]) {
		return nil
	}
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(structure.Groups(), w) }) {
		return fmt.Errorf("%s, %s, %s, or some of %q", StructureAuto, StructureNone, StructureAll, structure.Groups())
	}
	return nil
}

// timeOption is the row of columns of time in Options.
var timeOption = of(OfSplit, "time-features", "tables: columns of the time of each edge: how long after the previous and before the next edge at its ends (after a split by time only the previous), and hour and weekday where times are dates or seconds since 1970: auto (on for model "+model.AutoName+", where validation decides what helps, and off for others), on or off (default auto)",
	func(s *Settings) *string {
		return ifEdges(s, func(c *TableSettings) *string { return &c.TimeFeatures })
	}).Where(oneOf(ContextAuto, ContextOn, ContextOff))
