package kernel

import "testing"

// columnsProblem draws matrices with at least two columns. A single column is added in float64, as
// Sum does.
func (c *check) columnsProblem(matrices int) (rows, d int, m [][]float32) {
	if rows, d = c.size(100), c.size(100); d == 1 {
		d++
	}
	for range matrices {
		m = append(m, c.input(rows*d))
	}
	c.describe("%dx%d", rows, d)
	return rows, d, m
}

// columnSums adds the columns of the values that term returns to sum, in blocks of columnRows.
func columnSums(sum []float32, rows, d int, term func(i, j int) float32) []float32 {
	sum = append([]float32{}, sum...)
	for i := 0; i < rows; i += columnRows {
		for j := range d {
			var block float32
			for k := i; k < min(i+columnRows, rows); k++ {
				block += term(k, j)
			}
			sum[j] += block
		}
	}
	return sum
}

// pairs runs a kernel that adds to two vectors.
func pairs(a *attempt, first, second []float32, run func(first, second []float32)) []float32 {
	both := a.inout(append(append([]float32{}, first...), second...))
	d := len(first)
	run(both[:d:d], both[d:])
	return both
}

// FuzzColumnMoments: exact.
func FuzzColumnMoments(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d, m := c.columnsProblem(1)
		x, pivot, sum, square := m[0], c.input(d), c.input(d), c.input(d)
		off := func(i, j int) float32 { return x[i*d+j] - pivot[j] }
		want := append(columnSums(sum, rows, d, off), columnSums(square, rows, d, func(i, j int) float32 { v := off(i, j); return v * v })...)
		c.exact(want, func(a *attempt) []float32 {
			return pairs(a, sum, square, func(s, q []float32) { ColumnMoments(s, q, x, pivot, rows, d) })
		})
	})
}

// FuzzColumnDots: exact.
func FuzzColumnDots(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d, m := c.columnsProblem(2)
		g, x, mean, dot, sum := m[0], m[1], c.input(d), c.input(d), c.input(d)
		want := append(columnSums(dot, rows, d, func(i, j int) float32 { v := x[i*d+j] - mean[j]; return v * g[i*d+j] }),
			columnSums(sum, rows, d, func(i, j int) float32 { return g[i*d+j] })...)
		c.exact(want, func(a *attempt) []float32 {
			return pairs(a, dot, sum, func(p, s []float32) { ColumnDots(p, s, g, x, mean, rows, d) })
		})
	})
}

// FuzzColumnNorm: exact.
func FuzzColumnNorm(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d, m := c.columnsProblem(1)
		x, mean, scale, shift, relu := m[0], c.input(d), c.input(d), c.input(d), c.below(2) == 1
		want := make([]float32, rows*d)
		for i, v := range x {
			v -= mean[i%d]
			v *= scale[i%d]
			v += shift[i%d]
			if relu && v < 0 {
				v = 0
			}
			want[i] = v
		}
		c.exact(want, func(a *attempt) []float32 {
			dst := a.out(rows * d)
			a.cut(rows, func(lo, hi int) { ColumnNorm(dst[lo*d:hi*d], x[lo*d:hi*d], mean, scale, shift, hi-lo, d, relu) })
			return dst
		})
	})
}

// FuzzColumnNormGrad: exact.
func FuzzColumnNormGrad(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d, m := c.columnsProblem(2)
		g, x, mean, along, shift, scale := m[0], m[1], c.input(d), c.input(d), c.input(d), c.input(d)
		want := make([]float32, rows*d)
		for i, v := range x {
			v -= mean[i%d]
			v *= along[i%d]
			v += shift[i%d]
			v += g[i]
			want[i] = v * scale[i%d]
		}
		c.exact(want, func(a *attempt) []float32 {
			dst := a.out(rows * d)
			a.cut(rows, func(lo, hi int) {
				ColumnNormGrad(dst[lo*d:hi*d], g[lo*d:hi*d], x[lo*d:hi*d], mean, along, shift, scale, hi-lo, d)
			})
			return dst
		})
	})
}
