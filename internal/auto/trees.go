package auto

import (
	"cmp"
	"context"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/model"
)

// Settings of the trees (boost.Config); those that are not here have their defaults.
const (
	treeRate   = 0.05
	treeRounds = 1500
	treeWait   = 60
	treeRows   = 20     // of each draw, at least in a leaf
	treeShare  = 0.8    // of rows and of columns that a tree sees
	treeDraws  = 10_000 // rows up to which all draws are learned from; of more two
	largeRate  = 0.1    // in place of treeRate for tables of more than largeRows, where half as many trees do as well

	sampleRounds = 400 // of trees that compare sets of columns on a sample of the rows
)

// Settings of the trees of more than two classes, of which a round adds one for each class.
const (
	severalRate   = 0.1
	severalRounds = 300
	severalWait   = 20
)

// trainTrees trains gradient-boosted trees on all draws at once.
func trainTrees(ctx context.Context, p *problem, of columnSet, set *trainingSet, columns []int32) (Trained, error) {
	objective := boost.LogLoss
	switch {
	case p.Number && p.Loss == LossSquared:
		objective = boost.Squared
	case p.Number:
		objective = boost.Absolute
	case p.Out > 2:
		objective = boost.Softmax
	}
	rounds := treeRounds
	if of.sample {
		rounds = sampleRounds
	}
	return growTrees(ctx, p, set, columns, objective, 0, rounds)
}

// growTrees trains so many rounds of trees at most for an objective; level is that of boost.Quantile.
func growTrees(ctx context.Context, p *problem, set *trainingSet, columns []int32, objective boost.Objective, level float64, rounds int) (Trained, error) {
	draws := max(len(set.draws), 1)
	if !p.reads(columns, model.FamilyLabels) {
		draws = 1 // which are all the same
	}
	if draws > 2 && set.static.Rows > treeDraws {
		draws = 2
	}
	c := boost.Config{MinRows: treeRows * draws, RowShare: treeShare, ColumnShare: treeShare, Rate: treeRate, Rounds: rounds, Patience: treeWait, Seed: p.Seed, Threads: p.Threads,
		Objective: objective, Level: level}
	if p.hiding.static.Rows > cmp.Or(p.large, largeRows) {
		c.Rate = largeRate
	}
	if objective == boost.Softmax {
		c.Classes, c.Rate, c.Rounds, c.Patience = p.Out, severalRate, min(rounds, severalRounds), severalWait
	}
	if set.epoch < set.static.Rows { // a stack of snapshots has an edge several times
		c.MinRows = treeRows * (set.static.Rows / set.epoch)
	}
	x := &boost.Matrix{Columns: len(columns)}
	var y []float32
	for k := range draws {
		x.Blocks = append(x.Blocks, set.columns(k, columns).Data)
		y = append(y, set.y...)
	}
	valid := p.valid.x.Select(columns)
	eval := &boost.Eval{X: &boost.Matrix{Columns: len(columns), Blocks: [][]float32{valid.Data}}, Y: p.rowLabels()}
	var curve []Point
	c.OnRound = func(round int, loss float64) { curve = append(curve, Point{Step: round, Valid: loss}) }
	fitted, err := boost.Train(ctx, x, y, nil, eval, c)
	if err != nil {
		return Trained{}, err
	}
	return p.finish(Trained{Steps: fitted.Rounds(), Curve: curve}, model.NewTrees(fitted, p.Out, !p.Number), columns)
}

// rowLabels are the labels of the validation rows: of an undirected edge both.
func (p *problem) rowLabels() []float32 {
	out := p.valid.y
	for len(out) < p.valid.x.Rows {
		out = append(out[:len(out):len(out)], p.valid.y...)
	}
	return out
}
