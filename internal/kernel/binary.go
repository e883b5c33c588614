package kernel

// BinaryOp names an element-wise operation of two operands.
type BinaryOp uint8

// The binary operations; the R forms have their operands exchanged.
const (
	Add  BinaryOp = iota // x + y
	Sub                  // x - y
	Mul                  // x · y
	Div                  // x / y
	RSub                 // y - x
	RDiv                 // y / x
)

// Binary sets dst = x op y for slices of one length.
func Binary(op BinaryOp, dst, x, y []float32) {
	switch op {
	case RSub:
		op, x, y = Sub, y, x
	case RDiv:
		op, x, y = Div, y, x
	}
	current.binary[op](dst, x[:len(dst)], y[:len(dst)])
}

// BinaryScalar sets dst = x op s.
func BinaryScalar(op BinaryOp, dst, x []float32, s float32) {
	if op == Sub {
		op, s = Add, -s
	}
	current.scalar[op](dst, x[:len(dst)], s)
}

// shortRow is the row length up to which broadcasting repeats the operand in a
// buffer, rather than call the loop for every row.
const shortRow = 64

// BinaryRow sets dst = x op row, where x is n×len(row) and row is repeated for
// each of its rows.
func BinaryRow(op BinaryOp, dst, x, row []float32) {
	d := len(row)
	switch {
	case d == 0:
		return
	case d == 1:
		BinaryScalar(op, dst, x, row[0])
		return
	case d <= shortRow && len(dst) > 2*d:
		buf := packPool.Get().(*packBuf)
		defer packPool.Put(buf)
		buf.a = grow(buf.a, min(len(dst), 8*shortRow)/d*d)
		for at := 0; at < len(buf.a); at += d {
			copy(buf.a[at:], row)
		}
		row = buf.a
	}
	for len(dst) > 0 {
		n := min(len(row), len(dst))
		Binary(op, dst[:n], x[:n], row[:n])
		dst, x = dst[n:], x[n:]
	}
}

// BinaryCol sets dst = x op col, where x is len(col)×d and element i of col is
// used for all of row i.
func BinaryCol(op BinaryOp, dst, x, col []float32, d int) {
	switch {
	case d == 0:
		return
	case d == 1:
		Binary(op, dst, x, col)
		return
	case d > shortRow:
		for i, s := range col {
			BinaryScalar(op, dst[i*d:(i+1)*d], x[i*d:(i+1)*d], s)
		}
		return
	}
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	rows := min(len(col), 8*shortRow/d)
	buf.a = grow(buf.a, rows*d)
	for len(col) > 0 {
		rows = min(rows, len(col))
		for i, s := range col[:rows] {
			fill(buf.a[i*d:(i+1)*d], s)
		}
		n := rows * d
		Binary(op, dst[:n], x[:n], buf.a[:n])
		dst, x, col = dst[n:], x[n:], col[rows:]
	}
}

func fill(dst []float32, s float32) {
	for i := range dst {
		dst[i] = s
	}
}

// ReLUGrad sets dst to g where y > 0 and to 0 elsewhere. dst may be g or y.
func ReLUGrad(dst, g, y []float32) { current.reluGrad(dst, g[:len(dst)], y[:len(dst)]) }
