package boost

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Limits of LightGBM for category sets, against overfitting.
const (
	categoryRows = 10  // rarer categories always go right
	groupRows    = 100 // rows between two sets that are tried, at least
	mostLeft     = 32  // categories in a set, at most
	smoothing    = 10  // second derivative that shrinks a category's mean gradient towards 0
	categoryL2   = 10  // added L2 penalty on the values of the children
	fewBins      = 4   // up to this many bins, one category is split from the others, without the added penalty
)

// categories finds the best split of a categorical column. Missing values are a category.
func (r *rule) categories(hist []bin, node bin, s *split) float64 {
	if len(hist) <= fewBins {
		return r.oneCategory(hist, node, s)
	}
	smooth := smoothing / r.unitH
	order := lists.Where[int](hist, func(_ int, b bin) bool { return b.rows() >= categoryRows })
	ratio := func(b int) float64 { return float64(hist[b].g) / (hist[b].hessian() + smooth) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ratio(a), ratio(b)) })
	s.furtherL2 = categoryL2
	score, set := r.prefixes(hist, node, order, s)
	slices.Reverse(order)
	// Categories outside a set go right, so sets taken from the other end of the order are different sets.
	up := *s
	if other, otherSet := r.prefixes(hist, node, order, &up); other > score {
		score, set, *s = other, otherSet, up
	}
	s.setBins(set)
	return score
}

// prefixes tries the sets of the first categories in an order.
func (r *rule) prefixes(hist []bin, node bin, order []int, s *split) (score float64, set []int) {
	l2 := r.l2 + categoryL2/r.unitH
	var left bin
	group := 0
	for i, b := range order[:min(len(order), mostLeft, (len(order)+1)/2)] {
		left = left.plus(hist[b])
		group += hist[b].rows()
		right := node.minus(left)
		if right.rows() < groupRows {
			break
		}
		if group < groupRows || !r.allowed(left, right) {
			continue
		}
		group = 0
		if v := r.score(left, l2) + r.score(right, l2); v > score {
			score, set, s.left = v, slices.Clone(order[:i+1]), left
		}
	}
	return score, set
}

// oneCategory tries to split each category from the others.
func (r *rule) oneCategory(hist []bin, node bin, s *split) (score float64) {
	best := 0
	for b, left := range hist {
		right := node.minus(left)
		if !r.allowed(left, right) {
			continue
		}
		if v := r.score(left, r.l2) + r.score(right, r.l2); v > score {
			score, best, s.left = v, b, left
		}
	}
	s.setBins([]int{best})
	return score
}

func (s *split) setBins(bins []int) {
	s.set = new([256]bool)
	for _, b := range bins {
		s.set[b] = true
	}
}
