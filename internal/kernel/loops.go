package kernel

// loops are the element-wise kernels and whole-slice reductions of one
// instruction set. Slices of one call have one length, which the caller has
// checked: vector code looks only at the first.
type loops struct {
	binary   [4]func(dst, x, y []float32)                // Add to Div
	scalar   [RDiv + 1]func(dst, x []float32, s float32) // all but Sub
	axpy     func(dst []float32, a float32, x []float32)
	reluGrad func(dst, g, y []float32)
	max      func(dst, x, y []float32) // max(x, y+0), where +0 turns -0 into 0; NaN if either is
	expSub   func(dst, x, y []float32) // e^(x-y)
	markMax  func(dst, n, x, m []float32)

	unary [Rsqrt + 1]func(dst, x []float32, a, b float32)

	sum       func(x []float32) float32
	dot       func(x, y []float32) float32
	maxOf     func(x []float32) float32                 // NaN if there is one, -Inf for none
	expSum    func(x []float32, m float32) float32      // Σ e^(x-m)
	expSubSum func(dst, x []float32, m float32) float32 // the same, dst = e^(x-m)

	// The two loops of a softmax over segments of rows of at most eight columns;
	// see segmentShift and segmentScale.
	segmentShift func(e, x []float32, ptr, perm []int32, d int)
	segmentScale func(dst, e []float32, ptr, perm []int32, d int, eps float32)

	flat *flatLoops // the same for many short segments at once, or nil

	// Layer normalisation of rows; no slice is nil.
	layerNorm          func(dst, x, weight, bias []float32, rows, d int, eps float32)
	layerNormGrad      func(dst, g, x, weight []float32, rows, d int, eps float32)
	layerNormParamGrad func(weight, bias, g, x []float32, rows, d int, eps float32)

	adam func(w, g, m, v []float32, c *adamCoef)
}

// flatLoops are loops over the rows of many segments. Arrays with a row per segment
// s (top, sum, factor) have softmaxNarrow columns, and at[k] is the offset in bytes
// of the row for the segment of k. perm[k] is the number of row k in arrays that
// are not packed; nil means k.
type flatLoops struct {
	tops  func(top, x []float32, at, perm []int32, d int)         // top[s] = max(top[s], x[k])
	less  func(e, x, top []float32, at, perm []int32, d int)      // e[k] = x[k] - top[s]
	add   func(sum, e []float32, at, perm []int32, d int)         // sum[s] += e[k]
	times func(dst, e, factor []float32, at, perm []int32, d int) // dst[k] = e[k]·factor[s]
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

	segmentShift: segmentShift,
	segmentScale: segmentScale,

	layerNorm:          layerNorm,
	layerNormGrad:      layerNormGrad,
	layerNormParamGrad: layerNormParamGrad,

	adam: adam,
}
