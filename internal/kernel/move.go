package kernel

// Transpose sets dst, which is cols×rows, to the transpose of x, which is
// rows×cols. The slices must not overlap.
func Transpose(dst, x []float32, rows, cols int) {
	transposeInto(dst[:rows*cols], x[:rows*cols], rows, cols, rows, cols)
}

// transposeGeneric writes the transpose of rows rows of cols floats into dst.
// Rows of dst are dstStep floats apart, those of x xStep.
func transposeGeneric(dst, x []float32, rows, cols, dstStep, xStep int) {
	const block = 32 // two blocks of 32×32 floats fit the first-level cache
	for i0 := 0; i0 < rows; i0 += block {
		i1 := min(i0+block, rows)
		for j0 := 0; j0 < cols; j0 += block {
			for j := j0; j < min(j0+block, cols); j++ {
				out := dst[j*dstStep+i0 : j*dstStep+i1]
				for t := range out {
					out[t] = x[(i0+t)*xStep+j]
				}
			}
		}
	}
}

// GatherRows sets row i of dst to row ids[i] of x; both have d columns. The
// slices must not overlap.
func GatherRows(dst, x []float32, ids []int32, d int) {
	switch dst = dst[:len(ids)*d]; {
	case len(dst) == 0:
	case d == 1:
		for i, id := range ids {
			dst[i] = x[id]
		}
	default:
		gatherRows(dst, x, ids, d)
	}
}

func gatherRowsGeneric(dst, x []float32, ids []int32, d int) {
	for i, id := range ids {
		copy(dst[i*d:(i+1)*d], x[int(id)*d:][:d])
	}
}
