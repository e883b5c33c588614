package boost

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Eval holds the validation rows, whose loss ends the training.
type Eval struct {
	X *Matrix
	Y []float32
	W []float32 // weights; nil for equal weights
}

// Train trains trees on the rows of x with labels y and weights w, which may be nil. With
// validation rows it stops after Config.Patience rounds without a lower loss, and keeps the rounds
// up to the best. The model is bit-identical for any number of threads. If ctx ends, Train returns
// its error.
func Train(ctx context.Context, x *Matrix, y, w []float32, valid *Eval, c Config) (*Model, error) {
	c = c.filled()
	t, err := newTrainer(x, y, w, valid, c)
	if err != nil {
		return nil, fmt.Errorf("boost: %w", err)
	}
	return t.run(ctx)
}

// trainer is the state of a training.
type trainer struct {
	c     Config
	pool  *par.Pool
	train *scored
	data  *binned
	valid *scored // nil without validation rows
	held  *binned
	base  []float32

	model     *Model
	growers   chan *treeMaker
	makers    int
	bag, rest []int32
}

// treeMaker is the state of one growing tree.
type treeMaker struct {
	*grower
	*gradients
	rows [2][]int32 // memory for addRows
}

func newTrainer(x *Matrix, y, w []float32, valid *Eval, c Config) (*trainer, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	t := &trainer{c: c, pool: par.New(c.Threads)}
	var err error
	if t.train, err = newScored(c, x.Rows(), y, w); err != nil {
		return nil, err
	}
	columns := newColumns(x, c.Bins, c.Seed, t.pool)
	t.data = newBinned(x, columns, t.pool)
	t.base = t.train.base()
	t.train.setScore(t.base)
	t.model = newModel(c.outputs(), x.Columns, t.base, columns)
	if valid != nil {
		if err := t.setValid(valid, x.Columns); err != nil {
			return nil, fmt.Errorf("validation: %w", err)
		}
	}
	t.setMakers()
	return t, nil
}

func (t *trainer) setValid(v *Eval, columns int) error {
	if err := v.X.check(); err != nil {
		return err
	}
	if v.X.Columns != columns {
		return fmt.Errorf("%d columns, expected the %d of the training rows", v.X.Columns, columns)
	}
	var err error
	if t.valid, err = newScored(t.c, v.X.Rows(), v.Y, v.W); err != nil {
		return err
	}
	t.valid.setScore(t.base)
	t.held = newBinned(v.X, t.data.columns, t.pool)
	return nil
}

// setMakers decides how threads are used: all threads grow one tree at a time, or, with many
// outputs, each thread grows one tree.
func (t *trainer) setMakers() {
	t.makers = 1
	pool := t.pool
	if n := t.pool.Threads(); n > 1 && t.c.outputs() >= n {
		t.makers, pool = n, par.New(1)
	}
	t.growers = make(chan *treeMaker, t.makers)
	for range t.makers {
		t.growers <- &treeMaker{grower: newGrower(t.c, t.data, pool), gradients: newGradients(t.data.rows)}
	}
}

func (t *trainer) run(ctx context.Context) (*Model, error) {
	best, bestRound, idle := math.Inf(1), 0, 0
	for round := 1; round <= t.c.Rounds; round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		trees, err := t.round(ctx, round)
		if err != nil {
			return nil, err
		}
		if idle++; slices.ContainsFunc(trees, func(g *grown) bool { return len(g.nodes) > 1 }) {
			idle = 0
		} else if t.drawsNothing() || idle >= t.c.Patience {
			break
		}
		for _, g := range trees {
			t.model.add(g, t.data.columns)
		}
		loss := math.NaN()
		if t.valid != nil {
			loss = t.valid.loss(t.pool)
		}
		if t.c.OnRound != nil {
			t.c.OnRound(round, loss)
		}
		switch {
		case t.valid == nil && idle > 0:
		case t.valid == nil:
			bestRound = round
		case loss < best:
			best, bestRound = loss, round
		case round-bestRound >= t.c.Patience:
			return t.model.cut(bestRound), nil
		}
		if t.c.Stop != nil && t.c.Stop(round, t.valid.losses) {
			break
		}
	}
	return t.model.cut(bestRound), nil
}

// round grows one tree for each output and adds them to the scores.
func (t *trainer) round(ctx context.Context, round int) ([]*grown, error) {
	t.drawRows(round)
	t.train.update(t.pool)
	outputs := lists.Range[int](t.c.outputs())
	return par.Map(ctx, t.makers, outputs, func(k int) *grown {
		m := <-t.growers
		defer func() { t.growers <- m }()
		return t.tree(m, round, k)
	})
}

// tree grows the tree of output k and adds it to the scores.
func (t *trainer) tree(m *treeMaker, round, k int) *grown {
	key := rng.Stream(t.c.Seed, "boost", "rounding", round, k).Uint64()
	m.compute(t.train, k, key, m.pool)
	g := m.grow(t.bag, m.gradients, t.drawColumns(round, k))
	if len(g.nodes) == 1 {
		return g
	}
	g.setValues(t.train, m.gradients, m.order, m.pool)
	g.addLeaves(t.train, k, m.order, m.pool)
	if len(t.rest) > 0 {
		g.addRows(t.train, k, t.data, t.rest, &m.rows, m.pool)
	}
	if t.valid != nil {
		g.addRows(t.valid, k, t.held, nil, &m.rows, m.pool)
	}
	return g
}

// drawsNothing reports whether all rounds use the same rows and columns: if one round finds no
// split, no later round does.
func (t *trainer) drawsNothing() bool { return t.c.RowShare == 1 && t.c.ColumnShare == 1 }

// drawRows draws the rows of a round into the bag.
func (t *trainer) drawRows(round int) {
	if t.bag != nil && t.c.RowShare == 1 {
		return
	}
	n := t.data.rows
	bag, rest, drawn := slices.Grow(t.bag[:0], n)[:n], slices.Grow(t.rest[:0], n)[:n], 0
	key := rng.Stream(t.c.Seed, "boost", "rows", round).Uint64()
	limit := uint64(t.c.RowShare * 0x1p53)
	for i := range n { // no branch: it would often be mispredicted
		bag[drawn], rest[i-drawn] = int32(i), int32(i)
		in := 0
		if mix(key+uint64(i))>>11 < limit {
			in = 1
		}
		drawn += in
	}
	t.bag, t.rest = bag[:drawn], rest[:n-drawn]
}

// drawColumns draws the columns of a tree.
func (t *trainer) drawColumns(round, k int) []bool {
	n := len(t.data.columns)
	use := make([]bool, n)
	var r *rand.Rand
	take := n
	if t.c.ColumnShare < 1 {
		r = rng.Stream(t.c.Seed, "boost", "columns", round, k)
		take = int(math.Ceil(t.c.ColumnShare * float64(n)))
	}
	for i := range use {
		if take == n-i || r != nil && r.IntN(n-i) < take {
			use[i] = true
			take--
		}
	}
	return use
}
