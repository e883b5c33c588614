package kernel

// loops are the element-wise kernels and whole-slice reductions of one
// instruction set. Slices of one call have one length, which the caller has
// checked: vector code looks only at the first.
type loops struct {
	binary   [4]func(dst, x, y []float32)                // Add to Div
	scalar   [RDiv + 1]func(dst, x []float32, s float32) // all but Sub
	axpy     func(dst []float32, a float32, x []float32)
	reluGrad func(dst, g, y []float32)
	max      func(dst, x, y []float32) // NaN if either is
	expSub   func(dst, x, y []float32) // e^(x-y)
	markMax  func(dst, n, x, m []float32)

	unary [Rsqrt + 1]func(dst, x []float32, a, b float32)

	sum       func(x []float32) float32
	dot       func(x, y []float32) float32
	maxOf     func(x []float32) float32                 // NaN if there is one, -Inf for none
	expSum    func(x []float32, m float32) float32      // Σ e^(x-m)
	expSubSum func(dst, x []float32, m float32) float32 // the same, dst = e^(x-m)

	adam func(w, g, m, v []float32, c *adamCoef)
}

// current are the loops in use.
var current = loopsOf(level)

var genericLoops = loops{
	binary:   [...]func(dst, x, y []float32){Add: add, Sub: sub, Mul: mul, Div: div},
	scalar:   [...]func(dst, x []float32, s float32){Add: addScalar, Mul: mulScalar, Div: divScalar, RSub: rsubScalar, RDiv: rdivScalar},
	axpy:     axpy,
	reluGrad: reluGrad,
	max:      maxEach,
	expSub:   expSub,
	markMax:  markMax,
	unary: [...]func(dst, x []float32, a, b float32){
		Neg: neg, Abs: abs, Sign: sign, Square: square, Sqrt: sqrt, Exp: exp, Log: log,
		Sigmoid: sigmoid, Tanh: tanh, Softplus: softplus, ReLU: relu, Step: step,
		LeakyReLU: leakyReLU, LeakyStep: leakyStep, Clamp: clamp, InRange: inRange,
		PowA: powA, Recip: recip, Rsqrt: rsqrt,
	},
	sum:       sum,
	dot:       dot,
	maxOf:     maxOf,
	expSum:    expSum,
	expSubSum: expSubSum,
	adam:      adam,
}
