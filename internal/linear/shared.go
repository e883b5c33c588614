package linear

import (
	"errors"
	"math"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Constants of Shared.
const (
	sharedSteps  = 50
	sharedHalves = 30 // halvings of a Newton step that does not lower the objective
)

// Shared fits logits of classes by cross-entropy, with the same weights for all classes: class c has the logit Bias[c]
// + Σ_f weight[f]·x[of[f][c]], where x are the columns of a row, and a column of -1 counts as 0. It is the conditional
// logit of McFadden (1974), for many classes and few rows. The penalty applies to weights and biases. A class may have
// no row.
func Shared(x Columns, of [][]int32, class []int32, classes int, o Options) (weight, bias []float64, err error) {
	p := &shared{x, of, &crossEntropy{class: class, classes: classes, share: make([]float64, len(class)*classes)}, par.New(o.Threads), o.Penalty}
	n := len(of) + classes
	at, grad, next := make([]float64, n), make([]float64, n), make([]float64, n)
	bend := make([]float64, n*n)
	value := p.objective(at, grad, bend)
	tolerance := o.Tolerance
	if tolerance == 0 {
		tolerance = 1e-6
	}
	for range sharedSteps {
		most := 0.0
		for _, g := range grad {
			most = max(most, math.Abs(g))
		}
		if most <= tolerance*float64(max(len(class), 1)) {
			break
		}
		if !cholesky.Factor(bend, n) {
			return nil, nil, errors.New("linear: the second derivatives of shared weights are not positive; a penalty is needed")
		}
		step := append([]float64{}, grad...)
		cholesky.Solve(bend, n, step)
		was := value
		for scale, halves := 1.0, 0; halves < sharedHalves; scale, halves = scale/2, halves+1 {
			for i := range at {
				next[i] = at[i] - float64(scale*step[i])
			}
			if value = p.objective(next, grad, bend); value <= was {
				break
			}
		}
		if !(value <= was) {
			break // rounding hides any improvement
		}
		at, next = next, at
	}
	return at[:len(of)], at[len(of):], nil
}

// shared is the objective of Shared.
type shared struct {
	Columns
	of      [][]int32
	loss    *crossEntropy
	pool    *par.Pool
	penalty float64
}

// objective returns the loss of all rows plus the penalty, the gradient, and the lower triangle of the second
// derivatives.
func (p *shared) objective(at, grad, bend []float64) float64 {
	n := len(at)
	count := (len(p.loss.class) + blockRows - 1) / blockRows
	blocks := make([][]float64, count) // sums of blocks of rows, added in the same order for any number of threads
	p.pool.Rows(count, 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			blocks[b] = make([]float64, n*n+n+1)
			for i := b * blockRows; i < min((b+1)*blockRows, len(p.loss.class)); i++ {
				p.add(blocks[b], at, i)
			}
		}
	})
	clear(grad)
	clear(bend)
	total := 0.0
	for _, block := range blocks {
		axpy(bend, 1, block[:n*n])
		axpy(grad, 1, block[n*n:][:n])
		total += block[n*n+n]
	}
	for i, v := range at {
		total += float64(p.penalty / 2 * v * v)
		grad[i] += float64(p.penalty * v)
		bend[i*n+i] += p.penalty
	}
	return total
}

// add adds the second derivatives, the first derivatives and the loss of a row to sums.
func (p *shared) add(sums, at []float64, row int) {
	features, n := len(p.of), len(at)
	x := p.X[row*p.K:][:p.K]
	value := func(f, c int) float64 {
		if k := p.of[f][c]; k >= 0 {
			return float64(x[k])
		}
		return 0
	}
	z := make([]float64, p.loss.classes)
	for c := range z {
		z[c] = at[features+c]
		for f := range features {
			z[c] += float64(at[f] * value(f, c))
		}
	}
	bend, grad := sums[:n*n], sums[n*n:][:n]
	sums[n*n+n] += p.loss.at(row, z)
	axpy(grad[features:], 1, z)
	share := p.loss.share[row*len(z):][:len(z)]
	mean := make([]float64, features) // mean of each feature over the classes
	for f := range features {
		for c, q := range share {
			mean[f] += float64(q * value(f, c))
		}
		grad[f] += mean[f] - value(f, int(p.loss.class[row]))
	}
	for c, q := range share {
		for f := range features {
			by := float64(q * (value(f, c) - mean[f]))
			for k := range f + 1 {
				bend[f*n+k] += float64(by * value(k, c))
			}
			bend[(features+c)*n+f] += by
		}
		i := features + c
		axpy(bend[i*n+features:][:c+1], -q, share[:c+1])
		bend[i*n+i] += q
	}
}
