package kernel

// The gradient of a SegmentMax whose segments share rows, as the neighbours of
// vertices do, comes in two steps: every segment splits its gradient evenly among
// the rows that are its maximum, then every row collects from its segments. The
// second step looks again where a row is the maximum, so that nothing as large as
// the list of rows of all segments is written.

// SegmentMaxSplit sets rows [lo,hi) of dst to g over the number of rows of the
// segment that equal its maximum, column by column: the rows of x that s lists,
// some of them perhaps in several segments, and top, the result of SegmentMax. An
// empty segment gives 0. dst may be g.
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

// SegmentMaxCollect sets rows [lo,hi) of dst to the sum of what segments sent to
// the row where it equals their maximum: row j of x is in the segments that
// segment j of by lists, and row i of share and top belongs to segment i.
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
