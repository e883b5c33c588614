package kernel

// The gradient of a SegmentMax whose segments share rows, as lists of neighbours
// do, takes two steps: every segment divides its gradient by the number of rows
// that equal its maximum, then every row sums over its segments. The second step
// compares with the maximum again, so that no array with an element per row of
// every segment is needed.

// SegmentMaxSplit sets rows [lo,hi) of dst to those of g divided by the number of
// rows of the segment that equal its maximum, column by column. s lists the rows of
// x of each segment, where a row may be in several; top is the result of
// SegmentMax. An empty segment gives 0. dst may be g.
func SegmentMaxSplit(dst, g, x, top []float32, d int, s Segments, lo, hi int) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.a = grow(buf.a, 2*d)
	mark, ties := buf.a[:d], buf.a[d:]
	for i := lo; i < hi; i++ {
		out, m := dst[i*d:(i+1)*d], top[i*d:(i+1)*d]
		k0, k1 := s.bounds(i)
		if k0 == k1 {
			clear(out)
			continue
		}
		clear(ties)
		for k := k0; k < k1; k++ {
			current.markMax(mark, ties, x[s.row(k)*d:][:d], m)
		}
		current.binary[Div](out, g[i*d:(i+1)*d], ties)
	}
}

// SegmentMaxCollect sets row j of dst, for each j in [lo,hi), to the sum of the
// shares of the segments whose maximum row j of x equals, column by column. Segment
// j of by lists the segments that have row j; row i of share, which SegmentMaxSplit
// made, and of top belongs to segment i.
func SegmentMaxCollect(dst, share, x, top []float32, d int, by Segments, lo, hi int) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.a = grow(buf.a, 2*d)
	mark, ties := buf.a[:d], buf.a[d:]
	clear(ties)
	for j := lo; j < hi; j++ {
		out, own := dst[j*d:(j+1)*d], x[j*d:(j+1)*d]
		clear(out)
		k0, k1 := by.bounds(j)
		for k := k0; k < k1; k++ {
			at := by.row(k) * d
			current.markMax(mark, ties, own, top[at:at+d])
			current.binary[Mul](mark, mark, share[at:at+d])
			current.binary[Add](out, out, mark)
		}
	}
}
