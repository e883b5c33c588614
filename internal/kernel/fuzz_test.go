package kernel

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"
)

// Every kernel has a fuzz target, which the seeds also run as an ordinary test. A
// target decodes a problem from the bytes and says what each element of the result
// must be; the check below runs it at every level of the machine, several times: in
// one piece and in parts, in place where that is allowed, in memory of varying
// alignment. It demands
//
//   - the same numbers from all runs of one level;
//   - the same numbers from AVX2 and AVX-512;
//   - the same numbers from portable code too, where doc.go promises them (exact),
//     and otherwise numbers within a bound that rounding explains (near), NaN and
//     infinities included;
//   - untouched inputs and untouched memory around every slice (see memory).
//
// "The same number" means the same bits, the sign of zeros included, except that
// all NaN are the same: which of two NaN operands a sum returns is not defined.

// targets are the fuzz targets of the exported functions.
var targets = map[string]func(*testing.F){
	"Binary": FuzzBinary, "BinaryScalar": FuzzBinaryScalar, "BinaryRow": FuzzBinaryRow, "BinaryCol": FuzzBinaryCol,
	"ReLUGrad": FuzzReLUGrad, "Unary": FuzzUnary, "Adam": FuzzAdam,
	"Sum": FuzzSum, "Dot": FuzzDot, "ColSum": FuzzColSum, "RowSum": FuzzRowSum,
	"SoftmaxRows": FuzzSoftmaxRows, "LogSoftmaxRows": FuzzLogSoftmaxRows,
	"LayerNorm": FuzzLayerNorm, "LayerNormGrad": FuzzLayerNormGrad, "LayerNormParamGrad": FuzzLayerNormParamGrad,
	"ColumnMoments": FuzzColumnMoments, "ColumnDots": FuzzColumnDots, "ColumnNorm": FuzzColumnNorm, "ColumnNormGrad": FuzzColumnNormGrad,
	"SegmentMax": FuzzSegmentMax, "SegmentMaxShare": FuzzSegmentMaxShare, "SegmentSoftmax": FuzzSegmentSoftmax,
	"SegmentStats": FuzzSegmentStats, "SegmentStatsGrad": FuzzSegmentStatsGrad,
	"Ranks": FuzzRanks, "Transpose": FuzzTranspose, "GatherRows": FuzzGatherRows,
	"SpMM.Rows": FuzzSpMM, "SDDMM.Range": FuzzSDDMM, "SpMMHeads.Rows": FuzzSpMMHeads, "SDDMMHeads.Range": FuzzSDDMMHeads,
	"SpGEMM.Rows": FuzzSpGEMM, "TwoHop.Blocks": FuzzTwoHop, "Gemm.Rows": FuzzGemm,
	"EdgeMessages.Rows": FuzzEdgeMessages, "EdgeDots.Range": FuzzEdgeDots,
	"ExactSum.Rows": FuzzExactSum, "FixedShift": FuzzExactSum, "AddFixed": FuzzExactSum, "FromFixed": FuzzExactSum, "Greatest": FuzzExactSum,
	"SegmentMaxSplit": FuzzSegmentMaxSplit, "SegmentMaxCollect": FuzzSegmentMaxCollect,
}

// notKernels are exported functions that do not read or write numbers.
var notKernels = map[string]string{
	"Level":   "names the level",
	"FMALoop": "works in registers, to measure their speed",
}

// seeds is the number of problems of a target in a normal run.
func seeds() uint64 {
	switch {
	case raceDetector:
		return 8
	case testing.Short():
		return 15
	}
	return 80
}

// fuzz turns a function that decodes and checks one problem into a fuzz target.
func fuzz(f *testing.F, problem func(c *check)) {
	for seed := range seeds() {
		f.Add(seed, []byte{})
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		c := &check{T: t, source: newSource(seed, data)}
		c.memory = &memory{place: c.source.rand}
		defer func() { setLevel(detected) }()
		problem(c)
	})
}

// check checks one problem.
type check struct {
	*testing.T
	source
	*memory
	what string // description of the problem for messages
}

// describe sets the description of the problem.
func (c *check) describe(format string, args ...any) { c.what = fmt.Sprintf(format, args...) }

// attempt is one run of the kernel, with new memory.
type attempt struct {
	*check
	parts bool // divide the work
	onto  int  // write the result into operand 1 or 2, or into neither
}

// cut calls f on ranges that cover [0,n).
func (a *attempt) cut(n int, f func(lo, hi int)) {
	if !a.parts {
		f(0, n)
		return
	}
	splits(a.rand, n, f)
}

// out returns memory for a result of n elements. Its content is undefined.
func (a *attempt) out(n int) []float32 { return a.floats(n) }

// inout returns a copy of x that the kernel may change.
func (a *attempt) inout(x []float32) []float32 {
	y := a.floats(len(x))
	copy(y, x)
	return y
}

// over returns the memory for the result and the slices to read in place of the operands x and y.
// In a run in place, one of them is the memory of the result. y may be nil.
func (a *attempt) over(x, y []float32) (dst, x1, y1 []float32) {
	switch {
	case a.onto == 1:
		dst = a.inout(x)
		return dst, dst, y
	case a.onto == 2 && y != nil:
		dst = a.inout(y)
		return dst, x, dst
	}
	return a.out(len(x)), x, y
}

// exact requires the same numbers at every level.
func (c *check) exact(want []float32, run func(a *attempt) []float32) {
	c.Helper()
	c.levels(run, func(what string, got []float32) { sameNumbers(c.T, what, got, want) })
}

// bound is the error that near allows: |got - want| ≤ slack in float64. Two special values of slack
// allow anything, or any result that is not finite.
type bound struct {
	want, slack []float64
	zeros       bool // the sign of a zero counts
}

const notFinite = -1 // slack of a result that must be NaN or infinite

var anything = math.Inf(1) // slack if a step may overflow at some levels

// near requires numbers within a bound at every level, and the same numbers at the vector levels.
func (c *check) near(b bound, run func(a *attempt) []float32) {
	c.Helper()
	var vector []float32
	c.levels(run, func(what string, got []float32) {
		c.Helper()
		if len(got) != len(b.want) {
			c.Fatalf("%s: %d elements, want %d", what, len(got), len(b.want))
		}
		for i, g := range got {
			if !b.allows(i, float64(g)) {
				c.Fatalf("%s: element %d is %v (%#x), want %v within %g", what, i, g, math.Float32bits(g), b.want[i], b.slack[i])
			}
		}
		if level == levelGeneric {
			return
		}
		if vector != nil {
			sameNumbers(c.T, what+", both vector levels", got, vector)
		}
		vector = got
	})
}

// overflow is the smallest number that is rounded to infinity.
const overflow = math.MaxFloat32 * (1 + 0x1p-25)

func (b bound) allows(i int, got float64) bool {
	want, slack := b.want[i], b.slack[i]
	switch {
	case math.IsInf(slack, 1):
		return true
	case slack == notFinite:
		return math.IsNaN(got) || math.IsInf(got, 0)
	case math.IsNaN(want) || math.IsNaN(got):
		return math.IsNaN(want) == math.IsNaN(got)
	case got == 0 && want == 0 && b.zeros:
		return math.Signbit(got) == math.Signbit(want)
	case math.IsInf(got, 0):
		return want == got || math.Copysign(1, want) == math.Copysign(1, got) && math.Abs(want)+slack >= overflow
	}
	return got == float64(float32(want)) || math.Abs(got-want) <= slack
}

// levels runs the kernel at every level in different ways, and passes the result of each level to
// see.
func (c *check) levels(run func(a *attempt) []float32, see func(what string, got []float32)) {
	c.Helper()
	c.hold()
	for l := levelGeneric; l <= levelAVX512; l++ {
		if !setLevel(l) {
			continue
		}
		var first []float32
		for _, a := range []attempt{{}, {parts: true}, {onto: 1}, {parts: true, onto: 2}} {
			a.check = c
			what := fmt.Sprintf("%s, level %v, in parts %v, onto operand %d", c.what, l, a.parts, a.onto)
			got := a.result(what, run)
			c.inspect(c.T, what)
			if first == nil {
				first = got
				see(what, got)
			}
			sameNumbers(c.T, what+", against one piece", got, first)
		}
	}
}

// result returns a copy of the kernel's result. If the kernel panics, or faults at a page that
// cannot be read, the test fails with the description of the problem.
func (a *attempt) result(what string, run func(a *attempt) []float32) []float32 {
	a.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			a.Fatalf("%s: %v\n%s", what, r, debug.Stack())
		}
	}()
	return append([]float32{}, run(a)...)
}

// sameNumbers is sameBits, but all NaN are equal.
func sameNumbers(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if math.Float32bits(g) != math.Float32bits(w) && (g == g || w == w) {
			t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)", what, i, g, math.Float32bits(g), w, math.Float32bits(w))
		}
	}
}
