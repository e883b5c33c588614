package kernel

import (
	"math"
	"testing"
)

// lengths reach the unrolled loop, the single steps and the masked end at every instruction level.
var lengths = []int{0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 95, 128, 131, 200}

// special values are placed among random ones.
var special = []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.NaN()),
	float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32,
	math.SmallestNonzeroFloat32, -3e-42, 1.1754944e-38, 0.5, 1e-20, 1e20}

// mixed is randn with a third of special values.
func mixed(seed uint64, n int) []float32 {
	r := newRand(seed)
	s := randn(r, n)
	for i := range s {
		if r.IntN(3) == 0 {
			s[i] = special[r.IntN(len(special))]
		}
	}
	return s
}

var binaryOracle = map[BinaryOp]func(x, y float32) float32{
	Add:  func(x, y float32) float32 { return x + y },
	Sub:  func(x, y float32) float32 { return x - y },
	Mul:  func(x, y float32) float32 { return x * y },
	Div:  func(x, y float32) float32 { return x / y },
	RSub: func(x, y float32) float32 { return y - x },
	RDiv: func(x, y float32) float32 { return y / x },
}

// equal compares by value. Every operation here is rounded once, so there is no tolerance. Both
// zeros are equal, and so are all NaN.
func equal(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g != w && (g == g || w == w) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}

func TestBinary(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for op, f := range binaryOracle {
			for _, n := range lengths {
				x, y := mixed(uint64(n), n), mixed(uint64(n)+1, n)
				dst, want := make([]float32, n), make([]float32, n)
				for i := range want {
					want[i] = f(x[i], y[i])
				}
				Binary(op, dst, x, y)
				equal(t, name("op %d n=%d", op, n), dst, want)
				a := clone(x)
				Binary(op, a, a, y)
				equal(t, name("op %d n=%d, dst = x", op, n), a, want)
				a = clone(y)
				Binary(op, a, x, a)
				equal(t, name("op %d n=%d, dst = y", op, n), a, want)
			}
		}
	})
}

func TestBroadcast(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for op, f := range binaryOracle {
			for _, rows := range []int{0, 1, 2, 3, 40} {
				for _, d := range []int{0, 1, 2, 3, 7, 16, 33, 64, 65, 130} {
					n := rows * d
					x, row, col := mixed(1, n), mixed(2, d), mixed(3, rows)
					byRow, byCol, byScalar := make([]float32, n), make([]float32, n), make([]float32, n)
					for i := range n {
						byRow[i], byCol[i], byScalar[i] = f(x[i], row[i%d]), f(x[i], col[i/d]), f(x[i], 1.7)
					}
					what := name("op %d %dx%d", op, rows, d)
					dst := make([]float32, n)
					BinaryRow(op, dst, x, row)
					equal(t, what+" row", dst, byRow)
					BinaryCol(op, dst, x, col, d)
					equal(t, what+" column", dst, byCol)
					BinaryScalar(op, dst, x, 1.7)
					equal(t, what+" scalar", dst, byScalar)
					dst = clone(x)
					BinaryRow(op, dst, dst, row)
					equal(t, what+" row in place", dst, byRow)
					dst = clone(x)
					BinaryCol(op, dst, dst, col, d)
					equal(t, what+" column in place", dst, byCol)
				}
			}
		}
	})
}

func TestAxpy(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			x, dst := mixed(1, n), mixed(2, n)
			want := make([]float32, n)
			for i := range want {
				want[i] = dst[i] + float32(-1.3*x[i])
			}
			current.axpy(dst, -1.3, x)
			equal(t, name("n=%d", n), dst, want)
		}
	})
}

func TestReLUGrad(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			g, y := mixed(1, n), mixed(2, n)
			want := make([]float32, n)
			for i := range want {
				if y[i] > 0 {
					want[i] = g[i]
				}
			}
			ReLUGrad(g, g, y)
			equal(t, name("n=%d", n), g, want)
		}
	})
}

// TestElementwiseSplits checks that the value of an element does not depend on its position in a
// slice.
func TestElementwiseSplits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const n = 203
		x, y := mixed(1, n), mixed(2, n)
		whole, parts := make([]float32, n), make([]float32, n)
		for op := Add; op <= RDiv; op++ {
			Binary(op, whole, x, y)
			splits(newRand(uint64(op)), n, func(lo, hi int) { Binary(op, parts[lo:hi], x[lo:hi], y[lo:hi]) })
			sameBits(t, name("binary %d", op), parts, whole)
			BinaryScalar(op, whole, x, 0.3)
			splits(newRand(uint64(op)), n, func(lo, hi int) { BinaryScalar(op, parts[lo:hi], x[lo:hi], 0.3) })
			sameBits(t, name("scalar %d", op), parts, whole)
		}
		for op := Neg; op <= Rsqrt; op++ {
			Unary(op, whole, x, -0.5, 0.7)
			splits(newRand(uint64(op)), n, func(lo, hi int) { Unary(op, parts[lo:hi], x[lo:hi], -0.5, 0.7) })
			sameBits(t, name("unary %d", op), parts, whole)
		}
	})
}

func BenchmarkElementwise(b *testing.B) {
	cases := []struct {
		name  string
		bytes int // per element
		f     func(w, x, y, z, row []float32)
	}{
		{"Add", 12, func(w, x, y, z, _ []float32) { Binary(Add, w, x, y) }},
		{"Div", 12, func(w, x, y, z, _ []float32) { Binary(Div, w, x, y) }},
		{"AddRow", 8, func(w, x, y, z, row []float32) { BinaryRow(Add, w, x, row) }},
		{"AddRow16", 8, func(w, x, y, z, row []float32) { BinaryRow(Add, w, x, row[:16]) }},
		{"Axpy", 12, func(w, x, y, z, _ []float32) { current.axpy(w, 0.1, x) }},
		{"ReLU", 8, func(w, x, y, z, _ []float32) { Unary(ReLU, w, x, 0, 0) }},
		{"ReLUGrad", 12, func(w, x, y, z, _ []float32) { ReLUGrad(w, x, y) }},
		{"Exp", 8, func(w, x, y, z, _ []float32) { Unary(Exp, w, x, 0, 0) }},
		{"Log", 8, func(w, x, y, z, _ []float32) { Unary(Log, w, x, 0, 0) }},
		{"Sigmoid", 8, func(w, x, y, z, _ []float32) { Unary(Sigmoid, w, x, 0, 0) }},
		{"Tanh", 8, func(w, x, y, z, _ []float32) { Unary(Tanh, w, x, 0, 0) }},
		{"Softplus", 8, func(w, x, y, z, _ []float32) { Unary(Softplus, w, x, 0, 0) }},
		{"Sum", 4, func(w, x, y, z, _ []float32) { Sum(x) }},
		{"Dot", 8, func(w, x, y, z, _ []float32) { Dot(x, y) }},
		{"ColSum128", 4, func(w, x, y, z, row []float32) { ColSum(row, x, len(x)/128, 128) }},
		{"RowSum128", 4, func(w, x, y, z, row []float32) { RowSum(w, x, len(x)/128, 128) }},
		{"Softmax128", 8, func(w, x, y, z, row []float32) { SoftmaxRows(w, x, len(x)/128, 128) }},
		{"Softmax7", 8, func(w, x, y, z, row []float32) { SoftmaxRows(w, x, len(x)/7, 7) }},
		{"Transpose128", 8, func(w, x, y, z, row []float32) { Transpose(w, x, len(x)/128, 128) }},
		{"Adam", 28, func(w, x, y, z, row []float32) {
			Adam(w, x, y, z, AdamStep{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Bias1: 1, Bias2: 1})
		}},
	}
	for _, c := range cases {
		for _, n := range []int{600 * 32, 5000 * 128} {
			for l := levelGeneric; l <= levelAVX512; l++ {
				b.Run(name("%s/%d/%v", c.name, n, l), func(b *testing.B) {
					withLevel(b, l)
					r := newRand(1)
					w, x, y, z, row := randn(r, n), randn(r, n), randn(r, n), make([]float32, n), randn(r, 128)
					b.SetBytes(int64(c.bytes * n))
					for b.Loop() {
						c.f(w, x, y, z, row)
					}
				})
			}
		}
	}
}
