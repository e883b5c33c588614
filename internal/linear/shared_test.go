package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The fit finds the weights from which the labels were drawn, and the derivatives are 0 there.
func TestShared(t *testing.T) {
	const rows, classes = 4000, 7
	want, r := []float64{1.5, -0.7}, rand.New(rand.NewPCG(1, 2))
	of := [][]int32{{0, 1, 2, 3, 4, 5, 6}, {7, 8, 9, -1, 10, 11, 12}}
	x := Columns{K: 13}
	var class []int32
	for range rows {
		row := make([]float32, x.K)
		for i := range row {
			row[i] = float32(r.NormFloat64())
		}
		best, most := 0, math.Inf(-1)
		for c := range classes {
			z := -math.Log(-math.Log(r.Float64())) // Gumbel noise gives each class its softmax probability of being the best
			if c == 2 {
				z += 0.5
			}
			for f, w := range want {
				if k := of[f][c]; k >= 0 {
					z += w * float64(row[k])
				}
			}
			if z > most {
				best, most = c, z
			}
		}
		x.X, class = append(x.X, row...), append(class, int32(best))
	}
	weight, bias, err := Shared(x, of, class, classes, Options{Penalty: 1, Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	for f, w := range want {
		if math.Abs(weight[f]-w) > 0.1 {
			t.Errorf("weight %d is %v, want %v", f, weight[f], w)
		}
	}
	if rest := bias[2] - bias[3]; math.Abs(rest-0.5) > 0.2 {
		t.Errorf("the bias of class 2 is %v above that of class 3, want 0.5", rest)
	}
	again, _, err := Shared(x, of, class, classes, Options{Penalty: 1, Threads: 1})
	if err != nil || !slices.Equal(weight, again) {
		t.Errorf("with one thread the weights are %v, with three %v, %v", again, weight, err)
	}
}

// The derivatives are those of the objective.
func TestSharedDerivatives(t *testing.T) {
	p := &shared{Columns{[]float32{0.5, -1, 2, 0.25, 1, 1, -0.5, 3}, 4}, [][]int32{{0, 1, 2}, {3, -1, 0}},
		&crossEntropy{class: []int32{2, 0}, classes: 3, share: make([]float64, 6)}, nil, 0}
	at := []float64{0.3, -0.2, 0.1, 0, 0.4}
	n := len(at)
	sums := func(at []float64) []float64 {
		out := make([]float64, n*n+n+1)
		for row := range p.loss.class {
			p.add(out, at, row)
		}
		return out
	}
	all := sums(at)
	for i := range at {
		const h = 1e-5
		up, down := slices.Clone(at), slices.Clone(at)
		up[i] += h
		down[i] -= h
		a, b := sums(up), sums(down)
		if got, want := all[n*n+i], (a[n*n+n]-b[n*n+n])/(2*h); math.Abs(got-want) > 1e-8 {
			t.Errorf("derivative %d is %v, want %v", i, got, want)
		}
		for k := range i + 1 {
			if got, want := all[i*n+k], (a[n*n+k]-b[n*n+k])/(2*h); math.Abs(got-want) > 1e-8 {
				t.Errorf("second derivative %d, %d is %v, want %v", i, k, got, want)
			}
		}
	}
}
