package linear

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// blocks are, for each score, the second derivatives [k+1,k+1] of the objective in the
// parameters of this score alone, as lower triangles of their Cholesky decompositions. They
// leave to conjugate gradients only how scores depend on each other, where columns that are
// alike and rare classes would cost hundreds of passes. They are the diagonals alone where there are more than mostDense
// columns, and where rounding leaves a matrix that is not positive definite.
type blocks [][]float64

// mostDense is the number of columns above which a decomposition takes longer than the passes that it saves.
const mostDense = 512

// least is the second derivative of a row's loss below which the row is left out of blocks:
// in most rows most classes are certain not to be there.
const least = 1e-5

// ridge is added to second derivatives, as a share of the rows' weights.
const ridge = 1e-10

// decompose makes the blocks of the last point of value.
func (p *problem) decompose() blocks {
	all := make(blocks, p.out)
	p.pool.Rows(p.out, 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			if p.K <= mostDense {
				if all[c] = p.block(c); cholesky.Factor(all[c], p.K+1) {
					continue
				}
			}
			all[c] = p.diagonal(c)
		}
	})
	return all
}

// rowsOfBlock is how many rows a block is estimated from, for each of its columns, where there are more. Conjugate gradients
// take a few passes more for that, but a pass over the rows costs far less than a block of all of them.
const rowsOfBlock = 16

// weights are the second derivatives in a score by row. Of many rows some are drawn in proportion to them, at equal distances
// of their running sum, and have an equal share of the sum.
func (p *problem) weights(c int) []float64 {
	w, sum := make([]float64, p.n), 0.0
	for i := range w {
		w[i] = p.loss.bend(i, c)
		sum += w[i]
	}
	draws := rowsOfBlock * (p.K + 1)
	if p.n <= 2*draws || sum == 0 {
		return w
	}
	share, until := sum/float64(draws), 0.0
	taken := 0.0
	for i, v := range w {
		until += v
		w[i] = math.Floor(until/share+0.5) - taken
		taken += w[i]
		w[i] *= share
	}
	return w
}

// block is the lower triangle of the second derivatives in the parameters of a score.
func (p *problem) block(c int) []float64 {
	size := p.K + 1
	h, filled := make([]float64, size*size), make([]int, 0, p.K)
	weights, sum := 0.0, make([]float64, p.K) // of rows, and of columns times them
	for i, w := range p.weights(c) {
		if w < least {
			continue
		}
		row := p.X[i*p.K:][:p.K]
		filled = filled[:0]
		weights += w
		for a, x := range row {
			if x == 0 {
				continue
			}
			filled = append(filled, a)
			wx := w * float64(x)
			sum[a] += wx
			to := h[a*size:][:size]
			for _, b := range filled {
				to[b] += wx * float64(row[b])
			}
		}
	}
	for a := range p.K {
		for b := range a + 1 {
			v := h[a*size+b] - p.mean[a]*sum[b] - p.mean[b]*sum[a] + weights*p.mean[a]*p.mean[b]
			h[a*size+b] = p.inv[a] * p.inv[b] * v
		}
		h[a*size+a] += p.penalty + ridge*(weights+1)
		h[p.K*size+a] = p.inv[a] * (sum[a] - weights*p.mean[a])
	}
	h[p.K*size+p.K] = weights + ridge*(weights+1)
	return h
}

// diagonal is that of block.
func (p *problem) diagonal(c int) []float64 {
	h, sum := make([]float64, p.K+1), make([]float64, p.K)
	weights := 0.0
	for i := range p.n {
		w := p.loss.bend(i, c)
		weights += w
		for a, x := range p.X[i*p.K:][:p.K] {
			if x != 0 {
				sum[a] += w * float64(x)
				h[a] += w * float64(x) * float64(x)
			}
		}
	}
	for a := range p.K {
		v := h[a] - 2*p.mean[a]*sum[a] + weights*p.mean[a]*p.mean[a]
		h[a] = p.inv[a]*p.inv[a]*max(v, 0) + p.penalty + ridge*(weights+1)
	}
	h[p.K] = weights + ridge*(weights+1)
	return h
}

// solve writes the solution of blocks·to = from. Of classes it takes out what raises all
// scores of a row alike, which changes no loss and is 0 in from.
func (all blocks) solve(to, from []float64) {
	out := len(all)
	n := len(from) / out
	y := make([]float64, n)
	for c, h := range all {
		if len(h) == n {
			for i, d := range h {
				to[i*out+c] = from[i*out+c] / d
			}
			continue
		}
		for i := range y {
			y[i] = from[i*out+c]
		}
		cholesky.Solve(h, n, y)
		for i, v := range y {
			to[i*out+c] = v
		}
	}
	if out == 1 {
		return
	}
	for j := 0; j < len(to); j += out {
		mean := lists.SumOf(to[j:][:out], func(v float64) float64 { return v / float64(out) })
		for c := range out {
			to[j+c] -= mean
		}
	}
}
