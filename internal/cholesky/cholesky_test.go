package cholesky

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The matrix times a solution gives the right side, also if the upper triangle has other numbers.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 9, 40} {
		root := make([]float64, n*n)
		for i := range root {
			root[i] = r.NormFloat64()
		}
		a, whole := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				whole[i*n+j] = Dot(root[i*n:][:n], root[j*n:])
				if i == j {
					whole[i*n+j] += 0.1
				}
				if a[i*n+j] = whole[i*n+j]; j > i {
					a[i*n+j] = math.NaN()
				}
			}
		}
		b := make([]float64, n)
		for i := range b {
			b[i] = r.NormFloat64()
		}
		x := append([]float64(nil), b...)
		if !Factor(a, n) {
			t.Fatalf("%d equations: no factor", n)
		}
		Solve(a, n, x)
		for i := range n {
			if got := Dot(whole[i*n:][:n], x); !(math.Abs(got-b[i]) < 1e-9) {
				t.Errorf("%d equations: row %d times the solution is %v, want %v", n, i, got, b[i])
			}
		}
	}
}

func TestFactorNeedsPositiveDefinite(t *testing.T) {
	for name, a := range map[string][]float64{
		"zero": {0}, "negative": {-1}, "singular": {1, 0, 1, 1}, "indefinite": {1, 0, 2, 1}, "not a number": {math.NaN()},
	} {
		if n := int(math.Sqrt(float64(len(a)))); Factor(a, n) {
			t.Errorf("%s: there is a factor %v", name, a)
		}
	}
}
