package tables

import "github.com/ehgnn/ehgnn/graph"

// shown are the labels of an input that models may read: classes, or numbers standardised as
// they are for training. A class that training lacks is not shown.
func (s *Set) shown(e *Encoder, in *Input, o *Shown) *graph.Shown {
	if o == nil || s.Label == nil {
		return nil
	}
	out := &graph.Shown{Label: make([]float32, len(in.Edges))}
	var code map[string]int
	if !s.Label.Numeric() {
		code = make(map[string]int, len(e.Classes))
		for k, c := range e.Classes {
			code[c] = k
		}
	}
	for i, edge := range in.Edges {
		out.Label[i] = graph.NoShown
		if o.Edges[edge] {
			out.Label[i] = s.shownLabel(e, int(edge), code)
		}
		if o.Unit != nil {
			out.Unit = append(out.Unit, o.Unit[edge])
		}
		if o.Time {
			out.Time = append(out.Time, s.Time[edge])
		}
	}
	return out
}

// shownLabel is the label of an edge as a model reads it.
func (s *Set) shownLabel(e *Encoder, edge int, code map[string]int) float32 {
	if code == nil {
		scale := e.Scale
		if scale == 0 {
			scale = 1
		}
		return float32((s.Label.Value[edge] - e.Mean) / scale) // NaN where missing
	}
	k := s.Label.Code[edge]
	if k < 0 {
		return graph.NoShown
	}
	c, ok := code[s.Label.Text[k]]
	if !ok {
		return graph.NoShown
	}
	return float32(c)
}
