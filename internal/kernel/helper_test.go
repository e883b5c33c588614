package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// eachLevel runs f once for every instruction set of this machine.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for l := levelGeneric; l <= levelAVX512; l++ {
		t.Run(l.String(), func(t *testing.T) {
			withLevel(t, l)
			f(t)
		})
	}
}

// withLevel selects the code to run until the end of the test.
func withLevel(tb testing.TB, l simdLevel) {
	tb.Helper()
	old := level
	if !setLevel(l) {
		tb.Skipf("no %v on this machine or in this build", l)
	}
	tb.Cleanup(func() { setLevel(old) })
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

// randn returns n normal values in a slice that is not aligned to any vector.
func randn(r *rand.Rand, n int) []float32 {
	s := make([]float32, n+3)[1 : n+1 : n+1]
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

// ids returns k indices below n.
func ids(r *rand.Rand, k, n int) []int32 {
	s := make([]int32, k)
	for i := range s {
		s[i] = r.Int32N(int32(n))
	}
	return s
}

// pointers returns segment bounds of n segments with up to most entries, some
// of them empty.
func pointers(r *rand.Rand, n, most int) []int32 {
	p := make([]int32, n+1)
	for i := range n {
		p[i+1] = p[i] + max(0, r.Int32N(int32(most)+2)-1)
	}
	return p
}

// close32 fails unless got is near want: within tol times the scale of each element. A nil scale
// means 1 + |want|. NaN and infinities must match.
func close32(t *testing.T, what string, got []float32, want, scale []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		s := 1 + math.Abs(w)
		if scale != nil {
			s = scale[i]
		}
		g := float64(got[i])
		if w32 := float64(float32(w)); g == w32 || math.IsNaN(w) && math.IsNaN(g) {
			continue
		}
		if !(math.Abs(g-w) <= tol*s) {
			t.Fatalf("%s: element %d is %v, want %v (tolerance %g)", what, i, g, w, tol*s)
		}
	}
}

// sameBits fails unless the slices have the same bits.
func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.Float32bits(got[i]) != math.Float32bits(w) {
			t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)", what, i,
				got[i], math.Float32bits(got[i]), w, math.Float32bits(w))
		}
	}
}

// splits calls f on consecutive random ranges that cover [0,n).
func splits(r *rand.Rand, n int, f func(lo, hi int)) {
	for lo := 0; lo < n; {
		hi := min(n, lo+1+r.IntN(max(1, n/2)))
		f(lo, hi)
		lo = hi
	}
}

// variants lists the numbers below n, or some of them in a short run.
func variants(n int) []int {
	step := 1
	if testing.Short() {
		step = 5
	}
	var v []int
	for i := 0; i < n; i += step {
		v = append(v, i)
	}
	return v
}

func clone(s []float32) []float32 { return append([]float32(nil), s...) }

func name(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// detected is the level that this machine uses by default.
var detected = level
