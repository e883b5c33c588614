package kernel

import "math"

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

// segmentCols is the number of columns handled at once, so that per-column
// state fits on the stack.
const segmentCols = 64

// SegmentMax sets rows [lo,hi) of dst to the column maxima of the segments of x;
// both have d columns. An empty segment gives 0, a NaN gives NaN.
func SegmentMax(dst, x []float32, d int, s Segments, lo, hi int) {
	for i := lo; i < hi; i++ {
		out := dst[i*d : (i+1)*d]
		k0, k1 := int(s.Ptr[i]), int(s.Ptr[i+1])
		if k0 == k1 {
			clear(out)
			continue
		}
		copy(out, x[s.row(k0)*d:])
		for k := k0 + 1; k < k1; k++ {
			maxInto(out, x[s.row(k)*d:])
		}
	}
}

// maxInto sets m = max(m, x), NaN if either is.
func maxInto(m, x []float32) {
	x = x[:len(m)]
	for j, v := range x {
		m[j] = max(m[j], v)
	}
}

// SegmentMaxShare shares the gradient of SegmentMax out among ties: for the
// rows of segments [lo,hi), dst is 1/t where x equals the maximum of its segment
// and column, t being the number of rows that do, and 0 elsewhere. max is the
// result of SegmentMax; dst has the shape of x, and rows in none of these
// segments are left alone. dst must not overlap x.
func SegmentMaxShare(dst, x, max []float32, d int, s Segments, lo, hi int) {
	var ties [segmentCols]float32
	for i := lo; i < hi; i++ {
		k0, k1 := int(s.Ptr[i]), int(s.Ptr[i+1])
		for j := 0; j < d; j += segmentCols {
			n := ties[:min(segmentCols, d-j)]
			m := max[i*d+j:][:len(n)]
			clear(n)
			for k := k0; k < k1; k++ {
				at := s.row(k)*d + j
				markMax(dst[at:][:len(n)], n, x[at:], m)
			}
			for k := k0; k < k1; k++ {
				out := dst[s.row(k)*d+j:][:len(n)]
				for t, one := range out {
					if one != 0 {
						out[t] = 1 / n[t]
					}
				}
			}
		}
	}
}

// markMax sets dst to 1 where x equals m, and to 0 elsewhere, and counts the
// ones in n. A NaN equals a NaN maximum.
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

// softmaxEps is added to the denominator of SegmentSoftmax, as PyTorch Geometric
// does.
const softmaxEps = 1e-16

// SegmentSoftmax sets, for the rows of segments [lo,hi), dst to the softmax of x
// over the rows of a segment, for each of the d columns by itself. The maximum is
// subtracted first and 1e-16 added to the denominator (PyTorch Geometric,
// utils.softmax). Rows in none of these segments are left alone. dst may be x.
func SegmentSoftmax(dst, x []float32, d int, s Segments, lo, hi int) {
	var top, sum [segmentCols]float32
	for i := lo; i < hi; i++ {
		k0, k1 := int(s.Ptr[i]), int(s.Ptr[i+1])
		for j := 0; j < d; j += segmentCols {
			w := min(segmentCols, d-j)
			m, n := top[:w], sum[:w]
			clear(n)
			for t := range m {
				m[t] = float32(math.Inf(-1))
			}
			for k := k0; k < k1; k++ {
				maxInto(m, x[s.row(k)*d+j:])
			}
			for k := k0; k < k1; k++ {
				at := s.row(k)*d + j
				out := dst[at : at+w]
				expSub(out, x[at:], m)
				addVV(n, n, out)
			}
			for t := range n {
				n[t] += softmaxEps
			}
			for k := k0; k < k1; k++ {
				out := dst[s.row(k)*d+j:][:w]
				divVV(out, out, n)
			}
		}
	}
}

// expSub sets dst = e^(x-m).
func expSub(dst, x, m []float32) {
	x, m = x[:len(dst)], m[:len(dst)]
	for t, v := range x {
		dst[t] = exp32(v - m[t])
	}
}
