package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// hiding says which labels are hidden in a pass, and which edges are learned from or
// predicted in it, rising.
type hiding struct{ hide, learn []int32 }

// apply are the labels without those that are hidden.
func (h hiding) apply(shown []float32) []float32 {
	out := slices.Clone(shown)
	for _, e := range h.hide {
		out[e] = graph.NoShown
	}
	return out
}

// blind is the share of training passes that hide all labels, so that the model also learns
// what can be known without, for edges around which no label is known.
const blind = 0.2

// drawHidden draws what a training pass hides.
func drawHidden(p *nn.Pass, s *graph.Shown, shown []float32, share float64) hiding {
	if p.Rand.Float64() < blind {
		var all []int32
		for e, x := range shown {
			if x == x {
				all = append(all, int32(e))
			}
		}
		return hiding{all, all}
	}
	if s != nil && s.Time != nil {
		order := byTime(s, shown)
		at := p.Rand.Float64() * (1 - share)
		return window(s, order, at, at+share)
	}
	units := unitsOf(s, shown)
	var h hiding
	last, drawn := int32(-1), false
	for _, u := range units {
		if u.unit != last {
			last, drawn = u.unit, p.Rand.Float64() < share
		}
		if drawn {
			h.hide = append(h.hide, u.edge)
		}
	}
	slices.Sort(h.hide)
	h.learn = h.hide
	return h
}

// folds divide edges into folds that are predicted in turn. Edges that are not among own stay
// as they are shown; with times all labels are hidden that are not earlier.
func folds(s *graph.Shown, own []int32) []hiding {
	shown := make([]float32, len(s.Label))
	for e := range shown {
		shown[e] = graph.NoShown
	}
	for _, e := range own {
		shown[e] = s.Label[e]
	}
	out := make([]hiding, 0, hideFolds)
	if s.Time != nil {
		order := byTime(s, shown)
		from := 0
		for k := range hideFolds {
			if h := window(s, order[from:], 0, 1/float64(hideFolds-k)); len(h.learn) > 0 {
				from += len(h.learn)
				out = append(out, h)
			}
		}
		return out
	}
	// A unit's fold is its number, hashed, so that it does not follow the order of edges.
	of := make([]hiding, hideFolds)
	for _, u := range unitsOf(s, shown) {
		k := int(uint64(uint32(u.unit)) * 0x9E3779B97F4A7C15 >> 32 % hideFolds)
		of[k].hide = append(of[k].hide, u.edge)
	}
	for _, h := range of {
		if len(h.hide) > 0 {
			slices.Sort(h.hide)
			h.learn = h.hide
			out = append(out, h)
		}
	}
	return out
}

// unitEdge is an edge and its unit.
type unitEdge struct{ unit, edge int32 }

// unitsOf are the edges that are shown, by unit.
func unitsOf(s *graph.Shown, shown []float32) []unitEdge {
	var out []unitEdge
	for e, x := range shown {
		if x != x {
			continue
		}
		u := int32(e)
		if s.Unit != nil {
			u = s.Unit[e]
		}
		out = append(out, unitEdge{u, int32(e)})
	}
	slices.SortFunc(out, func(a, b unitEdge) int { return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.edge, b.edge)) })
	return out
}

// byTime are the edges that are shown, the earliest first.
func byTime(s *graph.Shown, shown []float32) []int32 {
	var out []int32
	for e, x := range shown {
		if x == x {
			out = append(out, int32(e))
		}
	}
	slices.SortFunc(out, func(a, b int32) int { return cmp.Or(cmp.Compare(s.Time[a], s.Time[b]), cmp.Compare(a, b)) })
	return out
}

// window learns from the edges between two shares of a list that is sorted by time, and hides
// every label from the first of them on. Edges of one moment are on one side of a cut.
func window(s *graph.Shown, order []int32, from, to float64) hiding {
	if len(order) == 0 {
		return hiding{}
	}
	at := func(share float64) int { return int(share * float64(len(order))) }
	start := s.Time[order[min(at(from), len(order)-1)]]
	end := math.Inf(1)
	if k := at(to); k < len(order) {
		end = s.Time[order[k]]
	}
	var h hiding
	for _, e := range order {
		t := s.Time[e]
		if t < start {
			continue
		}
		h.hide = append(h.hide, e)
		if t < end || t == start {
			h.learn = append(h.learn, e)
		}
	}
	slices.Sort(h.hide)
	slices.Sort(h.learn)
	return h
}
