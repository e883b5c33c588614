package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// TableInfo lists the columns of a table as read, in the order of its file.
type TableInfo struct {
	File    string        `json:"file,omitempty"` // empty for data without tables
	Of      Level         `json:"of"`             // level of its rows
	Rows    int           `json:"rows"`
	Columns []TableColumn `json:"columns"`
}

// TableColumn describes the role and the content of a column.
type TableColumn struct {
	Name string `json:"name"` // empty for a column without a name, which is left out
	Role string `json:"role"` // one of the Role constants
	Kind string `json:"kind"` // one of the Kind constants; empty for an unread column
	// Whole says that ids are whole numbers.
	Whole    bool             `json:"whole,omitempty"`
	Notation *schema.Notation `json:"notation,omitempty"`
	Missing  int              `json:"missing"` // cells without a value
	// Separator separates the values in a cell of a column of sets.
	Separator string `json:"separator,omitempty"`
	// Different counts the different values of categories and sets, of node ids and of a label; 0 if they
	// are not counted.
	Different int `json:"different,omitempty"`
	// Min and Max are for numbers, First and Last for times in ISO 8601.
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	First string   `json:"first,omitempty"`
	Last  string   `json:"last,omitempty"`
	// Commonest has the most frequent values of categories and ids.
	Commonest []ValueCount `json:"commonest,omitempty"`
	// Example is the first value in the file, shortened if it is long.
	Example string `json:"example,omitempty"`
	// LeftOut says why a column without another role is not a feature, and Flag is the flag that makes
	// it one, if possible.
	LeftOut string `json:"left_out,omitempty"`
	Flag    string `json:"flag,omitempty"`
}

// ValueCount is a value with its number of rows.
type ValueCount struct {
	Value string `json:"value"`
	Rows  int    `json:"rows"`
}

// Roles of columns.
const (
	RoleFeature   = "feature"
	RoleWeight    = "weight" // also a feature
	RoleSource    = "source"
	RoleTarget    = "target"
	RoleLabel     = "label"
	RoleTime      = "time"
	RoleGroup     = "group"
	RolePart      = "part"
	RoleGraph     = "graph"
	RoleID        = "id"        // of nodes
	RoleDirection = "direction" // whether an edge is directed
	RoleKey       = "key"       // it identifies its rows
	RoleLeftOut   = "left out"
)

// Kinds of columns.
const (
	KindNumber   = "number"
	KindCategory = "category"
	KindSet      = "set" // several values in a cell
	KindBoolean  = "boolean"
	KindTime     = "time"
	KindID       = "id" // of nodes or graphs, or of a key
)

// mostCommon is how many of the most frequent values are listed.
const mostCommon = 5

// weightNames are names of columns of edge weights.
var weightNames = newNameSet([]string{"weight", "weights", "edge_weight", "edgeweight"})

// Tables lists the columns of the files that were read, or of the set if it does not come from
// tables.
func (s *Set) Tables() []TableInfo {
	if s.tables != nil {
		return s.tables
	}
	var out []TableInfo
	for _, t := range []struct {
		of      Level
		rows    int
		columns []*Column
	}{{OfGraphs, s.NumGraphs(), nil}, {OfNodes, len(s.NodeIDs), s.NodeColumns}, {OfEdges, s.NumEdges(), s.EdgeColumns}} {
		info := TableInfo{Of: t.of, Rows: t.rows}
		for _, c := range t.columns {
			info.Columns = append(info.Columns, listedColumn{role: RoleFeature, column: c}.info())
		}
		labels := s.Targets
		if s.Label != nil {
			labels = append(labels[:len(labels):len(labels)], s.Label)
		}
		for _, c := range labels {
			if t.of == s.Level {
				info.Columns = append(info.Columns, listedColumn{role: RoleLabel, column: c}.info())
			}
		}
		if info.Columns != nil {
			out = append(out, info)
		}
	}
	return out
}

// listedColumn is a column to be described.
type listedColumn struct {
	name, role string
	column     *Column // its values; nil if they were not kept
	id         bool    // its values are ids
	many       bool    // they are ids within one of many graphs
	missing    int     // if they were not kept
	example    string
	why, flag  string
}

// info returns the description of a column.
func (l listedColumn) info() TableColumn {
	out := TableColumn{Name: l.name, Role: l.role, Missing: l.missing, Example: l.example, LeftOut: l.why, Flag: l.flag}
	c := l.column
	if c == nil {
		return out
	}
	out.Name, out.Notation = cmp.Or(l.name, c.Name), c.Notation
	if out.Example == "" {
		out.Example = firstValue(c)
	}
	if c.Numeric() {
		out.numbers(c)
	} else {
		out.texts(c, l)
	}
	if l.id || c.Key {
		out.Kind, out.Notation = KindID, nil
	}
	if c.Key {
		out.Different, out.Commonest = 0, nil // nearly all values are rare
	}
	return out
}

// firstValue is the value of the first row that has one.
func firstValue(c *Column) string {
	for row := range max(len(c.Value), len(c.Code)) {
		if text := c.String(row); text != "" {
			return cut(text)
		}
	}
	return ""
}

// numbers describes numbers and times.
func (t *TableColumn) numbers(c *Column) {
	least, most := schema.Span(c.Value, math.NaN())
	t.Kind, t.Whole, t.Missing = KindNumber, c.Key, lists.Count(c.Value, math.IsNaN)
	if t.Role == RoleLabel {
		t.Different = differentNumbers(c.Value)
	}
	if c.Times() {
		t.Kind = KindTime
	}
	switch {
	case t.Missing == len(c.Value):
	case c.Times() && !schema.UnknownUnit(c.Notation.Time):
		t.First, t.Last = schema.TimeCell(least).String(), schema.TimeCell(most).String()
	default:
		t.Min, t.Max = &least, &most
	}
}

// differentNumbers counts the different numbers of a label.
func differentNumbers(values []float64) int {
	seen := map[float64]bool{}
	for _, v := range values {
		if !math.IsNaN(v) {
			seen[v] = true
		}
	}
	return len(seen)
}

// texts describes categories and ids.
func (t *TableColumn) texts(c *Column, l listedColumn) {
	t.Kind, t.Whole = KindCategory, l.id || c.Key
	if c.Notation != nil && c.Notation.Boolean {
		t.Kind = KindBoolean
	}
	texts, count := c.Text, c.AllCounts()
	t.Missing = len(c.Code) - lists.Sum(count)
	if l.role == RoleFeature && !c.Key {
		if by, parts, rows := c.Set(count); by != "" {
			t.Kind, t.Separator, texts, count = KindSet, by, parts, rows
		}
	}
	var common []int // codes of the most frequent values, in order
	for k, n := range count {
		if n == 0 {
			continue
		}
		t.Different++
		t.Whole = t.Whole && schema.IsWhole(texts[k])
		less := func(a, b int) int { return cmp.Or(count[b]-count[a], cmp.Compare(texts[a], texts[b])) }
		if len(common) == mostCommon && less(k, common[mostCommon-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(common, k, less)
		common = slices.Insert(common, at, k)
		common = common[:min(len(common), mostCommon)]
	}
	if len(common) == 0 || t.Different > 1 && count[common[0]] == 1 || l.many { // none is frequent
		return
	}
	for _, k := range common {
		t.Commonest = append(t.Commonest, ValueCount{cut(texts[k]), count[k]})
	}
}

// longestValue is the largest number of bytes of a displayed value.
const longestValue = 120

// cut is a copy of a value, shortened if it is long.
func cut(text string) string {
	if len(text) > longestValue {
		return strings.ToValidUTF8(text[:longestValue-len("…")], "") + "…"
	}
	return strings.Clone(text)
}
