package kernel

import "math"

// softmaxEps is added to the denominator of SegmentSoftmax, as PyTorch Geometric
// does.
const softmaxEps = 1e-16

const (
	// softmaxNarrow is the number of columns up to which SegmentSoftmax works on blocks of segments:
	// attention has few heads and few entries per row, so a call per segment or per row would cost
	// more than the work.
	softmaxNarrow = 8
	// softmaxBlock is the number of elements of a block, which stays in the
	// first-level cache between its three loops; a single segment may exceed it.
	softmaxBlock = 2048
	// softmaxSegments is the largest number of segments of a block.
	softmaxSegments = 512
	// softmaxShort is the mean number of rows per segment up to which flatLoops are
	// faster for a block.
	softmaxShort = 12
	// softmaxLong is the number of elements from which the loops over whole slices
	// are faster for a segment of one column.
	softmaxLong = 32
)

// SegmentSoftmax sets, for the rows of segments [lo,hi), dst to the softmax of x
// over the rows of each segment, separately for each of the d columns. The maximum
// is subtracted first and 1e-16 added to the denominator (PyTorch Geometric,
// utils.softmax). Rows in none of these segments are not changed. dst may be x.
func SegmentSoftmax(dst, x []float32, d int, s Segments, lo, hi int) {
	if d == 0 {
		return
	}
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	if d > softmaxNarrow {
		s.softmaxWide(dst, x, d, lo, hi, buf)
		return
	}
	for lo < hi {
		first, k0 := lo, int(s.Ptr[lo])
		for lo < min(hi, first+softmaxSegments) && !s.isLong(lo, d) && (lo == first || (int(s.Ptr[lo+1])-k0)*d <= softmaxBlock) {
			lo++
		}
		if first < lo {
			s.softmaxBlock(dst, x, d, first, lo, buf)
			continue
		}
		in, out := x[k0:s.Ptr[lo+1]], dst[k0:s.Ptr[lo+1]]
		total := current.expSubSum(out, in, current.maxOf(in))
		current.scalar[Div](out, out, total+softmaxEps)
		lo++
	}
}

// isLong reports whether segment i is one slice of many elements.
func (s Segments) isLong(i, d int) bool {
	return d == 1 && s.Perm == nil && s.Ptr[i+1]-s.Ptr[i] >= softmaxLong
}

// softmaxBlock is SegmentSoftmax of at most softmaxNarrow columns: the rows are
// packed into scratch memory, so that the exponentials of all segments are computed
// at once. dst is not used for that even if its rows are in order, because masked
// loads would wait for masked stores next to them.
func (s Segments) softmaxBlock(dst, x []float32, d, lo, hi int, buf *packBuf) {
	k0, k1 := int(s.Ptr[lo]), int(s.Ptr[hi])
	buf.a = grow(buf.a, (k1-k0)*d)
	e, ptr := buf.a, s.Ptr[lo:hi+1]
	// Both compute the same in the same order, so that results do not depend on
	// blocks.
	if f := current.flat; f != nil && k0 < k1 && k1-k0 <= softmaxShort*(hi-lo) {
		f.softmax(dst, e, x, ptr, s.Perm, d, buf)
		return
	}
	current.segmentShift(e, x, ptr, s.Perm, d)
	current.unary[Exp](e, e, 0, 0)
	current.segmentScale(dst, e, ptr, s.Perm, d, softmaxEps)
}

// softmax is softmaxBlock of at least one row.
func (f *flatLoops) softmax(dst, e, x []float32, ptr, perm []int32, d int, buf *packBuf) {
	k0, k1 := int(ptr[0]), int(ptr[len(ptr)-1])
	if perm == nil {
		dst, x = dst[k0*d:], x[k0*d:]
	} else {
		perm = perm[k0:k1]
	}
	at := buf.segmentOf(ptr)
	buf.b = grow(buf.b, softmaxNarrow*(len(ptr)-1))
	columns := buf.b
	fill(columns, float32(math.Inf(-1)))
	f.tops(columns, x, at, perm, d)
	f.less(e, x, columns, at, perm, d)
	current.unary[Exp](e, e, 0, 0)
	clear(columns)
	f.add(columns, e, at, nil, d)
	current.scalar[Add](columns, columns, softmaxEps)
	current.unary[Recip](columns, columns, 0, 0)
	f.times(dst, e, columns, at, perm, d)
}

// segmentOf is, for each row of the segments, the offset in bytes of the columns of its segment.
// Eight are written at a time. Most segments have fewer rows: the next segment overwrites what is
// written past the end.
func (b *packBuf) segmentOf(ptr []int32) []int32 {
	const wide = 8
	n := int(ptr[len(ptr)-1] - ptr[0])
	if cap(b.ids) < n+wide {
		b.ids = make([]int32, n+wide)
	}
	ids := b.ids[:n+wide]
	for i := range len(ptr) - 1 {
		v := int32(i * 4 * softmaxNarrow)
		k, k1 := int(ptr[i]-ptr[0]), int(ptr[i+1]-ptr[0])
		p := (*[wide]int32)(ids[k:])
		p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7] = v, v, v, v, v, v, v, v
		for k += wide; k < k1; k++ {
			ids[k] = v
		}
	}
	return ids[:n]
}

// segmentShift packs the rows of the segments, minus the column maxima of their
// segment, into e. NaN is left out of the maxima; it stays in its row, and spreads
// over the segment by the sum in segmentScale.
func segmentShift(e, x []float32, ptr, perm []int32, d int) {
	s := Segments{Ptr: ptr, Perm: perm}
	var top [softmaxNarrow]float32
	negInf := float32(math.Inf(-1))
	for i := range len(ptr) - 1 {
		k0, k1 := s.bounds(i)
		fill(top[:d], negInf)
		for k := k0; k < k1; k++ {
			for j, v := range x[s.row(k)*d:][:d] {
				if v > top[j] {
					top[j] = v
				}
			}
		}
		for k := k0; k < k1; k++ {
			for j, v := range x[s.row(k)*d:][:d] {
				e[j] = v - top[j]
			}
			e = e[d:]
		}
	}
}

// segmentScale sets the rows of dst to the packed rows e of the segments divided by
// eps plus the column sums of their segment.
func segmentScale(dst, e []float32, ptr, perm []int32, d int, eps float32) {
	s := Segments{Ptr: ptr, Perm: perm}
	var sum [softmaxNarrow]float32
	for i := range len(ptr) - 1 {
		k0, k1 := s.bounds(i)
		clear(sum[:d])
		for at := 0; at < (k1-k0)*d; at += d {
			for j, v := range e[at:][:d] {
				sum[j] += v
			}
		}
		for j, v := range sum[:d] {
			sum[j] = 1 / (v + eps)
		}
		for k := k0; k < k1; k++ {
			out := dst[s.row(k)*d:][:d]
			for j, v := range e[:d] {
				out[j] = v * sum[j]
			}
			e = e[d:]
		}
	}
}

// softmaxWide is SegmentSoftmax of any number of columns, which works row by row.
func (s Segments) softmaxWide(dst, x []float32, d, lo, hi int, buf *packBuf) {
	buf.a = grow(buf.a, 2*d)
	m, sum := buf.a[:d], buf.a[d:]
	for i := lo; i < hi; i++ {
		k0, k1 := s.bounds(i)
		if k0 == k1 {
			continue
		}
		s.max(m, x, k0, k1)
		clear(sum)
		for k := k0; k < k1; k++ {
			at := s.row(k) * d
			out := dst[at : at+d]
			current.expSub(out, x[at:at+d], m)
			current.binary[Add](sum, sum, out)
		}
		current.scalar[Add](sum, sum, softmaxEps)
		for k := k0; k < k1; k++ {
			out := dst[s.row(k)*d:][:d]
			current.binary[Div](out, out, sum)
		}
	}
}
