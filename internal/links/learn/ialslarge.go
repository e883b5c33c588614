package learn

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/par"
)

// ExactNodes is the largest number of nodes for which IALS solves equations exactly. In larger
// graphs it uses conjugate gradients in single precision (Takács et al. 2011).
const ExactNodes = 100_000

// Steps of conjugate gradients in a sweep: from the solution of the previous sweep, and from zeros.
const (
	sweepSteps = 3
	newSteps   = 10
	gradRows   = 64 // number of rows that are solved together
)

// gradients solves the equations of ridge for many rows.
type gradients struct {
	c    IALSConfig
	from []float32
	gram []float32 // α₀·FᵀF
	rows int
}

func newGradients(c IALSConfig, from []float32) *gradients {
	d := c.Dim
	s := &gradients{c: c, from: from, gram: make([]float32, d*d), rows: len(from) / d}
	(&kernel.Gemm{C: s.gram, A: from, B: from, M: d, N: d, K: s.rows, TransA: true}).Rows(0, d)
	for i := range s.gram {
		s.gram[i] *= float32(c.Alpha)
	}
	return s
}

// solveAll improves the solutions in to by the given number of steps. place is the row of each node
// in from, or -1.
func (s *gradients) solveAll(ctx context.Context, threads, steps int, to []float32, nodes []int32, partners func(int32) []int32, place []int32) error {
	var starts []int
	for lo := 0; lo < len(nodes); lo += gradRows {
		starts = append(starts, lo)
	}
	_, err := par.Map(ctx, threads, starts, func(lo int) struct{} {
		hi := min(lo+gradRows, len(nodes))
		s.solve(steps, to[lo*s.c.Dim:hi*s.c.Dim], nodes[lo:hi], partners, place)
		return struct{}{}
	})
	return err
}

// solve improves the solutions x of one block of rows.
func (s *gradients) solve(steps int, x []float32, nodes []int32, partners func(int32) []int32, place []int32) {
	d, m := s.c.Dim, len(nodes)
	r, p, ap := make([]float32, m*d), make([]float32, m*d), make([]float32, m*d)
	rr := make([]float32, m)
	s.times(x, ap, nodes, partners, place)
	for i, u := range nodes {
		row := r[i*d : (i+1)*d]
		for _, v := range partners(u) {
			if at := place[v]; at >= 0 {
				addScaled(row, s.from[int(at)*d:][:d], 1)
			}
		}
		addScaled(row, ap[i*d:(i+1)*d], -1)
		rr[i] = cholesky.Dot(row, row)
	}
	copy(p, r)
	for range steps {
		s.times(p, ap, nodes, partners, place)
		for i := range nodes {
			pi, ai, ri := p[i*d:(i+1)*d], ap[i*d:(i+1)*d], r[i*d:(i+1)*d]
			curvature := cholesky.Dot(pi, ai)
			if rr[i] < 1e-20 || curvature <= 0 {
				continue // solved
			}
			step := rr[i] / curvature
			addScaled(x[i*d:(i+1)*d], pi, step)
			addScaled(ri, ai, -step)
			before := rr[i]
			rr[i] = cholesky.Dot(ri, ri)
			for k, y := range ri {
				pi[k] = y + float32(rr[i]/before*pi[k])
			}
		}
	}
}

// times multiplies rows with the matrices of their equations.
func (s *gradients) times(x, out []float32, nodes []int32, partners func(int32) []int32, place []int32) {
	d, m := s.c.Dim, len(nodes)
	(&kernel.Gemm{C: out, A: x, B: s.gram, M: m, N: d, K: d}).Rows(0, m)
	for i, u := range nodes {
		xi, oi := x[i*d:(i+1)*d], out[i*d:(i+1)*d]
		n := 0
		for _, v := range partners(u) {
			if at := place[v]; at >= 0 {
				row := s.from[int(at)*d:][:d]
				addScaled(oi, row, cholesky.Dot(row, xi))
				n++
			}
		}
		addScaled(oi, xi, float32(s.c.Lambda*(float64(n)+s.c.Alpha*float64(s.rows))))
	}
}

// addScaled adds c·x to y.
func addScaled(y, x []float32, c float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float32(c * v)
	}
}
