package kernel

// BinaryOp names an element-wise operation of two operands.
type BinaryOp uint8

// The binary operations; the R forms take their operands the other way round.
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
	binaryLoops[op](dst, x, y)
}

// BinaryRow sets dst = x op row, where x is n×len(row) and row is repeated for
// each of its rows.
func BinaryRow(op BinaryOp, dst, x, row []float32) {
	d := len(row)
	if d == 1 {
		BinaryScalar(op, dst, x, row[0])
		return
	}
	for i := 0; i+d <= len(x) && d > 0; i += d {
		Binary(op, dst[i:i+d], x[i:i+d], row)
	}
}

// BinaryCol sets dst = x op col, where x is len(col)×d and element i of col is
// used for all of row i.
func BinaryCol(op BinaryOp, dst, x, col []float32, d int) {
	if d == 1 {
		Binary(op, dst, x, col)
		return
	}
	for i, s := range col {
		BinaryScalar(op, dst[i*d:(i+1)*d], x[i*d:(i+1)*d], s)
	}
}

// BinaryScalar sets dst = x op s.
func BinaryScalar(op BinaryOp, dst, x []float32, s float32) {
	if op == Sub {
		op, s = Add, -s
	}
	scalarLoops[op](dst, x, s)
}

// Axpy adds a·x to dst. The product is rounded before the addition.
func Axpy(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += float32(a * v)
	}
}

// ReLUGrad sets dst to g where y > 0 and to 0 elsewhere. dst may be g or y.
func ReLUGrad(dst, g, y []float32) {
	g, y = g[:len(dst)], y[:len(dst)]
	for i, v := range g {
		if !(y[i] > 0) {
			v = 0
		}
		dst[i] = v
	}
}

var binaryLoops = [...]func(dst, x, y []float32){Add: addVV, Sub: subVV, Mul: mulVV, Div: divVV}

var scalarLoops = [...]func(dst, x []float32, s float32){
	Add: addVS, Mul: mulVS, Div: divVS, RSub: rsubVS, RDiv: rdivVS,
}

func addVV(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subVV(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func mulVV(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func divVV(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func addVS(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s
	}
}

func mulVS(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * s
	}
}

func divVS(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / s
	}
}

func rsubVS(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s - x[i]
	}
}

func rdivVS(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s / x[i]
	}
}
