// Package cholesky solves systems of linear equations with symmetric positive definite matrices. Products are rounded before
// they are added, so results have the same bits on every processor.
package cholesky

import "math"

// Factor replaces the lower triangle of a matrix [n,n] by its Cholesky factor L, with LLᵀ = a. It
// returns false if the matrix is not positive definite. The upper triangle is neither read nor
// written.
func Factor(a []float64, n int) bool {
	for i := range n {
		ri := a[i*n : i*n+i+1]
		for j := range i {
			rj := a[j*n : j*n+j+1]
			ri[j] = (ri[j] - Dot(rj[:j], ri)) / rj[j]
		}
		s := ri[i] - Dot(ri[:i], ri)
		if !(s > 0) {
			return false
		}
		ri[i] = math.Sqrt(s)
	}
	return true
}

// Solve solves LLᵀx = b in place. The factor has n numbers in each row. x can be shorter than n:
// the equations are then those of the first rows and columns of L.
func Solve(l []float64, n int, x []float64) {
	Forward(l, n, x)
	Backward(l, n, x)
}

// Forward solves Lx = b in place.
func Forward(l []float64, n int, x []float64) {
	for i := range x {
		x[i] = (x[i] - Dot(x[:i], l[i*n:])) / l[i*n+i]
	}
}

// Backward solves Lᵀx = b in place.
func Backward(l []float64, n int, x []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		x[i] /= l[i*n+i]
		for k := range i {
			x[k] -= float64(l[i*n+k] * x[i])
		}
	}
}

// Dot returns the inner product of a and the first len(a) numbers of b.
func Dot[F float32 | float64](a, b []F) F {
	b = b[:len(a)]
	var s0, s1, s2, s3 F // independent sums
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += F(a[i] * b[i])
		s1 += F(a[i+1] * b[i+1])
		s2 += F(a[i+2] * b[i+2])
		s3 += F(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += F(a[i] * b[i])
	}
	return s0 + s1 + s2 + s3
}
