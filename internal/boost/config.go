package boost

import (
	"fmt"
	"math"
)

// Objective is the loss that trees minimise.
type Objective int

// The objectives. The raw score of LogLoss is a log-odds, that of Softmax is one logit for each
// class, and that of the others is the number itself.
const (
	LogLoss  Objective = iota // labels 0 and 1
	Softmax                   // labels 0 to Classes-1
	Squared                   // squared error
	Absolute                  // absolute error
	Huber                     // squared error up to Delta, absolute error beyond
	Quantile                  // pinball loss of the quantile Level
)

// Config says how trees are trained. A zero means the default, which ends each comment.
type Config struct {
	Objective Objective
	Classes   int     // for Softmax
	Delta     float64 // for Huber; 1
	Level     float64 // for Quantile, between 0 and 1; .5

	Rounds      int     // at most; 2000
	Rate        float64 // learning rate; .05
	Leaves      int     // leaves of a tree, at most 1024; 31
	MinRows     int     // rows in a leaf, at least; 20
	L2          float64 // penalty on the values of leaves
	RowShare    float64 // share of the rows drawn for each round; 1
	ColumnShare float64 // share of the columns drawn for each tree; 1
	Bins        int     // bins of a column, at most 255; 255
	Patience    int     // rounds without a lower validation loss after which training ends; 100

	Seed    uint64
	Threads int // does not change the result; all processors

	// OnRound is called after each round, counted from 1, with the validation loss, or NaN without
	// validation rows.
	OnRound func(round int, validLoss float64)
	// Stop is called after each round. losses returns the loss of each validation row. If Stop returns true, training ends.
	Stop func(round int, losses func() []float32) bool
}

// Limits of a tree. A model from a file is checked against them as well.
const (
	maxLeaves = 1024
	maxBins   = 255
)

// minHessian is the smallest sum of second derivatives in a leaf: with less, the leaf value would
// be noise.
const minHessian = 1e-3

// filled returns the configuration with defaults in place of zeros.
func (c Config) filled() Config {
	set := func(v *float64, d float64) {
		if *v == 0 {
			*v = d
		}
	}
	count := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&c.Delta, 1)
	set(&c.Level, .5)
	set(&c.Rate, .05)
	set(&c.RowShare, 1)
	set(&c.ColumnShare, 1)
	count(&c.Rounds, 2000)
	count(&c.Leaves, 31)
	count(&c.MinRows, 20)
	count(&c.Bins, maxBins)
	count(&c.Patience, 100)
	return c
}

// check returns an error for a setting out of its range. Defaults are filled in before.
func (c Config) check() error {
	for _, r := range []struct {
		name   string
		v      float64
		lo, hi float64
	}{
		{"objective", float64(c.Objective), 0, float64(Quantile)},
		{"rounds", float64(c.Rounds), 1, 1 << 20},
		{"learning rate", c.Rate, 1e-6, 10},
		{"leaves", float64(c.Leaves), 2, maxLeaves},
		{"rows of a leaf", float64(c.MinRows), 1, maxRows},
		{"L2 penalty", c.L2, 0, math.MaxFloat32},
		{"share of rows", c.RowShare, 1e-6, 1},
		{"share of columns", c.ColumnShare, 1e-6, 1},
		{"bins", float64(c.Bins), 2, maxBins},
		{"patience", float64(c.Patience), 1, 1 << 30},
		{"delta of the Huber loss", c.Delta, 1e-30, math.MaxFloat32},
		{"level of the quantile", c.Level, 1e-6, 1 - 1e-6},
	} {
		if !(r.v >= r.lo && r.v <= r.hi) {
			return fmt.Errorf("%s %v, expected %v to %v", r.name, r.v, r.lo, r.hi)
		}
	}
	if c.Objective == Softmax && (c.Classes < 2 || c.Classes > 1<<16) {
		return fmt.Errorf("%d classes, expected 2 to %d", c.Classes, 1<<16)
	}
	return nil
}

// outputs is the number of raw scores of a row, and of trees in a round.
func (c Config) outputs() int {
	if c.Objective == Softmax {
		return c.Classes
	}
	return 1
}
