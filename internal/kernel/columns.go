package kernel

// columnRows is how many rows the functions below process at a time, so that intermediate results
// stay in the first-level cache.
const columnRows = 32

// overBlocks calls f for blocks of columnRows rows of width d, with scratch memory
// as large as a block.
func overBlocks(rows, d int, f func(at, n int, scratch []float32)) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.b = grow(buf.b, columnRows*d)
	for i := 0; i < rows; i += columnRows {
		n := min(columnRows, rows-i)
		f(i*d, n, buf.b[:n*d])
	}
}

// ColumnMoments adds the column sums of x - pivot and of its squares to sum and
// square, each of d elements; x is rows×d. Rows are added in blocks of fixed size.
func ColumnMoments(sum, square, x, pivot []float32, rows, d int) {
	overBlocks(rows, d, func(at, n int, t []float32) {
		BinaryRow(Sub, t, x[at:at+n*d], pivot)
		ColSum(sum, t, n, d)
		Binary(Mul, t, t, t)
		ColSum(square, t, n, d)
	})
}

// ColumnDots adds the column sums of g∘(x - mean) and of g to dot and sum, each of d
// elements; g and x are rows×d. Rows are added in blocks of fixed size.
func ColumnDots(dot, sum, g, x, mean []float32, rows, d int) {
	overBlocks(rows, d, func(at, n int, t []float32) {
		BinaryRow(Sub, t, x[at:at+n*d], mean)
		Binary(Mul, t, t, g[at:at+n*d])
		ColSum(dot, t, n, d)
		ColSum(sum, g[at:], n, d)
	})
}

// ColumnNorm sets dst = (x - mean)·scale + shift, column by column, followed by
// ReLU if relu is set; x and dst are rows×d. NaN stays NaN.
func ColumnNorm(dst, x, mean, scale, shift []float32, rows, d int, relu bool) {
	overBlocks(rows, d, func(at, n int, _ []float32) {
		y := dst[at : at+n*d]
		BinaryRow(Sub, y, x[at:at+n*d], mean)
		BinaryRow(Mul, y, y, scale)
		BinaryRow(Add, y, y, shift)
		if relu {
			Unary(ReLU, y, y, 0, 0)
		}
	})
}

// ColumnNormGrad sets dst = (g + (x - mean)·along + shift)·scale, column by column;
// g, x and dst are rows×d.
func ColumnNormGrad(dst, g, x, mean, along, shift, scale []float32, rows, d int) {
	overBlocks(rows, d, func(at, n int, _ []float32) {
		y := dst[at : at+n*d]
		BinaryRow(Sub, y, x[at:at+n*d], mean)
		BinaryRow(Mul, y, y, along)
		BinaryRow(Add, y, y, shift)
		Binary(Add, y, y, g[at:at+n*d])
		BinaryRow(Mul, y, y, scale)
	})
}
