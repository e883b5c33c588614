package linear

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// blocks precondition conjugate gradients. They are, for each score, the second derivatives [k+1,k+1] of the objective
// in the parameters of this score, as the lower triangle of their Cholesky decomposition. Without them, similar columns
// and rare classes would cost hundreds of passes over the rows. A block is only a diagonal if there are more than
// mostDense columns, or if rounding makes the matrix not positive definite.
type blocks [][]float64

// mostDense is the number of columns above which a decomposition takes longer than the passes that it saves.
const mostDense = 512

// least is the second derivative of a row's loss below which a block leaves out the row: for most
// rows most classes have a probability near 0.
const least = 1e-5

// ridge is added to second derivatives, as a share of the total weight of the rows.
const ridge = 1e-10

// decompose makes the blocks at the last point of value.
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

// rowsOfBlock is how many rows for each of its columns a block is estimated from, at most. This costs a few more passes
// of conjugate gradients, but a pass is far cheaper than a block of all rows.
const rowsOfBlock = 16

// weights are the second derivatives of each row's loss in one score. If there are many rows, some are sampled in
// proportion to their weights, at equal distances of the running sum, and share the sum equally.
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

// block returns the lower triangle of the second derivatives in the parameters of one score.
func (p *problem) block(c int) []float64 {
	size := p.K + 1
	h, filled := make([]float64, size*size), make([]int, 0, p.K)
	weights, sum := 0.0, make([]float64, p.K) // sums of row weights, and of columns times row weights
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

// diagonal returns the diagonal of block.
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

// solve writes the solution of blocks·to = from. For classes it removes the component that raises
// all scores of a row equally: this component changes no loss and is 0 in from.
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
