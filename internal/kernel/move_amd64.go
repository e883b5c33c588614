//go:build !noasm

package kernel

// transposeInto writes the transpose of w rows of n floats into dst, whose rows
// are dstStep floats apart; those of src are srcStep floats apart.
func transposeInto(dst, src []float32, w, n, dstStep, srcStep int) {
	r := 0
	if level >= levelAVX2 && n >= 8 {
		for ; r+8 <= w; r += 8 {
			transpose8AVX2(&dst[r], &src[r*srcStep], n/8, 4*dstStep, 4*srcStep)
			for k := n &^ 7; k < n; k++ {
				for t := r; t < r+8; t++ {
					dst[k*dstStep+t] = src[t*srcStep+k]
				}
			}
		}
	}
	if r < w && n > 0 {
		transposeGeneric(dst[r:], src[r*srcStep:], w-r, n, dstStep, srcStep)
	}
}

// gatherRows is GatherRows of at least one row and column.
func gatherRows(dst, x []float32, ids []int32, d int) {
	switch level {
	case levelAVX512:
		gatherRowsAVX512(&dst[0], &x[0], &ids[0], len(ids), d)
	case levelAVX2:
		gatherRowsAVX2(&dst[0], &x[0], &ids[0], len(ids), d)
	default:
		gatherRowsGeneric(dst, x, ids, d)
	}
}
