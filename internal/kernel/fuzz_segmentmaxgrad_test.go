package kernel

import "testing"

// sharing draws n segments over rows. Some rows are in many segments and some in none.
func (c *check) sharing() (s Segments, n, rows int) {
	n, rows = c.size(20), 1+c.size(20)
	s.Ptr = c.inputPtr(n, 8)
	s.Perm = c.inputIDs(int(s.Ptr[n]), rows)
	return s, n, rows
}

// FuzzSegmentMaxSplit: exact.
func FuzzSegmentMaxSplit(f *testing.F) {
	fuzz(f, func(c *check) {
		s, n, rows := c.sharing()
		d := c.segmentWidth()
		x, g, top := c.input(rows*d), c.input(n*d), c.floats(n*d)
		copy(top, s.maxima(x, n, d))
		c.describe("%d segments over %d rows of %d", n, rows, d)
		want := make([]float32, n*d)
		s.each(d, func(i, j int, places []int) {
			if len(places) > 0 {
				want[i*d+j] = g[i*d+j] / ties(x, places, top[i*d+j])
			}
		})
		c.exact(want, func(a *attempt) []float32 {
			dst, g, _ := a.over(g, nil)
			a.cut(n, func(lo, hi int) { SegmentMaxSplit(dst, g, x, top, d, s, lo, hi) })
			return dst
		})
	})
}

// FuzzSegmentMaxCollect: exact.
func FuzzSegmentMaxCollect(f *testing.F) {
	fuzz(f, func(c *check) {
		by, n, segments := c.sharing()
		d := c.segmentWidth()
		x, share, top := c.input(n*d), c.input(segments*d), c.input(segments*d)
		for k, v := range x { // segments whose maximum is in this row
			if at := k % max(len(top), 1); c.bool() && len(top) > 0 {
				top[at] = v
			}
		}
		c.describe("%d rows of %d in %d segments", n, d, segments)
		want := make([]float32, n*d)
		for j := range n {
			for k := by.Ptr[j]; k < by.Ptr[j+1]; k++ {
				for q := range d {
					at := int(by.Perm[k])*d + q
					var one float32
					if isMax(x[j*d+q], top[at]) {
						one = 1
					}
					want[j*d+q] += one * share[at]
				}
			}
		}
		c.exact(want, func(a *attempt) []float32 {
			dst := a.out(n * d)
			a.cut(n, func(lo, hi int) { SegmentMaxCollect(dst, share, x, top, d, by, lo, hi) })
			return dst
		})
	})
}
