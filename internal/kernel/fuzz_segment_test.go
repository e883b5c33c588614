package kernel

import (
	"testing"
)

// segments draws n segments over rows rows. Permuted segments may leave out some rows.
func (c *check) segments() (s Segments, n, rows int) {
	n = c.size(20)
	s.Ptr = c.inputPtr(n, c.size(50))
	rows = int(s.Ptr[n])
	if c.bool() {
		in := rows
		rows += c.below(5)
		s.Perm = c.ints(in)
		for k, p := range c.rand.Perm(rows)[:in] {
			s.Perm[k] = int32(p)
		}
	}
	return s, n, rows
}

// each calls f with the indices of every segment and column of an array of d columns.
func (s Segments) each(d int, f func(i, j int, places []int)) {
	for i := range len(s.Ptr) - 1 {
		for j := range d {
			var places []int
			for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
				places = append(places, s.row(int(k))*d+j)
			}
			f(i, j, places)
		}
	}
}

// maxima returns the maximum of every segment and column.
func (s Segments) maxima(x []float32, n, d int) []float32 {
	top := make([]float32, n*d)
	s.each(d, func(i, j int, places []int) {
		for k, at := range places {
			if k == 0 {
				top[i*d+j] = x[at] + 0
			}
			top[i*d+j] = max(top[i*d+j], x[at]) + 0
		}
	})
	return top
}

// segmentWidth draws narrow widths more often than wide ones.
func (c *check) segmentWidth() int {
	if c.bool() {
		return c.below(2 * narrow)
	}
	return c.size(70)
}

// FuzzSegmentMax: exact, with positive zeros.
func FuzzSegmentMax(f *testing.F) {
	fuzz(f, func(c *check) {
		s, n, rows := c.segments()
		d := c.segmentWidth()
		x := c.input(rows * d)
		c.describe("%d segments of %d rows of %d, permuted %v", n, rows, d, s.Perm != nil)
		c.exact(s.maxima(x, n, d), func(a *attempt) []float32 {
			dst := a.out(n * d)
			a.cut(n, func(lo, hi int) { SegmentMax(dst, x, d, s, lo, hi) })
			return dst
		})
	})
}

// ties counts the elements equal to the maximum m. If any element is NaN, it counts those.
func ties(x []float32, places []int, m float32) (n float32) {
	for _, at := range places {
		if isMax(x[at], m) {
			n++
		}
	}
	return n
}

func isMax(v, m float32) bool { return v == m || v != v }

// FuzzSegmentMaxShare: exact. Rows in no segment do not change.
func FuzzSegmentMaxShare(f *testing.F) {
	fuzz(f, func(c *check) {
		s, n, rows := c.segments()
		d := c.segmentWidth()
		x := c.input(rows * d)
		top := c.floats(n * d)
		copy(top, s.maxima(x, n, d))
		before := c.input(rows * d)
		c.describe("%d segments of %d rows of %d, permuted %v", n, rows, d, s.Perm != nil)
		want := append([]float32{}, before...)
		s.each(d, func(i, j int, places []int) {
			m := top[i*d+j]
			for _, at := range places {
				want[at] = 0
				if isMax(x[at], m) {
					want[at] = 1 / ties(x, places, m)
				}
			}
		})
		c.exact(want, func(a *attempt) []float32 {
			dst := a.inout(before)
			a.cut(n, func(lo, hi int) { SegmentMaxShare(dst, x, top, d, s, lo, hi) })
			return dst
		})
	})
}

// stats returns the maximum, the mean and the sum of every segment and column.
func (s Segments) stats(x []float32, n, d int) []float32 {
	stats, top := make([]float32, n*3*d), s.maxima(x, n, d)
	s.each(d, func(i, j int, places []int) {
		if len(places) == 0 {
			return
		}
		var sum float32
		for _, at := range places {
			sum += x[at]
		}
		out := stats[i*3*d+j:]
		out[0], out[d], out[2*d] = top[i*d+j], sum*(1/float32(len(places))), sum
	})
	return stats
}

// FuzzSegmentStats: exact, with positive zeros as maxima.
func FuzzSegmentStats(f *testing.F) {
	fuzz(f, func(c *check) {
		s, n, rows := c.segments()
		d := c.segmentWidth()
		x := c.input(rows * d)
		c.describe("%d segments of %d rows of %d, permuted %v", n, rows, d, s.Perm != nil)
		c.exact(s.stats(x, n, d), func(a *attempt) []float32 {
			dst := a.out(n * 3 * d)
			a.cut(n, func(lo, hi int) { SegmentStats(dst, x, d, s, lo, hi) })
			return dst
		})
	})
}

// FuzzSegmentStatsGrad: exact. Rows in no segment do not change.
func FuzzSegmentStatsGrad(f *testing.F) {
	fuzz(f, func(c *check) {
		s, n, rows := c.segments()
		d := c.segmentWidth()
		x, g := c.input(rows*d), c.input(n*3*d)
		top := c.floats(n * 3 * d)
		copy(top, s.stats(x, n, d))
		before := c.input(rows * d)
		c.describe("%d segments of %d rows of %d, permuted %v", n, rows, d, s.Perm != nil)
		want := append([]float32{}, before...)
		s.each(d, func(i, j int, places []int) {
			g, m := g[i*3*d+j:], top[i*3*d+j:]
			for _, at := range places {
				all := float32(g[d]*(1/float32(len(places)))) + g[2*d]
				var peak float32
				if isMax(x[at], m[0]) {
					peak = 1
				}
				want[at] = float32(peak*(g[0]/ties(x, places, m[0]))) + all
			}
		})
		c.exact(want, func(a *attempt) []float32 {
			dst := a.inout(before)
			a.cut(n, func(lo, hi int) { SegmentStatsGrad(dst, x, top, g, d, s, lo, hi) })
			return dst
		})
	})
}

// FuzzSegmentSoftmax: near, see softmaxBound. Rows in no segment do not change.
func FuzzSegmentSoftmax(f *testing.F) {
	fuzz(f, func(c *check) {
		s, n, rows := c.segments()
		d := c.segmentWidth()
		x := c.input(rows * d)
		c.describe("%d segments of %d rows of %d, permuted %v", n, rows, d, s.Perm != nil)
		b := bound{want: make([]float64, rows*d), slack: make([]float64, rows*d), zeros: true}
		for i := range b.want { // in place, rows of no segment stay as in x
			b.want[i] = float64(x[i])
		}
		s.each(d, func(_, _ int, places []int) { softmaxBound(&b, x, places, softmaxEps) })
		c.near(b, func(a *attempt) []float32 {
			in, dst := x, a.inout(x)
			if a.onto == 1 {
				in = dst
			}
			a.cut(n, func(lo, hi int) { SegmentSoftmax(dst, in, d, s, lo, hi) })
			return dst
		})
	})
}
