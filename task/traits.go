package task

import "strconv"

// Trait is something that is known of items, by which scores can be looked at: a category, or
// the time of edges.
type Trait struct {
	Name string // of the column
	// Code is the place of each item's category in Values, -1 where it is missing; nil for times.
	Code   []int32
	Values []string
	// Time is the time of each item, NaN where it is missing; in seconds since 1970 where Dates
	// says so.
	Time  []float64
	Dates bool
}

// Traits are those of some items of a part: the categories of nodes or edges that the model reads
// and, of edges of tables, the column of groups and that of times. Graphs have none.
func (s *Session) Traits(part string, at []Place) ([]Trait, error) {
	p, err := s.part(part)
	if err != nil {
		return nil, err
	}
	if s.task.Items == Graphs {
		return nil, nil
	}
	schema := s.Settings.Schema()
	fields := schema.Nodes
	if s.task.Items == Edges {
		fields = schema.Edges
	}
	var out []Trait
	column := 0 // of codes
	for _, f := range fields {
		coded := f.Kind == KindCode || f.Kind == KindCategory
		if !coded && f.Kind != KindConstant && !f.Gaps && !(f.Kind == KindDegree && f.Width > 0) {
			continue // it has numbers alone
		}
		k := column
		if column++; !coded {
			continue
		}
		t := Trait{Name: f.Name, Values: f.Values, Code: make([]int32, len(at))}
		for v := range f.Width {
			if f.Kind == KindCode {
				t.Values = append(t.Values, strconv.Itoa(v+f.Offset))
			}
		}
		for i, place := range at {
			g := p.Graphs[place.Graph]
			of := g.Node
			if s.task.Items == Edges {
				of = g.Edge
			}
			t.Code[i] = of.Code[place.Item*len(of.Codes)+k]
		}
		out = append(out, t)
	}
	if c, ok := s.Data.(*columnData); ok && s.task.Items == Edges {
		out = append(out, c.traits(p, at)...)
	}
	return out, nil
}

// traits are the groups and times of some edges.
func (c *columnData) traits(p *Part, at []Place) (out []Trait) {
	if c.set.Group != nil {
		t := Trait{Name: c.set.Options.Group, Values: c.set.GroupNames, Code: make([]int32, len(at))}
		for i, place := range at {
			t.Code[i] = c.set.Group[p.ID(place)]
		}
		out = append(out, t)
	}
	if c.set.Time != nil {
		t := Trait{Name: c.set.Options.Time, Dates: c.set.Dates, Time: make([]float64, len(at))}
		for i, place := range at {
			t.Time[i] = c.set.Time[p.ID(place)]
		}
		out = append(out, t)
	}
	return out
}
