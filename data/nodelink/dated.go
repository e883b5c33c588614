package nodelink

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Called returns the attribute with a name, or one whose name differs only in case. It is nil if
// there is none.
func Called(list []Attribute, name string) (at *Attribute) {
	for i := range list {
		switch x := &list[i]; {
		case x.Name == name:
			return x
		case at == nil && strings.EqualFold(x.Name, name):
			at = x
		}
	}
	return at
}

// WithDate returns the time of a time of day and of the date that an attribute of the same edge has, as schema.WithDate joins them.
func WithDate(list []Attribute, date string, clock schema.Cell, missing func(schema.Cell) bool) (schema.Cell, error) {
	var d schema.Cell
	if at := Called(list, date); at != nil {
		var err error
		if d, err = at.Value.Cell(); err != nil {
			return d, fmt.Errorf("has its date in attribute %q, which %w", at.Name, err)
		}
	}
	return schema.WithDate(d, clock, missing), nil
}

// findDates finds two attributes that are the date and the time of day of each edge of a document: Date and Time. Their names and
// their values decide.
func (c *columns) findDates(edges []Edge) {
	var names []string
	seen := map[string]bool{}
	for i := range edges {
		for _, a := range edges[i].Attributes {
			if !seen[a.Name] && !slices.Contains(slices.Concat(c.o.Label, c.o.Categories, c.o.Ignore), a.Name) {
				names = append(names, a.Name)
			}
			seen[a.Name] = true
		}
	}
	date, clock := tables.DateAndTime(names)
	if clock == "" {
		return
	}
	found := false
	for i := range edges {
		list := edges[i].Attributes
		at := slices.IndexFunc(list, func(a Attribute) bool { return a.Name == clock })
		if at < 0 {
			continue
		}
		alone, err := list[at].Value.Cell()
		if err != nil {
			return
		}
		if c.missing(alone) {
			continue
		}
		if time, err := WithDate(list, date, alone, c.missing); err != nil || time == alone {
			return
		}
		found = true
	}
	if found {
		c.setDate(date, clock)
	}
}

// setDate makes two attributes one time.
func (c *columns) setDate(date, clock string) {
	c.date, c.clock = date, clock
	c.at[date] = nil
}

// joinDate returns the value of an attribute. A time of day gets its date.
func (c *columns) joinDate(list []Attribute, name string, v Value) (Value, error) {
	if name != c.clock || v.Kind == List || v.Kind == Nested {
		return v, nil
	}
	alone, err := v.Cell()
	if err != nil {
		return v, err
	}
	switch time, err := WithDate(list, c.date, alone, c.missing); {
	case err != nil || time == alone:
		return v, err
	case time.Kind == schema.Missing:
		return Value{}, nil
	default:
		return Value{Kind: String, Text: time.Text}, nil
	}
}
