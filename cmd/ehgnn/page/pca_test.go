package page

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Vectors that vary by 3, 2 and 1 along known directions are projected on the first two.
func TestPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const n = 4000
	var vectors []float32
	truth := make([][2]float64, n)
	for i := range n {
		a, b, c := 3*random.NormFloat64(), 2*random.NormFloat64(), random.NormFloat64()
		truth[i] = [2]float64{a, b}
		r := math.Sqrt2
		vectors = append(vectors, float32((a+b)/r+10), float32((a-b)/r), float32(c))
	}
	points, share := plane(vectors, 3)
	for k, want := range []float64{9. / 14, 4. / 14} {
		if math.Abs(share[k]-want) > 0.02 {
			t.Errorf("share %d is %.3f, want %.3f", k, share[k], want)
		}
		dot, own, other := 0.0, 0.0, 0.0
		for i := range n {
			dot, own, other = dot+points[i][k]*truth[i][k], own+points[i][k]*points[i][k], other+truth[i][k]*truth[i][k]
		}
		if r := math.Abs(dot) / math.Sqrt(own*other); r < 0.99 {
			t.Errorf("axis %d has correlation %.3f with the truth", k, r)
		}
	}
}

// Vectors that are all equal, or vary along a line only, have fewer axes.
func TestPlaneDegenerate(t *testing.T) {
	for _, c := range []struct {
		vectors []float32
		want    [2]float64
	}{{[]float32{1, 2, 1, 2, 1, 2}, [2]float64{0, 0}}, {[]float32{0, 0, 1, 1, 2, 2}, [2]float64{1, 0}}, {[]float32{5, 5}, [2]float64{0, 0}}} {
		points, share := plane(c.vectors, 2)
		if math.Abs(share[0]-c.want[0]) > 1e-9 || math.Abs(share[1]-c.want[1]) > 1e-9 || len(points) != len(c.vectors)/2 {
			t.Errorf("%v: shares %v of %d points", c.vectors, share, len(points))
		}
		for _, p := range points {
			if math.IsNaN(p[0] + p[1]) {
				t.Errorf("%v: a point at %v", c.vectors, p)
			}
		}
	}
}
