package linear

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/par"
)

const (
	blockRows = 2048 // rows whose sum is made by one thread
	mostSteps = 200  // Newton steps
	// renewBlocks is the factor by which the gradient falls before blocks are computed again: older blocks are nearly as good.
	renewBlocks = 0.2
	// tolerance is Options.Tolerance or its default.
	tolerance = 1e-6
)

// problem is an objective over parameters [k+1,out] of standardised columns; the bias is last.
type problem struct {
	Columns
	n, out    int
	loss      loss
	penalty   float64
	tolerance float64
	mean, inv []float64 // mean of each column, and 1/deviation (0 for a constant column)
	pool      *par.Pool
	blocks    [][]float64 // sums of each block
}

// fit solves the problem and returns the model of the columns before standardisation.
func fit(x Columns, n int, l loss, o Options) (*Model, error) {
	if n == 0 || len(x.X) != n*x.K {
		return nil, fmt.Errorf("linear: %d numbers for %d rows of %d columns", len(x.X), n, x.K)
	}
	p := &problem{Columns: x, n: n, out: l.out(), loss: l, penalty: o.Penalty, tolerance: cmp.Or(o.Tolerance, tolerance), pool: par.New(o.Threads)}
	if err := p.standardise(); err != nil {
		return nil, err
	}
	for j, inv := range p.inv {
		if o.Raw && inv > 0 {
			p.inv[j] = 1
		}
	}
	at, err := p.solve()
	if err != nil {
		return nil, err
	}
	weight, bias := p.unstandardised(at)
	return &Model{Weight: weight, Bias: bias}, nil
}

// standardise computes the mean and the deviation of the columns.
func (p *problem) standardise() error {
	p.mean, p.inv = make([]float64, p.K), make([]float64, p.K)
	for i, v := range p.X {
		p.mean[i%p.K] += float64(v) / float64(p.n)
	}
	for i, v := range p.X {
		d := float64(v) - p.mean[i%p.K]
		p.inv[i%p.K] += d * d / float64(p.n)
	}
	for j, variance := range p.inv {
		if math.IsNaN(variance) || math.IsInf(variance, 0) {
			return fmt.Errorf("linear: column %d has a number that is not finite", j)
		}
		p.inv[j] = 0
		if variance > 1e-12 {
			p.inv[j] = 1 / math.Sqrt(variance)
		}
	}
	return nil
}

// unstandardised returns the weights and the bias for the columns before standardisation.
func (p *problem) unstandardised(at []float64) (weight, bias []float64) {
	weight, bias = make([]float64, p.K*p.out), slices.Clone(at[p.K*p.out:])
	for j := range p.K {
		w := weight[j*p.out:][:p.out]
		axpy(w, p.inv[j], at[j*p.out:][:p.out])
		axpy(bias, -p.mean[j], w)
	}
	return weight, bias
}

// pass calls f with the scores of each row, which f replaces by factors. It writes to sum the rows'
// standardised columns times these factors, plus the penalty times the weights in at, and returns
// the sum of the results of f.
func (p *problem) pass(at, sum []float64, f func(row int, z []float64) float64) float64 {
	m := Model{}
	m.Weight, m.Bias = p.unstandardised(at)
	count, width := (p.n+blockRows-1)/blockRows, (p.K+1)*p.out
	for len(p.blocks) < count {
		p.blocks = append(p.blocks, make([]float64, width+1)) // the last element is the sum of f
	}
	p.pool.Rows(count, 1, func(lo, hi int) {
		z := make([]float64, p.out)
		for b := lo; b < hi; b++ {
			block := p.blocks[b]
			clear(block)
			for i := b * blockRows; i < min((b+1)*blockRows, p.n); i++ {
				row := p.X[i*p.K:][:p.K]
				m.Apply(z, row)
				block[width] += f(i, z)
				if p.out == 1 {
					by, to := z[0], block[:len(row)]
					for j, x := range row {
						to[j] += by * float64(x)
					}
					block[p.K] += by
					continue
				}
				for j, x := range row {
					if x != 0 {
						axpy(block[j*p.out:][:p.out], float64(x), z)
					}
				}
				axpy(block[p.K*p.out:width], 1, z)
			}
		}
	})
	clear(sum)
	total := 0.0
	for _, block := range p.blocks[:count] {
		axpy(sum, 1, block[:width])
		total += block[width]
	}
	bias := sum[p.K*p.out:]
	for j := range p.K {
		of := sum[j*p.out:][:p.out]
		axpy(of, -p.mean[j], bias)
		for c := range of {
			of[c] = p.inv[j]*of[c] + p.penalty*at[j*p.out+c]
		}
	}
	return total
}

// value returns the objective and writes its gradient to grad.
func (p *problem) value(at, grad []float64) float64 {
	w := at[:p.K*p.out]
	return p.pass(at, grad, p.loss.at) + p.penalty/2*dot(w, w)
}

// curvature multiplies a direction by the second derivatives at the last point of value.
func (p *problem) curvature(direction, to []float64) {
	p.pass(direction, to, func(row int, z []float64) float64 {
		p.loss.curve(row, z)
		return 0
	})
}

// solve is Newton's method with steps that are halved until the objective falls.
func (p *problem) solve() ([]float64, error) {
	width := (p.K + 1) * p.out
	at, grad, next := make([]float64, width), make([]float64, width), make([]float64, width)
	value := p.value(at, grad)
	first := math.Sqrt(dot(grad, grad))
	var of blocks
	made := math.Inf(1) // norm of the gradient when blocks were made
	for range mostSteps {
		most := 0.0
		for _, g := range grad {
			most = max(most, math.Abs(g))
		}
		if most <= p.tolerance*float64(p.n) {
			return at, nil
		}
		norm := math.Sqrt(dot(grad, grad))
		if norm < renewBlocks*made {
			of, made = p.decompose(), norm
		}
		step := p.direction(of, grad, min(0.1, math.Sqrt(norm/first))*norm)
		slope := dot(grad, step)
		size, moved := 1.0, false
		for ; size > 1e-10 && !moved; size /= 2 {
			copy(next, at)
			axpy(next, size, step)
			v := p.value(next, grad)
			if moved = v <= value+1e-4*size*slope; moved {
				value = v
				at, next = next, at
			}
		}
		if !moved {
			return at, nil // rounding hides any further decrease of the objective
		}
	}
	if p.penalty > 0 { // a solution exists, and each step came closer to it
		return at, nil
	}
	return nil, errors.New("linear: the fit does not converge; columns that tell classes apart without error need a penalty")
}

// direction solves curvature·step = -grad by conjugate gradients, preconditioned by blocks, until
// the residual is small.
func (p *problem) direction(of blocks, grad []float64, remainder float64) []float64 {
	width := len(grad)
	step, left, d, bent, scaled := make([]float64, width), make([]float64, width), make([]float64, width), make([]float64, width), make([]float64, width)
	axpy(left, -1, grad)
	of.solve(d, left)
	square := dot(left, d)
	for range 10 * width {
		p.curvature(d, bent)
		along := dot(d, bent)
		if along <= 1e-14*square { // flat, for example the direction that raises all scores of a row equally
			break
		}
		a := square / along
		axpy(step, a, d)
		axpy(left, -a, bent)
		if math.Sqrt(dot(left, left)) <= remainder {
			break
		}
		of.solve(scaled, left)
		last := square
		square = dot(left, scaled)
		for i := range d {
			d[i] = scaled[i] + square/last*d[i]
		}
	}
	return step
}
