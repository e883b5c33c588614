package pool

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// Eigenvectors are orthonormal, are eigenvectors, and come in order of falling
// eigenvalue, also where eigenvalues repeat and where rows are zero.
func TestSymmetricEigen(t *testing.T) {
	r := rng.Stream(1, "eigen")
	for _, n := range []int{0, 1, 2, 3, 5, 20, 61} {
		for kind, element := range map[string]func(i, j int) float64{
			"random":   func(i, j int) float64 { return r.NormFloat64() },
			"sparse":   func(i, j int) float64 { return float64(max(0, r.IntN(8)-6)) },
			"ones":     func(i, j int) float64 { return 1 },
			"zeros":    func(i, j int) float64 { return 0 },
			"diagonal": func(i, j int) float64 { return float64(max(0, 1-(i-j)*(i-j)) * (i % 3)) },
			"path":     func(i, j int) float64 { return float64(max(0, 2-(i-j)*(i-j)) * (i - j) * (i - j)) },
			"tiny":     func(i, j int) float64 { return 1e-150 * r.NormFloat64() },
		} {
			a := make([][]float64, n)
			for i := range a {
				a[i] = make([]float64, n)
				for j := range i + 1 {
					a[i][j] = element(i, j)
					a[j][i] = a[i][j]
				}
			}
			scale := 1e-300
			for _, row := range a {
				for _, x := range row {
					scale = max(scale, math.Abs(x))
				}
			}
			work := make([][]float64, n)
			for i := range work {
				work[i] = slices.Clone(a[i])
			}
			v := symmetricEigen(work)
			last := math.Inf(1)
			for i, x := range v {
				for j, y := range v[:i+1] {
					want := 0.0
					if i == j {
						want = 1
					}
					if d := dot(x, y); math.Abs(d-want) > 1e-12 {
						t.Fatalf("%s of %d: vectors %d and %d have the product %v", kind, n, i, j, d)
					}
				}
				ax := make([]float64, n)
				for k := range a {
					ax[k] = dot(a[k], x)
				}
				lambda := dot(x, ax)
				if lambda > last+1e-12*scale*float64(n) {
					t.Errorf("%s of %d: eigenvalue %d is %v, the one before %v", kind, n, i, lambda, last)
				}
				last = lambda
				for k := range ax {
					if math.Abs(ax[k]-lambda*x[k]) > 1e-12*scale*float64(n) {
						t.Fatalf("%s of %d: vector %d is none: %v, want %v", kind, n, i, ax[k], lambda*x[k])
					}
				}
			}
		}
	}
}

func dot(x, y []float64) (s float64) {
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

// k-means gives exactly k clusters, also of points that coincide, and finds
// clusters that are far apart.
func TestKMeans(t *testing.T) {
	r := rng.Stream(2, "kmeans")
	for trial := range 100 {
		n, d := 1+r.IntN(20), 1+r.IntN(4)
		k := 1 + r.IntN(n)
		points := make([][]float64, n)
		for i := range points {
			points[i] = make([]float64, d)
			for j := range points[i] {
				points[i][j] = float64(r.IntN(3))
				if trial%3 == 0 {
					points[i][j] = 1
				}
			}
		}
		label := kmeans(points, k, rng.Stream(uint64(trial), "start"), func() {})
		used := make([]bool, k)
		for _, c := range label {
			used[c] = true
		}
		if slices.Contains(used, false) {
			t.Errorf("%d points in %d clusters: %v", n, k, label)
		}
	}
	var points [][]float64
	for i := range 30 {
		points = append(points, []float64{float64(100 * (i % 3)), r.Float64()})
	}
	label := kmeans(points, 3, rng.Stream(1, "far"), func() {})
	for i := range label {
		if label[i] != label[i%3] {
			t.Fatalf("labels %v", label)
		}
	}
}

// Cliques joined by single edges are the clusters.
func TestSpectralFindsCliques(t *testing.T) {
	const cliques, size = 4, 5
	a := affinity{n: cliques * size}
	join := func(u, v int) { a.ends, a.w = append(a.ends, int32(u), int32(v)), append(a.w, 1) }
	var nodes []int32
	for i := range a.n {
		nodes = append(nodes, int32(i))
		for j := range i {
			if i/size == j/size {
				join(j, i)
			}
		}
		if i%size == 0 && i > 0 {
			join(i-1, i)
		}
	}
	label := renumbered(a.neighbours().cluster(nodes, cliques, rng.Stream(1, "cliques"), func() {}), cliques)
	for i, k := range label {
		if int(k) != i/size {
			t.Fatalf("clusters %v", label)
		}
	}
}

func BenchmarkSpectralPartition(b *testing.B) {
	for _, n := range []int{40, 284} {
		b.Run(fmt.Sprint(n, " nodes"), func(b *testing.B) {
			r := rng.Stream(1, "bench")
			a := affinity{n: n}
			for i := 1; i < n; i++ {
				a.ends, a.w = append(a.ends, int32(i), int32(r.IntN(i)), int32(i), int32(r.IntN(i))), append(a.w, 1, 1)
			}
			for b.Loop() {
				a.partition(0, 0, func() {})
			}
		})
	}
}
