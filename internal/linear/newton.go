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
	blockRows = 2048 // that are added up as one
	mostSteps = 200  // of Newton's method
	// renewBlocks is the share to which derivatives fall before blocks are made anew: those of a step before are nearly as good.
	renewBlocks = 0.2
	// tolerance is Options.Tolerance where that is 0.
	tolerance = 1e-6
)

// problem is an objective over parameters [k+1,out], the bias last, of standardised columns.
type problem struct {
	Columns
	n, out    int
	loss      loss
	penalty   float64
	tolerance float64
	mean, inv []float64 // of each column: its mean, and 1 by its deviation or 0 where it has none
	pool      *par.Pool
	blocks    [][]float64 // sums of each block
}

// fit solves the problem and returns the model of the columns as they are.
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

// standardise measures the columns.
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

// unstandardised are the weights and the bias of columns as they are.
func (p *problem) unstandardised(at []float64) (weight, bias []float64) {
	weight, bias = make([]float64, p.K*p.out), slices.Clone(at[p.K*p.out:])
	for j := range p.K {
		w := weight[j*p.out:][:p.out]
		axpy(w, p.inv[j], at[j*p.out:][:p.out])
		axpy(bias, -p.mean[j], w)
	}
	return weight, bias
}

// pass gives the scores of each row to f, and adds what f makes of them, times the row's
// columns, into sum. It returns the sum of f.
func (p *problem) pass(at, sum []float64, f func(row int, z []float64) float64) float64 {
	m := Model{}
	m.Weight, m.Bias = p.unstandardised(at)
	count, width := (p.n+blockRows-1)/blockRows, (p.K+1)*p.out
	for len(p.blocks) < count {
		p.blocks = append(p.blocks, make([]float64, width+1)) // the last is the sum of f
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

// value is the objective, with its derivatives in grad.
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
	made := math.Inf(1) // norm of the derivatives where blocks were made
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
			return at, nil // the objective cannot be told from the least any more
		}
	}
	if p.penalty > 0 { // there is a solution, and each step came nearer to it
		return at, nil
	}
	return nil, errors.New("linear: the fit does not converge; columns that tell classes apart without error need a penalty")
}

// direction solves curvature·step = -grad by conjugate gradients, preconditioned by blocks, up
// to a remainder.
func (p *problem) direction(of blocks, grad []float64, remainder float64) []float64 {
	width := len(grad)
	step, left, d, bent, scaled := make([]float64, width), make([]float64, width), make([]float64, width), make([]float64, width), make([]float64, width)
	axpy(left, -1, grad)
	of.solve(d, left)
	square := dot(left, d)
	for range 10 * width {
		p.curvature(d, bent)
		along := dot(d, bent)
		if along <= 1e-14*square { // flat, as where all scores of a row rise alike
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
