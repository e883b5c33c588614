package graph

import (
	"fmt"
	"math"
)

// Shown are labels of edges that a model may read: those of training edges, which help to
// judge the edges around them. What is to be predicted is hidden by who reads them.
type Shown struct {
	// Label is the class of each edge or its standardised number; NaN where it is not shown.
	Label []float32
	// Unit says which edges are shown or hidden together, such as both directions of one
	// edge, and do not read each other's labels; nil where each stands alone. Where there are
	// times, models go by these, and units are what their training may hide together.
	Unit []int32
	// Time is the time of each edge, where a label may only be read for later edges; else nil.
	Time []float64
}

// NoShown marks an edge whose label is not shown.
var NoShown = float32(math.NaN())

// take are the labels of some edges; nil for nil.
func (s *Shown) take(edges []int32) *Shown {
	if s == nil {
		return nil
	}
	return &Shown{Label: takeRows(s.Label, 1, edges), Unit: takeRows(s.Unit, 1, edges), Time: takeRows(s.Time, 1, edges)}
}

// check refuses lengths that do not match and labels that are infinite.
func (s *Shown) check(edges int) error {
	if s == nil {
		return nil
	}
	if len(s.Label) != edges || s.Unit != nil && len(s.Unit) != edges || s.Time != nil && len(s.Time) != edges {
		return fmt.Errorf("graph: shown labels: %d labels, %d units and %d times for %d edges", len(s.Label), len(s.Unit), len(s.Time), edges)
	}
	for e, t := range s.Time {
		if math.IsNaN(t) {
			return fmt.Errorf("graph: time of edge %d, whose label may be shown, is not a number", e)
		}
	}
	for e, v := range s.Label {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("graph: shown label of edge %d is infinite", e)
		}
	}
	return nil
}

// joinShown are the shown labels of a batch of graphs with m edges; nil unless every graph
// with edges has them. Units of two graphs differ.
func joinShown(gs []*Graph, m int) *Shown {
	out := &Shown{Label: make([]float32, 0, m)}
	units, times := true, true
	for _, g := range gs {
		if g.NumEdges() == 0 {
			continue
		}
		if g.Shown == nil {
			return nil
		}
		units, times = units && g.Shown.Unit != nil, times && g.Shown.Time != nil
		out.Label = append(out.Label, g.Shown.Label...)
	}
	if len(out.Label) == 0 {
		return nil
	}
	next := int32(0)
	for _, g := range gs {
		if g.NumEdges() == 0 {
			continue
		}
		if times {
			out.Time = append(out.Time, g.Shown.Time...)
		}
		if !units {
			continue
		}
		base := next
		for _, u := range g.Shown.Unit {
			out.Unit = append(out.Unit, base+u)
			next = max(next, base+u+1)
		}
	}
	return out
}
