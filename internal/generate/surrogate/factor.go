package surrogate

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/par"
)

// block is the number of columns in a panel of the factorisation.
const block = 64

// factor is the Cholesky factor L of a matrix [n,n], L·Lᵀ = K, in panels: panel p has the columns
// [64p, 64p+64) of the rows from 64p on, row by row.
type factor struct {
	n      int
	panels [][]float32
	// inverse has the inverses of the blocks on the diagonal.
	inverse [][]float32
}

func (f *factor) width(p int) int { return min(block, f.n-p*block) }
func (f *factor) below(p int) int { return f.n - p*block - f.width(p) }

// factorise factorises the symmetric matrix k, stored by rows, with a number added to its diagonal.
// It returns false if the matrix is not positive definite.
func factorise(pool *par.Pool, k []float32, n int, diagonal float64) (*factor, bool) {
	f := &factor{n: n}
	for p := 0; p*block < n; p++ {
		w, first := f.width(p), p*block
		panel := make([]float32, (n-first)*w)
		for i := first; i < n; i++ {
			copy(panel[(i-first)*w:], k[i*n+first:i*n+first+w])
			if i < first+w {
				panel[(i-first)*w+i-first] += float32(diagonal)
			}
		}
		f.panels = append(f.panels, panel)
	}
	f.inverse = make([][]float32, len(f.panels))
	for p, panel := range f.panels {
		w, m := f.width(p), f.below(p)
		inverse, ok := invert(panel[:w*w], w)
		if !ok {
			return nil, false
		}
		f.inverse[p] = inverse
		if m == 0 {
			continue
		}
		old := append([]float32{}, panel[w*w:]...)
		multiply(pool, kernel.Gemm{C: panel[w*w:], A: old, B: inverse, M: m, N: w, K: w, TransB: true})
		rest := panel[w*w:]
		negative := make([]float32, len(rest))
		kernel.BinaryScalar(kernel.Mul, negative, rest, -1)
		// Panels to the right have separate columns, so they are updated in parallel.
		pool.Rows(len(f.panels)-p-1, 1, func(lo, hi int) {
			for q := p + 1 + lo; q < p+1+hi; q++ {
				at, wq := (q-p-1)*block, f.width(q)
				g := kernel.Gemm{C: f.panels[q], A: rest[at*w:], B: negative[at*w : (at+wq)*w], M: m - at, N: wq, K: w, TransB: true, Acc: true}
				g.Rows(0, g.M)
			}
		})
	}
	return f, true
}

// multiply computes a matrix product on all threads.
func multiply(pool *par.Pool, g kernel.Gemm) {
	pool.Tiles(g.M, kernel.GemmTile, 16, g.Rows)
}

// invert factorises a block [w,w] in place, in float64, and returns the inverse of its lower
// triangle.
func invert(a []float32, w int) ([]float32, bool) {
	l, inv := make([]float64, w*w), make([]float64, w*w)
	for i := range w {
		for j := range i + 1 {
			s := float64(a[i*w+j])
			for k := range j {
				s -= l[i*w+k] * l[j*w+k]
			}
			if i > j {
				l[i*w+j] = s / l[j*w+j]
				continue
			}
			if !(s > 0) {
				return nil, false
			}
			l[i*w+i] = math.Sqrt(s)
		}
	}
	for j := range w {
		inv[j*w+j] = 1 / l[j*w+j]
		for i := j + 1; i < w; i++ {
			s := 0.0
			for k := j; k < i; k++ {
				s -= l[i*w+k] * inv[k*w+j]
			}
			inv[i*w+j] = s / l[i*w+i]
		}
	}
	out := make([]float32, w*w)
	for i := range l {
		a[i], out[i] = float32(l[i]), float32(inv[i])
	}
	return out, true
}

// logDeterminant returns half the log-determinant of the matrix: the sum of the logarithms of the
// diagonal of L.
func (f *factor) logDeterminant() float64 {
	sum := 0.0
	for p, panel := range f.panels {
		w := f.width(p)
		for i := range w {
			sum += math.Log(float64(panel[i*w+i]))
		}
	}
	return sum
}

// dot returns the inner product of a with the first numbers of b, in four independent sums.
func dot(a []float32, b []float64) float64 {
	b = b[:len(a)]
	var s [4]float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s[0] += float64(a[i]) * b[i]
		s[1] += float64(a[i+1]) * b[i+1]
		s[2] += float64(a[i+2]) * b[i+2]
		s[3] += float64(a[i+3]) * b[i+3]
	}
	for ; i < len(a); i++ {
		s[0] += float64(a[i]) * b[i]
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// solve replaces a column b by the solution of K·x = b.
func (f *factor) solve(b []float64) {
	for p, panel := range f.panels {
		w, x := f.width(p), b[p*block:]
		for i := range w {
			for j := range i {
				x[i] -= float64(panel[i*w+j]) * x[j]
			}
			x[i] /= float64(panel[i*w+i])
		}
		for i := w; i < len(x); i++ {
			x[i] -= dot(panel[i*w:(i+1)*w], x)
		}
	}
	for p := len(f.panels) - 1; p >= 0; p-- {
		panel, w, x := f.panels[p], f.width(p), b[p*block:]
		for i := w; i < len(x); i++ {
			for j, l := range panel[i*w : (i+1)*w] {
				x[j] -= float64(l) * x[i]
			}
		}
		for i := w - 1; i >= 0; i-- {
			for j := i + 1; j < w; j++ {
				x[i] -= float64(panel[j*w+i]) * x[j]
			}
			x[i] /= float64(panel[i*w+i])
		}
	}
}

// lower replaces v [n,columns] by L⁻¹·v.
func (f *factor) lower(pool *par.Pool, v []float32, columns int) {
	for p, panel := range f.panels {
		w, m := f.width(p), f.below(p)
		here := v[p*block*columns : (p*block+w)*columns]
		old := append([]float32{}, here...)
		multiply(pool, kernel.Gemm{C: here, A: f.inverse[p], B: old, M: w, N: columns, K: w})
		if m == 0 {
			continue
		}
		kernel.BinaryScalar(kernel.Mul, old, here, -1)
		multiply(pool, kernel.Gemm{C: v[(p*block+w)*columns:], A: panel[w*w:], B: old, M: m, N: columns, K: w, Acc: true})
	}
}
