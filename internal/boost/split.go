package boost

import "math"

// split divides the rows of a node in two.
type split struct {
	gain        float64 // by how much the loss decreases, to second order; 0 for no split
	column      int     // among the columns in bins
	bin         int     // the last bin that goes left, of a column of numbers
	missingLeft bool
	set         *[256]bool // the bins that go left, of a categorical column
	furtherL2   float64    // penalty on the values of the children, beside that of all nodes
	left        bin
}

// goesLeft tells for each bin whether its rows go left.
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

// rule says which splits are allowed and what they are worth. Its numbers are in units of
// the integers that histograms hold.
type rule struct {
	minRows    int
	minHessian float64
	l2         float64
	unit       float64 // what a gain of 1 is worth
	unitH      float64 // what a second derivative of 1 is worth
}

func newRule(c Config, d *gradients) rule {
	return rule{c.MinRows, minHessian / d.unitH, c.L2 / d.unitH, d.unitG * d.unitG / d.unitH, d.unitH}
}

// score is by how much the best value of a node decreases the loss, twice.
func (r *rule) score(b bin, l2 float64) float64 {
	g := float64(b.g)
	return g * g / (b.hessian() + l2)
}

// leastGain is the share of a node's own score by which a split must increase it: less is
// rounding.
const leastGain = 1e-9

// best is the best split of a node by one column, whose bins are given.
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

// number finds the best split of a column of numbers: with missing values right and left.
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

// scan tries every split after one of the bins, in order; from is the sum of what is left
// of them. It returns the best sum of scores of both sides, the number of the bin and the
// sum of the left side.
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

// allowed says whether both sides are large enough.
func (r *rule) allowed(left, right bin) bool {
	return left.rows() >= r.minRows && right.rows() >= r.minRows &&
		min(left.hessian(), right.hessian()) >= r.minHessian
}

// none is a split that gains nothing.
func (s *split) none() bool { return !(s.gain > 0) || math.IsInf(s.gain, 0) }
