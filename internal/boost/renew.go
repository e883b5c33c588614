package boost

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/par"
)

// setValues sets the leaf values of a tree, multiplied by the learning rate: a Newton step, or a
// quantile of the errors if this is the exact minimum. order holds the rows of the bag, leaf by
// leaf.
func (t *grown) setValues(s *scored, d *gradients, order []int32, pool *par.Pool) {
	numbers, starts := t.leaves()
	pool.Balanced(starts, gradientRows, func(lo, hi int) {
		var q quantiles
		for i := lo; i < hi; i++ {
			rows := order[starts[i]:starts[i+1]]
			v := 0.0
			switch s.c.Objective {
			case Absolute, Quantile:
				q.reset()
				for _, r := range rows {
					q.add(float32(float64(s.y[r])-s.score[r]), s.weight(int(r)))
				}
				v = q.at(s.c.level())
			default:
				v = newton(d, rows, s.c.L2+t.nodes[numbers[i]].furtherL2)
			}
			t.nodes[numbers[i]].value = float32(v * s.c.Rate)
		}
	})
}

// newton is the Newton step for the loss of the rows.
func newton(d *gradients, rows []int32, l2 float64) float64 {
	var g, h float64
	for _, r := range rows {
		g += float64(d.g[r])
		h += float64(d.h[r])
	}
	if h+l2 < minHessian {
		return 0
	}
	return -g / (h + l2)
}

// addLeaves adds the values of the leaves to the scores of output k of the rows in order.
func (t *grown) addLeaves(s *scored, k int, order []int32, pool *par.Pool) {
	numbers, starts := t.leaves()
	score := s.score[k*s.rows : (k+1)*s.rows]
	pool.Balanced(starts, gradientRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v := float64(t.nodes[numbers[i]].value)
			for _, r := range order[starts[i]:starts[i+1]] {
				score[r] += v
			}
		}
	})
}

// addRows adds the value of each row's leaf to its score of output k; nil means all rows. memory grows if needed.
func (t *grown) addRows(s *scored, k int, b *binned, rows []int32, memory *[2][]int32, pool *par.Pool) {
	score := s.score[k*s.rows : (k+1)*s.rows]
	n := len(rows)
	if rows == nil {
		n = s.rows
	}
	for i := range memory {
		memory[i] = slices.Grow(memory[i][:0], n)[:n]
	}
	pool.Rows(n, 1024, func(lo, hi int) {
		at, spare := memory[0][lo:hi], memory[1][lo:hi]
		if copy(at, rows[min(lo, len(rows)):]) == 0 {
			for i := range at {
				at[i] = int32(lo + i)
			}
		}
		t.descend(0, b, at, spare, score)
	})
}

// descend adds the leaf values below a node to the scores of the rows in the node. It uses spare, which is as long as rows.
func (t *grown) descend(n int, b *binned, rows, spare []int32, score []float64) {
	p := &t.nodes[n]
	if p.child == 0 {
		v := float64(p.value)
		for _, r := range rows {
			score[r] += v
		}
		return
	}
	if len(rows) == 0 {
		return
	}
	c := p.split.column
	left := divide(rows, spare, b.groups[c/groupSize], c%groupSize*8, &p.left)
	t.descend(p.child, b, spare[:left], rows[:left], score)
	t.descend(p.child+1, b, spare[left:], rows[left:], score)
}
