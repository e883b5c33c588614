package source

import (
	"math"
	"strconv"
	"time"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// EdgeTable has the columns of the data for the edges of a part, including columns that a model does not read.
type EdgeTable struct {
	set     *tables.Set
	input   *tables.Input
	encoder *tables.Encoder
	threads int
}

// Columns returns the columns of the data at some edges, as text: columns that identify rows, then features, then the
// time.
func (t *EdgeTable) Columns(edges []int32) []report.Column {
	var out []report.Column
	for _, c := range append(append([]*tables.Column{}, t.set.EdgeKeys...), t.set.EdgeColumns...) {
		values := lists.Map(edges, func(e int32) string { return CellText(c.String(int(t.input.Edges[e]))) })
		out = append(out, report.Strings(c.Name, values))
	}
	if t.set.Time != nil {
		values := lists.Map(edges, func(e int32) string { return timeText(t.Time(e), t.set.Dates) })
		out = append(out, report.Strings(t.set.Options.Time, values))
	}
	return out
}

// Suffixes of the names of columns of end nodes (EndColumns).
const (
	OfSource = " of the source"
	OfTarget = " of the target"
)

// EndColumns returns the columns of the nodes at the ends of an edge.
func (t *EdgeTable) EndColumns(edge int32) []report.Column {
	var out []report.Column
	for k, end := range []string{OfSource, OfTarget} {
		v := int(t.set.Ends[2*int(t.input.Edges[edge])+k])
		for _, c := range t.set.NodeColumns {
			out = append(out, report.Strings(c.Name+end, []string{CellText(c.String(v))}))
		}
	}
	return out
}

// Numeric lists the columns of numbers.
func (t *EdgeTable) Numeric() (out []string) {
	for _, c := range t.set.EdgeColumns {
		if c.Numeric() {
			out = append(out, c.Name)
		}
	}
	return out
}

// Keys lists the columns that identify rows.
func (t *EdgeTable) Keys() []string {
	return lists.Map(t.set.EdgeKeys, func(c *tables.Column) string { return c.Name })
}

// KeyTexts returns the ids of some edges in the first column that identifies rows; nil if there is none.
func (t *EdgeTable) KeyTexts(at []Place) []string {
	if len(t.set.EdgeKeys) == 0 {
		return nil
	}
	return lists.Map(at, func(p Place) string { return CellText(t.set.EdgeKeys[0].String(int(t.input.Edges[p.Item]))) })
}

// TimeName is the time column; empty for none.
func (t *EdgeTable) TimeName() string {
	if t.set.Time == nil {
		return ""
	}
	return t.set.Options.Time
}

// Time is the time of an edge, NaN if it has none.
func (t *EdgeTable) Time(e int32) float64 {
	if t.set.Time == nil {
		return math.NaN()
	}
	return t.set.Time[t.input.Edges[e]]
}

// timeText formats a time for people: dates to the minute, other times as numbers; empty if it is missing.
func timeText(t float64, dates bool) string {
	switch {
	case math.IsNaN(t):
		return ""
	case !dates:
		return strconv.FormatFloat(t, 'f', -1, 64)
	}
	at := time.Unix(int64(math.Floor(t)), 0).UTC()
	if at.Hour() == 0 && at.Minute() == 0 {
		return at.Format("2 Jan 2006")
	}
	return at.Format("2 Jan 2006, 15:04")
}

// Recounts reports whether edges have structure or time columns, which depend on other edges.
func (t *EdgeTable) Recounts() bool { return len(t.encoder.Structure) > 0 || t.encoder.Times != nil }

// Recount returns a graph with some edges of the part; its structure and time columns are computed from these edges only.
func (t *EdgeTable) Recount(g *graph.Graph, edges []int32, o tables.Recounted) (*graph.Graph, error) {
	return t.input.Recount(t.set, t.encoder, g, edges, o, t.threads)
}
