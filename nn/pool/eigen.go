package pool

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// symmetricEigen returns the eigenvectors of a symmetric matrix as the rows of the result, by
// descending eigenvalue. a is n rows of n and is overwritten.
//
// It uses Householder reduction to tridiagonal form and the QL method with implicit shifts: tred2
// and tql2 of Bowdler, Martin, Reinsch and Wilkinson (1968), in the arrangement of JAMA. Vectors
// are rows, so that the inner loops read memory in order. O(n³), no randomness.
func symmetricEigen(a [][]float64) [][]float64 {
	n := len(a)
	if n == 0 {
		return a
	}
	d, e := make([]float64, n), make([]float64, n)
	tridiagonalise(a, d, e)
	diagonalise(a, d, e)
	order := lists.Range[int](n)
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case d[i] > d[j]:
			return -1
		case d[i] < d[j]:
			return 1
		}
		return 0
	})
	out := lists.Take(a, order)
	return out
}

// tridiagonalise writes the diagonal to d, the side diagonal to e[1:], and the accumulated
// transformation to v. Row j of v is the j-th column of tred2's V.
func tridiagonalise(v [][]float64, d, e []float64) {
	n := len(v)
	for j := range d {
		d[j] = v[j][n-1]
	}
	for i := n - 1; i > 0; i-- {
		scale, h := 0.0, 0.0
		for _, x := range d[:i] {
			scale += math.Abs(x)
		}
		if scale == 0 {
			e[i] = d[i-1]
			for j := range i {
				d[j] = v[j][i-1]
				v[j][i] = 0
				v[i][j] = 0
			}
			d[i] = h
			continue
		}
		for k := range i {
			d[k] /= scale
			h += d[k] * d[k]
		}
		f := d[i-1]
		g := math.Sqrt(h)
		if f > 0 {
			g = -g
		}
		e[i] = scale * g
		h -= f * g
		d[i-1] = f - g
		reflect(v, d, e, i, h)
		d[i] = h
	}
	accumulate(v, d)
	for j := range d {
		d[j] = v[j][n-1]
		v[j][n-1] = 0
	}
	v[n-1][n-1] = 1
	e[0] = 0
}

// reflect applies the i-th Householder reflection on both sides.
func reflect(v [][]float64, d, e []float64, i int, h float64) {
	clear(e[:i])
	for j := range i {
		f := d[j]
		v[i][j] = f
		col := v[j]
		g := e[j] + col[j]*f
		for k := j + 1; k < i; k++ {
			g += col[k] * d[k]
			e[k] += col[k] * f
		}
		e[j] = g
	}
	f := 0.0
	for j := range i {
		e[j] /= h
		f += e[j] * d[j]
	}
	half := f / (h + h)
	for j := range i {
		e[j] -= half * d[j]
	}
	for j := range i {
		f, g, col := d[j], e[j], v[j]
		for k := j; k < i; k++ {
			col[k] -= f*e[k] + g*d[k]
		}
		d[j] = col[i-1]
		col[i] = 0
	}
}

// accumulate multiplies the reflections together.
func accumulate(v [][]float64, d []float64) {
	n := len(v)
	for i := range n - 1 {
		v[i][n-1] = v[i][i]
		v[i][i] = 1
		next := v[i+1][:i+1]
		if h := d[i+1]; h != 0 {
			for k, x := range next {
				d[k] = x / h
			}
			for j := range i + 1 {
				col := v[j][:i+1]
				g := 0.0
				for k, x := range next {
					g += x * col[k]
				}
				for k := range col {
					col[k] -= g * d[k]
				}
			}
		}
		clear(next)
	}
}

// diagonalise turns the tridiagonal matrix into eigenvalues d and the rows of v into eigenvectors.
func diagonalise(v [][]float64, d, e []float64) {
	const eps = 0x1p-52
	n := len(d)
	copy(e, e[1:])
	e[n-1] = 0
	// An element is negligible relative to the whole matrix, and not to the previous rows as in
	// tql2. All rows of a matrix of low rank may be rounding errors, and some numbers are too small
	// for a rotation to have norm 1.
	size := 0.0
	for l := range n {
		size = max(size, math.Abs(d[l])+math.Abs(e[l]))
	}
	shift := 0.0
	for l := range n {
		m := l
		for m < n-1 && math.Abs(e[m]) > eps*size {
			m++
		}
		for m > l {
			shift += implicitStep(v, d, e, l, m)
			if math.Abs(e[l]) <= eps*size {
				break
			}
		}
		d[l] += shift
		e[l] = 0
	}
}

// implicitStep is one QL step on rows l to m. It returns the shift that it used.
func implicitStep(v [][]float64, d, e []float64, l, m int) float64 {
	g := d[l]
	p := (d[l+1] - g) / (2 * e[l])
	r := math.Copysign(math.Hypot(p, 1), p)
	d[l] = e[l] / (p + r)
	d[l+1] = e[l] * (p + r)
	low := d[l+1]
	shift := g - d[l]
	for i := l + 2; i < len(d); i++ {
		d[i] -= shift
	}
	p = d[m]
	c, c2, c3 := 1.0, 1.0, 1.0
	s, s2 := 0.0, 0.0
	el := e[l+1]
	for i := m - 1; i >= l; i-- {
		c3, c2, s2 = c2, c, s
		g := c * e[i]
		h := c * p
		r := math.Hypot(p, e[i])
		e[i+1] = s * r
		s, c = e[i]/r, p/r
		p = c*d[i] - s*g
		d[i+1] = h + s*(c*g+s*d[i])
		rotate(v[i], v[i+1], c, s)
	}
	p = -s * s2 * c3 * el * e[l] / low
	e[l] = s * p
	d[l] = c * p
	return shift
}

// rotate is the plane rotation of two rows.
func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for k, a := range x {
		b := y[k]
		y[k] = s*a + c*b
		x[k] = c*a - s*b
	}
}
