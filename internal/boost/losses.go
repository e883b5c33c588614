package boost

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/par"
)

// scored is a set of rows with labels, weights and their raw scores so far. Scores and
// probabilities of an output are adjacent: output k of row i has index k*rows+i.
type scored struct {
	c     Config
	rows  int
	y, w  []float32 // w may be nil
	score []float64
	prob  []float32 // for LogLoss and Softmax, set by update
}

// newScored checks labels and weights.
func newScored(c Config, rows int, y, w []float32) (*scored, error) {
	if rows == 0 {
		return nil, fmt.Errorf("no rows")
	}
	if len(y) != rows {
		return nil, fmt.Errorf("%d labels, expected one for each of %d rows", len(y), rows)
	}
	if w != nil && len(w) != rows {
		return nil, fmt.Errorf("%d weights, expected one for each of %d rows", len(w), rows)
	}
	for i, v := range y {
		if err := c.checkLabel(v); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	total := float64(rows)
	if w != nil {
		total = 0
		for i, v := range w {
			if !(v >= 0 && v <= math.MaxFloat32) {
				return nil, fmt.Errorf("row %d: weight %v, expected a number of 0 or more", i, v)
			}
			total += float64(v)
		}
	}
	if total == 0 {
		return nil, fmt.Errorf("all weights are 0")
	}
	s := &scored{c: c, rows: rows, y: y, w: w, score: make([]float64, rows*c.outputs())}
	if c.Objective == LogLoss || c.Objective == Softmax {
		s.prob = make([]float32, len(s.score))
	}
	return s, nil
}

// checkLabel returns an error for an invalid label.
func (c Config) checkLabel(v float32) error {
	classes := 2
	switch c.Objective {
	case LogLoss:
	case Softmax:
		classes = c.Classes
	default:
		if v-v != 0 {
			return fmt.Errorf("label %v, expected a finite number", v)
		}
		return nil
	}
	if !(v >= 0 && v < float32(classes)) || v != float32(int(v)) {
		return fmt.Errorf("label %v, expected a class from 0 to %d", v, classes-1)
	}
	return nil
}

// weight is the weight of a row.
func (s *scored) weight(i int) float64 {
	if s.w == nil {
		return 1
	}
	return float64(s.w[i])
}

// leastProb prevents an infinite initial score of a class that never occurs.
const leastProb = 1e-6

// base is the best constant score of each output.
func (s *scored) base() []float32 {
	switch s.c.Objective {
	case LogLoss, Softmax:
		classes := max(2, s.c.outputs())
		share := make([]float64, classes)
		total := 0.0
		for i, y := range s.y {
			share[int(y)] += s.weight(i)
			total += s.weight(i)
		}
		for k := range share {
			share[k] = min(max(share[k]/total, leastProb), 1-leastProb)
		}
		if s.c.Objective == LogLoss {
			return []float32{float32(math.Log(share[1] / share[0]))}
		}
		out := make([]float32, classes)
		for k := range out {
			out[k] = float32(math.Log(share[k]))
		}
		return out
	case Squared:
		sum, total := 0.0, 0.0
		for i, y := range s.y {
			sum += s.weight(i) * float64(y)
			total += s.weight(i)
		}
		return []float32{float32(sum / total)}
	}
	var q quantiles
	for i, y := range s.y {
		q.add(y, s.weight(i))
	}
	return []float32{float32(q.at(s.c.level()))}
}

// level is the quantile that minimises the loss of the objective.
func (c Config) level() float64 {
	if c.Objective == Quantile {
		return c.Level
	}
	return .5
}

// setScore sets all scores to those of a model without trees.
func (s *scored) setScore(base []float32) {
	for k, b := range base {
		for i := range s.rows {
			s.score[k*s.rows+i] = float64(b)
		}
	}
}

// lossBlock is the number of rows in a block. The loss is the sum of the sums of blocks, so that
// its order does not depend on the number of threads.
const lossBlock = 4096

// loss is the weighted mean loss of the rows.
func (s *scored) loss(pool *par.Pool) float64 {
	if s.c.Objective == Softmax {
		s.update(pool)
	}
	blocks := (s.rows + lossBlock - 1) / lossBlock
	sums := make([][2]float64, blocks)
	pool.Rows(blocks, 4, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			from, to := b*lossBlock, min((b+1)*lossBlock, s.rows)
			if s.c.Objective == LogLoss && s.w == nil {
				sums[b] = [2]float64{s.logLoss(from, to), float64(to - from)}
				continue
			}
			for i := from; i < to; i++ {
				w := s.weight(i)
				sums[b][0] += w * s.lossOf(i)
				sums[b][1] += w
			}
		}
	})
	sum, total := 0.0, 0.0
	for _, b := range sums {
		sum += b[0]
		total += b[1]
	}
	return sum / total
}

// losses returns the loss of each row, after loss was called.
func (s *scored) losses() []float32 {
	out := make([]float32, s.rows)
	for i := range out {
		out[i] = float32(s.lossOf(i))
	}
	return out
}

// lossOf is the loss of a row. For Softmax, update must have set the probabilities.
func (s *scored) lossOf(i int) float64 {
	switch s.c.Objective {
	case LogLoss:
		z := s.score[i]
		if s.y[i] == 1 {
			z = -z
		}
		return softplus(z)
	case Softmax:
		return -math.Log(max(float64(s.prob[int(s.y[i])*s.rows+i]), 1e-30))
	}
	d := float64(s.y[i]) - s.score[i]
	switch s.c.Objective {
	case Squared:
		return d * d
	case Huber:
		if a := math.Abs(d); a > s.c.Delta {
			return s.c.Delta * (a - s.c.Delta/2)
		}
		return d * d / 2
	case Quantile:
		if d < 0 {
			return (s.c.Level - 1) * d
		}
		return s.c.Level * d
	}
	return math.Abs(d)
}

// factors is how many numbers from 1 to 2 are multiplied before their logarithm is taken; a float64 has room for 1023.
const factors = 512

// logLoss is the sum of lossOf of the rows [lo,hi). It takes one logarithm for many rows: log Π(1+exp(-|z|)) = Σ log(1+exp(-|z|)).
func (s *scored) logLoss(lo, hi int) float64 {
	sum := 0.0
	for ; lo < hi; lo += factors {
		product := 1.0
		for i := lo; i < min(lo+factors, hi); i++ {
			z := s.score[i]
			if s.y[i] == 1 {
				z = -z
			}
			sum += max(z, 0)
			product *= 1 + math.Exp(-math.Abs(z))
		}
		sum += math.Log(product)
	}
	return sum
}

// softplus is log(1+exp(z)).
func softplus(z float64) float64 {
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

// update computes the probabilities of all rows from their scores.
func (s *scored) update(pool *par.Pool) {
	switch s.c.Objective {
	case LogLoss:
		pool.Rows(s.rows, 2048, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				s.prob[i] = float32(1 / (1 + math.Exp(-s.score[i])))
			}
		})
	case Softmax:
		pool.Rows(s.rows, max(16, 2048/s.c.Classes), s.softmax)
	}
}

// softmax computes the class probabilities of some rows.
func (s *scored) softmax(lo, hi int) {
	var top, sum [64]float64
	for ; lo < hi; lo += len(top) {
		n := min(hi-lo, len(top))
		for k := range s.c.Classes {
			for i, z := range s.score[k*s.rows+lo:][:n] {
				if k == 0 || z > top[i] {
					top[i] = z
				}
			}
		}
		clear(sum[:])
		for k := range s.c.Classes {
			at := k*s.rows + lo
			for i, z := range s.score[at : at+n] {
				e := math.Exp(z - top[i])
				sum[i] += e
				s.prob[at+i] = float32(e)
			}
		}
		for k := range s.c.Classes {
			p := s.prob[k*s.rows+lo:][:n]
			for i := range p {
				p[i] /= float32(sum[i])
			}
		}
	}
}
