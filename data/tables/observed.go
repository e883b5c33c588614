package tables

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// shown returns the labels of an input that models may read: classes, or standardised numbers. A
// class that the training lacks cannot be read.
func (s *Set) shown(e *Encoder, in *Input, o *ObservedLabels) *graph.ObservedLabels {
	if o == nil || s.Label == nil {
		return nil
	}
	out := &graph.ObservedLabels{Label: make([]float32, len(in.Edges))}
	label := e.ObservedLabels(s.Label)
	if o.Time {
		known := lists.Take(o.Edges, in.Edges)
		out.Time = LabelTimes(in.times(s), known)
	}
	for i, edge := range in.Edges {
		out.Label[i] = graph.Masked
		if o.Edges[edge] {
			out.Label[i] = label(edge)
		}
		if o.Unit != nil {
			out.Group = append(out.Group, o.Unit[edge])
		}
	}
	return out
}

// LabelTimes are the times of edges for reading labels (graph.ObservedLabels). Without a time, a known
// label counts as earlier than all edges, and an edge to predict as later than all labels.
func LabelTimes(time []float64, known []bool) []float64 {
	out := make([]float64, len(time))
	for e, t := range time {
		if out[e] = t; math.IsNaN(t) && known[e] {
			out[e] = math.Inf(-1)
		} else if math.IsNaN(t) {
			out[e] = math.Inf(1)
		}
	}
	return out
}

// ObservedLabels returns a function for the label of an edge in the form that models read
// (graph.ObservedLabels), given the label column: the number of its class, or a standardised number; NaN if
// it is missing or a class that the training lacks.
func (e *Encoder) ObservedLabels(label *Column) func(edge int32) float32 {
	if label.Numeric() {
		scale := e.Scale
		if scale == 0 {
			scale = 1
		}
		return func(edge int32) float32 { return float32((label.Value[edge] - e.Mean) / scale) } // NaN if missing
	}
	class := classCodes(e, label)
	return func(edge int32) float32 {
		if k := label.Code[edge]; k >= 0 && class[k] >= 0 {
			return float32(class[k])
		}
		return graph.Masked
	}
}
