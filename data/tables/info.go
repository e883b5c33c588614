package tables

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Info summarises a set.
type Info struct {
	Name      string `json:"name"`
	Format    string `json:"format"` // see Set.Format
	Level     Level  `json:"level"`  // see Set.Level
	NumGraphs int    `json:"num_graphs"`
	NumNodes  int    `json:"num_nodes"`
	NumEdges  int    `json:"num_edges"`
	Directed  bool   `json:"directed"`
	// Source and Target are the columns of an edge's ends.
	Source string `json:"source"`
	Target string `json:"target"`
	// NodeFeatures and EdgeFeatures are in the order of the tables.
	NodeFeatures []ColumnInfo `json:"node_features"`
	EdgeFeatures []ColumnInfo `json:"edge_features"`
	Label        *ColumnInfo  `json:"label,omitempty"`   // of edges or nodes
	Targets      []ColumnInfo `json:"targets,omitempty"` // of graphs
	// Classes are the values of a label that is not a number, most frequent first.
	Classes []ClassInfo `json:"classes,omitempty"`
	Time    *ColumnInfo `json:"time,omitempty"` // numbers, or seconds since 1970
	Group   *ColumnInfo `json:"group,omitempty"`
	Part    *PartInfo   `json:"part,omitempty"`
	// Tables lists all columns; those of nodes come first.
	Tables []TableInfo `json:"tables"`

	Checksum string   `json:"checksum"`
	Notes    []string `json:"notes"`
}

// PartInfo counts the edges, or nodes, of each part in a part column.
type PartInfo struct {
	Name    string `json:"name"`
	Train   int    `json:"train"`
	Valid   int    `json:"valid"`
	Test    int    `json:"test"`
	Missing int    `json:"missing"`
}

// ColumnInfo summarises a column.
type ColumnInfo struct {
	Name    string `json:"name"`
	Numeric bool   `json:"numeric"`
	Missing int    `json:"missing"`
	// Min, Max and Mean are for a numeric column, over the rows that have a number; 0 without any.
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
	// Values counts the different values of a categorical column, or the different members of a column of sets, which Separator separates.
	Values    int    `json:"values,omitempty"`
	Separator string `json:"separator,omitempty"`
}

// ClassInfo is a class and the number of edges, nodes or graphs (the level of the set) with this
// class.
type ClassInfo struct {
	Name   string `json:"name"`
	Edges  int    `json:"edges,omitempty"`
	Nodes  int    `json:"nodes,omitempty"`
	Graphs int    `json:"graphs,omitempty"`
}

// Count is the one of Edges, Nodes and Graphs that is not 0.
func (c ClassInfo) Count() int { return c.Edges + c.Nodes + c.Graphs }

// Info summarises the set.
func (s *Set) Info() Info {
	i := Info{Name: s.Name, Format: s.Format, Level: s.Level, NumGraphs: s.NumGraphs(), NumNodes: len(s.NodeIDs), NumEdges: s.NumEdges(), Directed: s.Directed,
		Source: s.Options.Source, Target: s.Options.Target, NodeFeatures: lists.Map(s.NodeColumns, featureInfo), EdgeFeatures: lists.Map(s.EdgeColumns, featureInfo),
		Tables: s.Tables(), Checksum: s.Checksum, Notes: append([]string{}, s.Notes...)}
	if s.Label != nil {
		label := infoOf(s.Label)
		i.Label, i.Classes = &label, classesOf(s.Label, s.Level)
	}
	if s.Targets != nil {
		i.Targets = lists.Map(s.Targets, infoOf)
		if len(s.Targets) == 1 {
			i.Classes = classesOf(s.Targets[0], s.Level)
		}
	}
	if s.Time != nil {
		c := infoOf(&Column{Name: s.Options.Time, Value: s.Time, Notation: s.TimeNotation})
		i.Time = &c
	}
	if s.Group != nil {
		c := infoOf(&Column{Name: s.Options.Group, Code: s.Group, Text: s.GroupNames})
		i.Group = &c
	}
	if s.Part != nil {
		i.Part = &PartInfo{Name: s.Options.Part}
		counts := []*int{&i.Part.Missing, &i.Part.Train, &i.Part.Valid, &i.Part.Test}
		for _, p := range s.Part {
			*counts[p+1]++
		}
	}
	return i
}

// featureInfo summarises the rows of a feature.
func featureInfo(c *Column) ColumnInfo {
	i := infoOf(c)
	if c.Numeric() {
		return i
	}
	if by, parts, _ := c.Set(c.AllCounts()); by != "" {
		i.Separator, i.Values = by, len(parts)
	}
	return i
}

// infoOf summarises the rows of a column.
func infoOf(c *Column) ColumnInfo {
	i := ColumnInfo{Name: c.Name, Numeric: c.Numeric()}
	if !i.Numeric {
		count := c.AllCounts()
		i.Values = lists.Count(count, func(n int) bool { return n > 0 })
		i.Missing = len(c.Code) - lists.Sum(count)
		return i
	}
	n := 0
	for _, v := range c.Value {
		if math.IsNaN(v) {
			i.Missing++
			continue
		}
		if n++; n == 1 {
			i.Min, i.Max = v, v
		}
		i.Min, i.Max = min(i.Min, v), max(i.Max, v)
		i.Mean += (v - i.Mean) / float64(n)
	}
	return i
}

// classes counts the values of a categorical label, most frequent first; nil for a numeric one.
func classesOf(c *Column, level Level) []ClassInfo {
	if c.Numeric() {
		return nil
	}
	var out []ClassInfo
	for k, n := range c.AllCounts() {
		x := ClassInfo{Name: c.Text[k]}
		switch level {
		case OfGraphs:
			x.Graphs = n
		case OfNodes:
			x.Nodes = n
		default:
			x.Edges = n
		}
		if n > 0 {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b ClassInfo) int { return cmp.Or(b.Count()-a.Count(), cmp.Compare(a.Name, b.Name)) })
	return out
}
