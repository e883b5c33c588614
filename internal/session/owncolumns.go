package session

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// OwnColumn is a column of the data, as the texts of some items.
type OwnColumn struct {
	Name   string
	Number bool
	Key    bool // identifies rows
	Texts  []string
}

// OwnColumns returns the columns of the data for some edges or nodes of a part: columns that identify rows, then
// features, and for edges their times. Data that are not tables have none.
func (s *Session) OwnColumns(part string, at []source.Place) ([]OwnColumn, error) {
	p, err := s.Part(part)
	if err != nil {
		return nil, err
	}
	c, ok := s.Data.(*source.ColumnData)
	if !ok || s.Task.Level == settings.Graphs || s.Settings.Collection() {
		return nil, nil
	}
	keys, features := c.Set.EdgeKeys, c.Set.EdgeColumns
	if s.Task.Level == settings.Nodes {
		keys, features = c.Set.NodeKeys, c.Set.NodeColumns
	}
	var out []OwnColumn
	of := func(columns []*tables.Column, key bool) {
		for _, column := range columns {
			o := OwnColumn{Name: column.Name, Key: key, Number: !key && column.Numeric() && !column.Times()}
			for _, place := range at {
				o.Texts = append(o.Texts, source.CellText(column.String(p.ID(place))))
			}
			out = append(out, o)
		}
	}
	of(keys, true)
	if s.Task.Level == settings.Edges && c.Set.Time != nil {
		o := OwnColumn{Name: c.Set.Options.Time, Number: !c.Set.Dates}
		o.Texts = timeTexts(lists.Map(at, func(place source.Place) float64 { return c.Set.Time[p.ID(place)] }), c.Set.Dates)
		out = append(out, o)
	}
	of(features, false)
	return out, nil
}

// timeTexts formats times to the minute, or as dates if all times are midnight.
func timeTexts(times []float64, dates bool) []string {
	layout := "2006-01-02 15:04"
	if !slices.ContainsFunc(times, func(v float64) bool { return v == v && math.Mod(v, 24*60*60) != 0 }) {
		layout = time.DateOnly
	}
	return lists.Map(times, func(v float64) string {
		switch {
		case math.IsNaN(v):
			return ""
		case !dates:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return time.Unix(int64(v), 0).UTC().Format(layout)
	})
}
