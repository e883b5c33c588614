package kernel

// Sum returns the sum of x, accumulated in float64 in a fixed order.
func Sum(x []float32) float32 { return current.sum(x) }

// Dot returns Σ x[i]·y[i], accumulated in float64 in a fixed order.
func Dot(x, y []float32) float32 { return current.dot(x, y[:len(x)]) }

// colSumBlock is the number of rows that ColSum adds up before it adds the
// result to dst; it bounds the rounding error for many rows.
const colSumBlock = 128

// ColSum adds the column sums of x, which is rows×d, to dst: dst[j] += Σ_i
// x[i,j]. Rows are added in blocks of fixed size.
func ColSum(dst, x []float32, rows, d int) {
	if rows == 0 || d == 0 {
		return
	}
	if d == 1 {
		dst[0] += Sum(x[:rows])
		return
	}
	dst = dst[:d]
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.a = grow(buf.a, d)
	for i := 0; i < rows; i += colSumBlock {
		n := min(colSumBlock, rows-i)
		// A block is one row of a sparse matrix whose entries are all ones.
		block := SpMM{Dst: buf.a, X: x[i*d : (i+n)*d], D: d, Width: n}
		block.Rows(0, 1)
		Binary(Add, dst, dst, buf.a)
	}
}

// RowSum sets dst[i] = Σ_j x[i,j] for x of rows×d, accumulated in float64.
func RowSum(dst, x []float32, rows, d int) {
	for i := range rows {
		dst[i] = current.sum(x[i*d : (i+1)*d])
	}
}
