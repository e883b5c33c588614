package session

import (
	"strconv"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Attribute is a property of items for which scores can be compared: a category, or the time of
// edges.
type Attribute struct {
	Name string // of the column
	// Code is the index of each item's category in Values, -1 if it is missing; nil for times.
	Code   []int32
	Values []string
	// Time is the time of each item, NaN if it is missing; in seconds since 1970 if Dates is set.
	Time  []float64
	Dates bool
}

// Attributes returns the attributes of some items of a part: categories of nodes or edges that the
// model reads, and for edges of tables also the group column and the time column. Graphs have none.
func (s *Session) Attributes(part string, at []source.Place) ([]Attribute, error) {
	p, err := s.Part(part)
	if err != nil {
		return nil, err
	}
	if s.Task.Level == settings.Graphs {
		return nil, nil
	}
	schema := s.Settings.Schema()
	fields := schema.Nodes
	if s.Task.Level == settings.Edges {
		fields = schema.Edges
	}
	var out []Attribute
	column := 0 // index of the column of codes
	for _, f := range fields {
		coded := f.Kind == settings.KindCode || f.Kind == settings.KindCategory
		if !coded && f.Kind != settings.KindConstant && !f.Gaps && !(f.Kind == settings.KindDegree && f.Width > 0) {
			continue // the field has only numbers
		}
		k := column
		if column += len(f.CodeWidths()); !coded || f.IsSet() {
			continue
		}
		t := Attribute{Name: f.Name, Values: f.Values, Code: make([]int32, len(at))}
		for v := range f.Width {
			if f.Kind == settings.KindCode {
				t.Values = append(t.Values, strconv.Itoa(v+f.Offset))
			}
		}
		for i, place := range at {
			g := p.Graphs[place.Graph]
			of := g.Node
			if s.Task.Level == settings.Edges {
				of = g.Edge
			}
			t.Code[i] = of.Code[place.Item*len(of.Codes)+k]
		}
		out = append(out, t)
	}
	if c, ok := s.Data.(*source.ColumnData); ok && s.Task.Level == settings.Edges {
		out = append(out, traits(c, p, at)...)
	}
	return out, nil
}

// traits returns the groups and times of some edges.
func traits(c *source.ColumnData, p *source.Part, at []source.Place) (out []Attribute) {
	if c.Set.Group != nil {
		t := Attribute{Name: c.Set.Options.Group, Values: c.Set.GroupNames, Code: make([]int32, len(at))}
		for i, place := range at {
			t.Code[i] = c.Set.Group[p.ID(place)]
		}
		out = append(out, t)
	}
	if c.Set.Time != nil {
		t := Attribute{Name: c.Set.Options.Time, Dates: c.Set.Dates, Time: make([]float64, len(at))}
		for i, place := range at {
			t.Time[i] = c.Set.Time[p.ID(place)]
		}
		out = append(out, t)
	}
	return out
}
