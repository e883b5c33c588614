package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
)

// labelMask lists the edges whose labels are hidden in one pass, and the edges in the loss or to be
// predicted. Both are ascending.
type labelMask struct{ hide, learn []int32 }

// apply returns the labels with those of h.hide masked.
func (h labelMask) apply(shown []float32) []float32 {
	out := slices.Clone(shown)
	for _, e := range h.hide {
		out[e] = graph.Masked
	}
	return out
}

// drawHidden draws the label mask of a training pass.
func drawHidden(p *nn.Pass, s *graph.ObservedLabels, shown []float32, share float64) labelMask {
	if s != nil && s.Time != nil {
		order := byTime(s, edgesShown(shown))
		at := p.Rand.Float64() * (1 - share)
		return window(s, shown, order, at, at+share)
	}
	drawn := drawGroups(p, s, shown, share)
	hide := lists.Filter(edgesShown(shown), func(e int32) bool { return drawn.has(groupOf(s, e)) })
	return labelMask{hide, hide}
}

// drawGroups draws a share of the groups with an observed label, in their order.
func drawGroups(p *nn.Pass, s *graph.ObservedLabels, shown []float32, share float64) groups {
	drawn := groupsOf(s, edgesShown(shown))
	for u, is := range drawn {
		drawn[u] = is && p.Rand.Float64() < share
	}
	return drawn
}

// groups reports for each group of edges whether it is in the set.
type groups []bool

func (u groups) has(group int32) bool { return int(group) < len(u) && u[group] }

// groupsOf returns the groups of some edges.
func groupsOf(s *graph.ObservedLabels, edges []int32) groups {
	last := int32(-1)
	for _, e := range edges {
		last = max(last, groupOf(s, e))
	}
	out := make(groups, last+1)
	for _, e := range edges {
		out[groupOf(s, e)] = true
	}
	return out
}

// groupOf returns the group of an observed edge.
func groupOf(s *graph.ObservedLabels, e int32) int32 {
	if s.Group == nil {
		return e
	}
	return s.Group[e]
}

// hideInTurn returns the passes of out-of-fold prediction: first for edges with an observed label,
// then for other edges. So the predictions of the other edges do not depend on whether the first
// ones are predicted, too.
func hideInTurn(b *graph.Batch, shown []float32) []labelMask {
	own, others := guarded(b, shown)
	n := OtherFolds
	if b.Observed != nil && b.Observed.Time != nil {
		n = ownFolds
	}
	return append(folds(b.Observed, shown, own, ownFolds), folds(b.Observed, shown, others, n)...)
}

// guarded returns the edges, ascending, that must not read all observed labels. own are observed
// edges that have a label to be scored by. others are edges without an observed label whose group
// has one or, with times, for which an observed label is not earlier.
func guarded(b *graph.Batch, shown []float32) (own, others []int32) {
	s, known := b.Observed, edgesShown(shown)
	if len(known) == 0 {
		return nil, nil
	}
	latest, of := math.Inf(-1), groups(nil)
	if s.Time != nil {
		for _, e := range known {
			latest = max(latest, s.Time[e])
		}
	} else if s.Group != nil {
		of = groupsOf(s, known)
	}
	for e, x := range shown {
		e := int32(e)
		switch {
		case x == x:
			if scored(b, e) {
				own = append(own, e)
			}
		case s.Time != nil && s.Time[e] <= latest, s.Time == nil && of.has(groupOf(s, e)):
			others = append(others, e)
		}
	}
	return own, others
}

// Labelled lists the edges of a batch that have a label to be scored by.
func Labelled(b *graph.Batch) []int32 {
	var out []int32
	for e := range int32(b.H.NumEdges()) {
		if scored(b, e) {
			out = append(out, e)
		}
	}
	return out
}

// scored reports whether an edge has a label to be scored by.
func scored(b *graph.Batch, e int32) bool {
	if b.EdgeLabels != nil && b.EdgeLabels[e] >= 0 {
		return true
	}
	return b.EdgeTargets != nil && b.EdgeTargets.Data()[e] == b.EdgeTargets.Data()[e]
}

// LabelFold returns the fold, one of n, of a group: a hash of its number, so that folds do not
// depend on the order of edges.
func LabelFold(group int32, n int) int {
	return int(uint64(uint32(group)) * 0x9E3779B97F4A7C15 >> 32 % uint64(n))
}

// folds divides edges (ascending) into n folds, one pass each. A pass hides the labels that its
// edges must not read: all labels of the fold, so that a prediction does not depend on which other
// edges are predicted. With times it hides all labels that are not earlier than the first edge of
// the fold.
func folds(s *graph.ObservedLabels, shown []float32, edges []int32, n int) []labelMask {
	out := make([]labelMask, 0, n)
	if len(edges) == 0 {
		return out
	}
	if s.Time != nil {
		order := byTime(s, edges)
		from := 0
		for k := range n {
			if h := window(s, shown, order[from:], 0, 1/float64(n-k)); len(h.learn) > 0 {
				from += len(h.learn)
				out = append(out, h)
			}
		}
		return out
	}
	of := make([]labelMask, n)
	for _, e := range edges {
		h := &of[LabelFold(groupOf(s, e), n)]
		h.learn = append(h.learn, e)
	}
	for _, e := range edgesShown(shown) {
		h := &of[LabelFold(groupOf(s, e), n)]
		h.hide = append(h.hide, e)
	}
	return append(out, lists.Filter(of, func(h labelMask) bool { return len(h.learn) > 0 })...)
}

// edgesShown returns the edges whose label is not NaN.
func edgesShown(label []float32) []int32 {
	return lists.Where[int32](label, func(_ int, x float32) bool { return x == x })
}

// byTime sorts edges, the earliest first.
func byTime(s *graph.ObservedLabels, edges []int32) []int32 {
	out := slices.Clone(edges)
	slices.SortFunc(out, func(a, b int32) int { return cmp.Or(cmp.Compare(s.Time[a], s.Time[b]), cmp.Compare(a, b)) })
	return out
}

// window takes the edges between two shares of a list that is sorted by time, and hides every label
// from the first of these edges on. Edges with the same time are on the same side of a limit.
func window(s *graph.ObservedLabels, shown []float32, order []int32, from, to float64) labelMask {
	if len(order) == 0 {
		return labelMask{}
	}
	at := func(share float64) int { return int(share * float64(len(order))) }
	start := s.Time[order[min(at(from), len(order)-1)]]
	last := at(to) >= len(order)
	var h labelMask
	for _, e := range order {
		if t := s.Time[e]; t >= start && (last || t == start || t < s.Time[order[at(to)]]) {
			h.learn = append(h.learn, e)
		}
	}
	h.hide = lists.Filter(edgesShown(shown), func(e int32) bool { return s.Time[e] >= start })
	slices.Sort(h.learn)
	return h
}
