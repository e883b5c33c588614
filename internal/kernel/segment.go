package kernel

// Segments groups rows: segment i holds the rows Perm[Ptr[i]:Ptr[i+1]], or rows
// [Ptr[i],Ptr[i+1]) themselves when Perm is nil.
type Segments struct{ Ptr, Perm []int32 }

// row is the row at position k of the grouping.
func (s Segments) row(k int) int {
	if s.Perm == nil {
		return k
	}
	return int(s.Perm[k])
}

// bounds are the positions of segment i.
func (s Segments) bounds(i int) (k0, k1 int) { return int(s.Ptr[i]), int(s.Ptr[i+1]) }

// narrow is the number of columns below which a plain loop beats a call per row.
const narrow = 12

// SegmentMax sets rows [lo,hi) of dst to the column maxima of the segments of x;
// both have d columns. An empty segment gives 0, a NaN gives NaN, a zero of either
// sign +0.
func SegmentMax(dst, x []float32, d int, s Segments, lo, hi int) {
	for i := lo; i < hi; i++ {
		out := dst[i*d : (i+1)*d]
		k0, k1 := s.bounds(i)
		if k0 == k1 {
			clear(out)
			continue
		}
		s.max(out, x, k0, k1)
	}
}

// max sets m to the column maxima of the rows at positions [k0,k1), of which
// there is at least one.
func (s Segments) max(m, x []float32, k0, k1 int) {
	d := len(m)
	current.scalar[Add](m, x[s.row(k0)*d:][:d], 0) // a copy without -0
	for k := k0 + 1; k < k1; k++ {
		row := x[s.row(k)*d:][:d]
		if d >= narrow {
			current.max(m, m, row)
			continue
		}
		for j, v := range row {
			m[j] = max(m[j], v+0)
		}
	}
}

// SegmentMaxShare divides the gradient of SegmentMax among ties: for the rows of
// segments [lo,hi), dst is 1/t where x equals the maximum of its segment and
// column, t being the number of rows that do, and 0 elsewhere. top is the result of
// SegmentMax; dst has the shape of x, and rows in none of these segments are not
// changed. dst must not overlap x.
func SegmentMaxShare(dst, x, top []float32, d int, s Segments, lo, hi int) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.a = grow(buf.a, d)
	ties := buf.a
	for i := lo; i < hi; i++ {
		m := top[i*d : (i+1)*d]
		k0, k1 := s.bounds(i)
		clear(ties)
		for k := k0; k < k1; k++ {
			at := s.row(k) * d
			current.markMax(dst[at:at+d], ties, x[at:at+d], m)
		}
		for k := k0; k < k1; k++ {
			at := s.row(k) * d
			current.binary[Div](dst[at:at+d], dst[at:at+d], ties)
		}
	}
}

// markMax sets dst to 1 where x equals m and to 0 elsewhere, and adds it to n. A
// NaN counts as a maximum: if there is one, the maximum is NaN.
func markMax(dst, n, x, m []float32) {
	x, m, n = x[:len(dst)], m[:len(dst)], n[:len(dst)]
	for t, v := range x {
		var one float32
		if v == m[t] || v != v {
			one = 1
		}
		dst[t] = one
		n[t] += one
	}
}

// SegmentStats sets rows [lo,hi) of dst, which are 3·d wide, to the column maxima,
// means and sums of the segments of x, which has d columns. An empty segment
// gives 0, a NaN gives NaN, a maximum of zero is +0.
func SegmentStats(dst, x []float32, d int, s Segments, lo, hi int) {
	for i := lo; i < hi; i++ {
		out := dst[i*3*d : (i+1)*3*d]
		clear(out)
		top, mean, sum := out[:d], out[d:2*d], out[2*d:]
		k0, k1 := s.bounds(i)
		if k0 == k1 {
			continue
		}
		current.scalar[Add](top, x[s.row(k0)*d:][:d], 0) // a copy without -0
		for k := k0; k < k1; k++ {
			row := x[s.row(k)*d:][:d]
			if d >= narrow {
				current.max(top, top, row)
				current.binary[Add](sum, sum, row)
				continue
			}
			for j, v := range row {
				top[j] = max(top[j], v+0)
				sum[j] += v
			}
		}
		current.scalar[Mul](mean, sum, 1/float32(k1-k0))
	}
}

// SegmentStatsGrad is the gradient of SegmentStats: for the rows of segments
// [lo,hi) it sets dst to the gradient of the segment's sum, plus that of its mean
// divided by the number of rows, plus, where x is the maximum, that of the maximum
// divided by the number of ties. top and g, 3·d wide, are the result and its
// gradient. Rows in none of these segments are not changed. dst must not overlap x.
func SegmentStatsGrad(dst, x, top, g []float32, d int, s Segments, lo, hi int) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.a = grow(buf.a, 2*d)
	peak, all := buf.a[:d], buf.a[d:2*d]
	for i := lo; i < hi; i++ {
		k0, k1 := s.bounds(i)
		if k0 == k1 {
			continue
		}
		m, g := top[i*3*d:][:d], g[i*3*d:][:3*d]
		clear(peak)
		for k := k0; k < k1; k++ {
			at := s.row(k) * d
			current.markMax(dst[at:at+d], peak, x[at:at+d], m)
		}
		current.binary[Div](peak, g[:d], peak)
		current.scalar[Mul](all, g[d:2*d], 1/float32(k1-k0))
		current.binary[Add](all, all, g[2*d:])
		for k := k0; k < k1; k++ {
			out := dst[s.row(k)*d:][:d]
			if d >= narrow {
				current.binary[Mul](out, out, peak)
				current.binary[Add](out, out, all)
				continue
			}
			for j, v := range out {
				out[j] = float32(v*peak[j]) + all[j] // rounded as in the wide loops
			}
		}
	}
}
