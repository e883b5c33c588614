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

// drawHidden draws what a training pass hides.
func drawHidden(p *nn.Pass, s *graph.Shown, shown []float32, share float64) hiding {
	if s != nil && s.Time != nil {
		order := byTime(s, edgesShown(shown))
		at := p.Rand.Float64() * (1 - share)
		return window(s, order, at, at+share)
	}
	var h hiding
	drawn := drawUnits(p, s, shown, share)
	for _, e := range edgesShown(shown) {
		if drawn[unitOf(s, e)] {
			h.hide = append(h.hide, e)
		}
	}
	h.learn = h.hide
	return h
}

// drawUnits draws a share of the units of edges that are shown, in their order.
func drawUnits(p *nn.Pass, s *graph.Shown, shown []float32, share float64) []bool {
	last := int32(-1)
	edges := edgesShown(shown)
	for _, e := range edges {
		last = max(last, unitOf(s, e))
	}
	occurs := make([]bool, last+1)
	for _, e := range edges {
		occurs[unitOf(s, e)] = true
	}
	for u, is := range occurs {
		occurs[u] = is && p.Rand.Float64() < share
	}
	return occurs
}

// unitOf is the unit of an edge that is shown.
func unitOf(s *graph.Shown, e int32) int32 {
	if s.Unit == nil {
		return e
	}
	return s.Unit[e]
}

// folds divide edges, which rise, into folds that are predicted in turn. Edges that are not among own stay
// as they are shown; with times all labels are hidden that are not earlier.
func folds(s *graph.Shown, own []int32) []hiding {
	out := make([]hiding, 0, hideFolds)
	if s.Time != nil {
		order := byTime(s, own)
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
	for _, e := range own {
		k := int(uint64(uint32(unitOf(s, e))) * 0x9E3779B97F4A7C15 >> 32 % hideFolds)
		of[k].hide = append(of[k].hide, e)
	}
	for _, h := range of {
		if len(h.hide) > 0 {
			h.learn = h.hide
			out = append(out, h)
		}
	}
	return out
}

// edgesShown are the edges whose labels are not NaN.
func edgesShown(label []float32) []int32 {
	var out []int32
	for e, x := range label {
		if x == x {
			out = append(out, int32(e))
		}
	}
	return out
}

// byTime are some edges, the earliest first.
func byTime(s *graph.Shown, edges []int32) []int32 {
	out := slices.Clone(edges)
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
