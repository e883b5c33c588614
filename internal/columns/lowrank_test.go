package columns

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// At the least sum of squares the gradient is 0, for fewer rows than weights and for more.
func TestRidge(t *testing.T) {
	const rank = 8
	r := rng.Stream(1, "ridge")
	for _, penalty := range []float64{1e-6, 0.5, 40} {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 40} {
			x, z, w := make([][]float64, n), make([]float64, n), make([]float64, rank)
			for i := range x {
				z[i] = r.NormFloat64()
				for range rank {
					x[i] = append(x[i], r.NormFloat64())
				}
			}
			ridge(w, x, z, penalty, make([]float64, rank*rank), make([]float64, rank))
			for j := range w {
				g := penalty * w[j]
				for i, row := range x {
					rest := -z[i]
					for k, v := range row {
						rest += w[k] * v
					}
					g += rest * row[j]
				}
				if math.Abs(g) > 1e-9*(1+float64(n)) {
					t.Errorf("%d rows, penalty %v: gradient %v of number %d, expected 0", n, penalty, g, j)
				}
			}
		}
	}
}
