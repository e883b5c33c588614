package sweep

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// The tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kégl, "Algorithms for
// Hyper-Parameter Optimization", NeurIPS 2011), for each dimension separately, with the constants
// of Optuna's TPESampler. The density l of the best trials and g of the others are mixtures of one
// kernel for each trial and a wide kernel. Among candidates drawn from l, the one with the largest
// l/g is taken: it has the largest expected improvement.
const (
	startup    = 10  // trials that are drawn at random
	bestShare  = 0.1 // share of the best trials
	mostBest   = 25  // most best trials
	candidates = 24
	recent     = 25 // trials with full weight; older trials have less
	narrowest  = 100
)

// tpe returns, of some values drawn from the density l, the one with the largest l/g.
func tpe(r *rand.Rand, l, g *parzen) (best any) {
	top := math.Inf(-1)
	for range candidates {
		v := l.draw(r)
		at := l.d.coordinate(v)
		if gain := l.log(at) - g.log(at); gain > top {
			best, top = v, gain
		}
	}
	return best
}

// divide separates the best trials from the others; both lists are sorted by number. Completed
// trials are better than others, which are compared by their epochs first.
func divide(past []observation) (best, others []observation) {
	order := lists.Range[int](len(past))
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := past[a], past[b]
		switch {
		case p.ended != q.ended && p.ended:
			return -1
		case p.ended != q.ended:
			return 1
		case !p.ended && p.epoch != q.epoch:
			return q.epoch - p.epoch
		}
		return cmp.Compare(q.score, p.score)
	})
	n := min(int(math.Ceil(bestShare*float64(len(past)))), mostBest)
	isBest := lists.Marked(len(past), order[:n])
	for i, p := range past {
		if isBest[i] {
			best = append(best, p)
		} else {
			others = append(others, p)
		}
	}
	return best, others
}

// parzen is a density over a dimension: a mixture of kernels; the last kernel is wide.
type parzen struct {
	d      Dimension
	low    float64
	high   float64
	weight []float64 // of each kernel; their sum is 1
	mean   []float64 // of normal kernels, truncated at the bounds
	sigma  []float64
	choice [][]float64 // of kernels over choices: their probabilities
}

// newParzen estimates the density of trials in dimension i.
func newParzen(d Dimension, i int, of []observation) *parzen {
	p := &parzen{d: d, weight: append(weights(len(of)), 1)}
	p.low, p.high = d.bounds()
	sum := lists.Sum(p.weight)
	for k := range p.weight {
		p.weight[k] /= sum
	}
	for _, o := range of {
		p.mean = append(p.mean, o.at[i])
	}
	if d.Choices != nil {
		p.choices(len(d.Choices))
	} else {
		p.normals()
	}
	return p
}

// weights returns the weights of n trials by number: 1 for recent trials; for older trials they rise from 1/n to 1.
func weights(n int) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = 1
		if old := n - recent; k < old {
			first := 1 / float64(n)
			out[k] = first
			if old > 1 {
				out[k] += (1 - first) * float64(k) / float64(old-1)
			}
		}
	}
	return out
}

// choices makes a kernel for each trial's choice, and a uniform one.
func (p *parzen) choices(n int) {
	kernels := len(p.mean) + 1
	for k := range kernels {
		row := lists.Repeat(1/float64(kernels), n)
		if k < len(p.mean) {
			row[int(p.mean[k])]++
		}
		sum := lists.Sum(row)
		for j := range row {
			row[j] /= sum
		}
		p.choice = append(p.choice, row)
	}
}

// normals makes a kernel around each trial, as wide as the larger gap to its neighbours, and one
// over the whole range.
func (p *parzen) normals() {
	n, span := len(p.mean), p.high-p.low
	order := lists.Range[int](n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.mean[a], p.mean[b]) })
	at := func(k int) float64 { return p.mean[order[k]] }
	p.sigma = make([]float64, n)
	narrow := span / min(narrowest, float64(n+2))
	for k := range order {
		left, right := p.low, p.high
		if k > 0 {
			left = at(k - 1)
		}
		if k < n-1 {
			right = at(k + 1)
		}
		wide := max(at(k)-left, right-at(k))
		switch { // the outermost kernels do not extend to the bounds
		case n > 1 && k == 0:
			wide = right - at(k)
		case n > 1 && k == n-1:
			wide = at(k) - left
		}
		p.sigma[order[k]] = min(max(wide, narrow), span)
	}
	p.mean, p.sigma = append(p.mean, (p.low+p.high)/2), append(p.sigma, span)
}

// draw draws a value.
func (p *parzen) draw(r *rand.Rand) any {
	k := pick(r, p.weight)
	if p.choice != nil {
		return p.d.Choices[pick(r, p.choice[k])]
	}
	from, to := normalCDF(p.low, p.mean[k], p.sigma[k]), normalCDF(p.high, p.mean[k], p.sigma[k])
	u := from + (to-from)*r.Float64()
	x := p.mean[k] + p.sigma[k]*math.Sqrt2*math.Erfinv(2*u-1)
	return p.d.value(min(max(x, p.low), p.high))
}

// pick draws an index with given probabilities.
func pick(r *rand.Rand, of []float64) int {
	u := r.Float64()
	for k, w := range of {
		if u -= w; u < 0 {
			return k
		}
	}
	return len(of) - 1
}

// log is the logarithm of the density at a coordinate, or of the probability if values are steps or
// choices.
func (p *parzen) log(x float64) float64 {
	sum := 0.0
	for k, w := range p.weight {
		switch {
		case p.choice != nil:
			sum += w * p.choice[k][int(x)]
		default:
			m, s := p.mean[k], p.sigma[k]
			inside := normalCDF(p.high, m, s) - normalCDF(p.low, m, s)
			if half := p.d.Step / 2; half > 0 {
				sum += w * (normalCDF(x+half, m, s) - normalCDF(x-half, m, s)) / inside
			} else {
				z := (x - m) / s
				sum += w * math.Exp(-z*z/2) / (s * math.Sqrt(2*math.Pi) * inside)
			}
		}
	}
	return math.Log(max(sum, math.SmallestNonzeroFloat64))
}

func normalCDF(x, mean, sigma float64) float64 {
	return 0.5 * math.Erfc((mean-x)/(sigma*math.Sqrt2))
}
