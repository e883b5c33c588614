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

// EnoughShown is the number of training edges from which LabelContext auto may read labels. With
// few edges a model memorises the labels at each node and infers a hidden label by subtraction,
// which does not generalise to new edges.
const EnoughShown = 5000

// Values of TableSettings.Structure other than lists of groups.
const (
	StructureAuto = "auto"
	StructureNone = "none"
	StructureAll  = "all"
)

// Edges get structure columns by default in three cases. The tables have no feature columns: there
// is nothing else to learn from. The tables have few feature columns (of nodes and edges together)
// and enough edges: with fewer edges, forty columns without information hide a useful one. The
// graph is disconnected, for example many molecules: what is learned around edges of one component
// holds in others.
const (
	FewColumns  = 4    // not few from here on
	EnoughEdges = 1000 // training edges
)

// structureOption is the row of structure columns in Options.
var structureOption = of(OfSplit, "structure", "tables: columns that describe the graph around each edge: auto (all if the tables have no feature columns, or at least "+fmt.Sprint(EnoughEdges)+" training edges and fewer than "+fmt.Sprint(FewColumns)+
	" feature columns, or if the graph has many small components), none, all, or some of "+strings.Join(structure.Groups(), ", ")+" (default auto)",
	func(s *Settings) *[]string {
		return ifEdges(s, func(c *TableSettings) *[]string { return &c.Structure })
	}).Where(structureWords).storedAs([]string(nil),
	func(s *Settings) any {
		c := s.Data.Tables
		if c.Structure == nil && c.Encoder != nil { // a run of a version without structure columns
			return []string{StructureNone}
		}
		return c.Structure
	},
	func(s *Settings, v any) { s.Data.Tables.Structure = v.([]string) })

// structureWords accepts groups of columns, or one of the other words.
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

// timeOption is the row of time columns in Options.
var timeOption = of(OfSplit, "time-features", "tables: time columns of each edge: the time since the previous and until the next edge at its ends (after a split by time only since the previous), and hour and weekday if times are dates or seconds since 1970: auto (on for model "+model.AutoName+", where validation decides, off for others), on or off (default auto)",
	func(s *Settings) *string {
		return ifEdges(s, func(c *TableSettings) *string { return &c.TimeFeatures })
	}).Where(oneOf(ContextAuto, ContextOn, ContextOff))
