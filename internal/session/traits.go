package session

import (
	"strconv"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Attribute is something that is known of items, by which scores can be looked at: a category, or
// the time of edges.
type Attribute struct {
	Name string // of the column
	// Code is the place of each item's category in Values, -1 where it is missing; nil for times.
	Code   []int32
	Values []string
	// Time is the time of each item, NaN where it is missing; in seconds since 1970 where Dates
	// says so.
	Time  []float64
	Dates bool
}

// Attributes are those of some items of a part: the categories of nodes or edges that the model reads
// and, of edges of tables, the column of groups and that of times. Graphs have none.
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
	column := 0 // of codes
	for _, f := range fields {
		coded := f.Kind == settings.KindCode || f.Kind == settings.KindCategory
		if !coded && f.Kind != settings.KindConstant && !f.Gaps && !(f.Kind == settings.KindDegree && f.Width > 0) {
			continue // it has numbers alone
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

// traits are the groups and times of some edges.
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
