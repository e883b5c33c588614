package graph

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// ObservedLabels are labels of edges that a model may read: the labels of training edges, as input
// for the edges around them. Models and training hide the labels that are to be predicted.
type ObservedLabels struct {
	// Label is the class of each edge or its standardised number, Masked if it may not be read.
	Label []float32
	// Group says which edges are observed or masked together, such as both directions of one edge.
	// Edges of one group do not read each other's labels. It is nil if each edge is a group of its
	// own. If there are times, models decide by the times, and groups are only what training may
	// hide together.
	Group []int32
	// Time is the time of each edge, if only later edges may read its label. It is nil otherwise.
	Time []float64
}

// Masked is the label of an edge that may not be read.
var Masked = float32(math.NaN())

// take returns the labels of some edges. It is nil if s is nil.
func (s *ObservedLabels) take(edges []int32) *ObservedLabels {
	if s == nil {
		return nil
	}
	return &ObservedLabels{Label: lists.TakeRows(s.Label, 1, edges), Group: lists.TakeRows(s.Group, 1, edges), Time: lists.TakeRows(s.Time, 1, edges)}
}

// check refuses lengths that do not match and labels that are infinite.
func (s *ObservedLabels) check(edges int) error {
	if s == nil {
		return nil
	}
	if len(s.Label) != edges || s.Group != nil && len(s.Group) != edges || s.Time != nil && len(s.Time) != edges {
		return fmt.Errorf("graph: observed labels: %d labels, %d groups and %d times for %d edges", len(s.Label), len(s.Group), len(s.Time), edges)
	}
	for e, t := range s.Time {
		if math.IsNaN(t) {
			return fmt.Errorf("graph: time of edge %d, whose label may be read, is not a number", e)
		}
	}
	for e, v := range s.Label {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("graph: observed label of edge %d is infinite", e)
		}
	}
	return nil
}

// joinObserved returns the observed labels of a batch of graphs with m edges. It is nil unless
// every graph with edges has them. Two graphs share no group.
func joinObserved(gs []*Graph, m int) *ObservedLabels {
	out := &ObservedLabels{Label: make([]float32, 0, m)}
	groups, times := true, true
	for _, g := range gs {
		if g.NumEdges() == 0 {
			continue
		}
		if g.Observed == nil {
			return nil
		}
		groups, times = groups && g.Observed.Group != nil, times && g.Observed.Time != nil
		out.Label = append(out.Label, g.Observed.Label...)
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
			out.Time = append(out.Time, g.Observed.Time...)
		}
		if !groups {
			continue
		}
		base := next
		for _, u := range g.Observed.Group {
			out.Group = append(out.Group, base+u)
			next = max(next, base+u+1)
		}
	}
	return out
}
