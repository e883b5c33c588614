package linear

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkLogistic fits two classes on 40,000 rows and 250 columns. A tenth of the values are not 0.
func BenchmarkLogistic(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n, k = 40_000, 250
	x, y := make([]float32, n*k), make([]int32, n)
	for i := range y {
		z := r.NormFloat64()
		for j := range k {
			if j < k/5 || r.IntN(10) == 0 {
				v := r.NormFloat64()
				x[i*k+j] = float32(v)
				z += v * float64(j%3-1) / 5
			}
		}
		if z > 1 {
			y[i] = 1
		}
	}
	for b.Loop() {
		if _, err := Logistic(Columns{X: x, K: k}, y, 2, Options{Penalty: 1, Threads: 2}); err != nil {
			b.Fatal(err)
		}
	}
}
