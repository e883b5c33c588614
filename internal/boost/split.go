package boost

import "math"

// split divides the rows of a node into two children.
type split struct {
	gain        float64 // decrease of the loss, to second order; 0 for no split
	column      int     // index among the binned columns
	bin         int     // last bin that goes left, for a column of numbers
	missingLeft bool
	set         *[256]bool // bins that go left, for a categorical column
	furtherL2   float64    // L2 penalty on the values of the children, added to Config.L2
	left        bin
}

// goesLeft returns for each bin whether its rows go left.
func (s *split) goesLeft() (t [256]uint8) {
	for b := range t {
		left := b <= s.bin
		if b == missing {
			left = s.missingLeft
		}
		if s.set != nil {
			left = s.set[b]
		}
		if left {
			t[b] = 1
		}
	}
	return t
}

// rule has the limits and the penalties of splits, in units of the integers in histograms.
type rule struct {
	minRows    int
	minHessian float64
	l2         float64
	unit       float64 // value of a gain of 1
	unitH      float64 // value of a second derivative of 1
}

func newRule(c Config, d *gradients) rule {
	return rule{c.MinRows, minHessian / d.unitH, c.L2 / d.unitH, d.unitG * d.unitG / d.unitH, d.unitH}
}

// score is twice the decrease of the loss by the best value of a node.
func (r *rule) score(b bin, l2 float64) float64 {
	g := float64(b.g)
	return g * g / (b.hessian() + l2)
}

// leastGain is the share of a node's own score that a split must gain: less is rounding.
const leastGain = 1e-9

// best returns the best split of a node by one column, given its bins.
func (r *rule) best(c *column, number int, hist []bin, node bin) split {
	s := split{column: number}
	var score float64
	if c.bounds != nil {
		score = r.number(hist, node, &s)
	} else {
		score = r.categories(hist, node, &s)
	}
	own := r.score(node, r.l2)
	if score <= own*(1+leastGain) {
		return split{}
	}
	s.gain = (score - own) * r.unit
	return s
}

// number finds the best split of a column of numbers, trying missing values on the right and on the left.
func (r *rule) number(hist []bin, node bin, s *split) float64 {
	last := len(hist) - 1
	gap := hist[missing]
	if gap.rows() == 0 {
		score, at, left := r.scan(hist[1:last], bin{}, node)
		s.bin, s.left = at+1, left
		s.missingLeft = 2*left.rows() >= node.rows()
		return score
	}
	score, at, left := r.scan(hist[1:], bin{}, node)
	s.bin, s.left = at+1, left
	if other, at, left := r.scan(hist[1:last], gap, node); other > score {
		score = other
		s.bin, s.left, s.missingLeft = at+1, left, true
	}
	return score
}

// scan tries a split after each of the bins, in order; from is the sum of the bins to the left of
// them. It returns the best sum of scores of both sides, the bin of this split and the sum of its
// left side.
func (r *rule) scan(hist []bin, from, node bin) (score float64, at int, best bin) {
	left := from
	rows := node.rows()
	hessian := node.hessian()
	total := float64(node.g)
	for i := range hist {
		left.g += hist[i].g
		left.hn += hist[i].hn
		n := left.rows()
		if n < r.minRows {
			continue
		}
		if rows-n < r.minRows {
			break
		}
		h := left.hessian()
		if h < r.minHessian {
			continue
		}
		if hessian-h < r.minHessian {
			break
		}
		gl := float64(left.g)
		gr := total - gl
		hl, hr := h+r.l2, hessian-h+r.l2
		over, under := gl*gl*hr+gr*gr*hl, hl*hr
		if over > score*under {
			score, at, best = over/under, i, left
		}
	}
	return score, at, best
}

// allowed reports whether both sides are large enough.
func (r *rule) allowed(left, right bin) bool {
	return left.rows() >= r.minRows && right.rows() >= r.minRows &&
		min(left.hessian(), right.hessian()) >= r.minHessian
}

// none is a split without gain.
func (s *split) none() bool { return !(s.gain > 0) || math.IsInf(s.gain, 0) }
