package boost

// partitionRows is how many rows one thread should have at least.
const partitionRows = 16384

// partition reorders the rows at indices [lo,hi): first the rows that go left, then the rows that
// go right, both in their order. It returns the start of the right side.
func (g *grower) partition(lo, hi int, words []uint64, shift int, left *[256]uint8) int {
	parts := max(1, min(g.pool.Threads(), (hi-lo)/partitionRows))
	bound := func(p int) int { return lo + (hi-lo)*p/parts }
	counts := make([]int, parts+1)
	g.pool.Rows(parts, 1, func(from, to int) {
		for p := from; p < to; p++ {
			counts[p+1] = divide(g.order[bound(p):bound(p+1)], g.spare[bound(p):bound(p+1)], words, shift, left)
		}
	})
	for p := range parts {
		counts[p+1] += counts[p]
	}
	mid := lo + counts[parts]
	g.pool.Rows(parts, 1, func(from, to int) {
		for p := from; p < to; p++ {
			n := counts[p+1] - counts[p]
			part := g.spare[bound(p):bound(p+1)]
			copy(g.order[lo+counts[p]:], part[:n])
			right := g.order[mid+bound(p)-lo-counts[p]:]
			for i := len(part) - 1; i >= n; i-- {
				right[len(part)-1-i] = part[i]
			}
		}
	})
	return mid
}

// divide writes the rows that go left to the beginning of out, and the others in reverse to its
// end. It returns the number of rows that go left. Writing every row to both places is faster than
// a branch.
func divide(rows, out []int32, words []uint64, shift int, left *[256]uint8) int {
	l, r := 0, len(out)-1
	s := uint(shift) & 63
	for _, row := range rows {
		out[l] = row
		out[r] = row
		goes := int(left[uint8(words[row]>>s)])
		l += goes
		r -= 1 - goes
	}
	return l
}
