package auto

import (
	"cmp"
	"context"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/model"
)

// Settings of the trees that differ from the defaults of boost.Config.
const (
	treeRate   = 0.05
	treeRounds = 1500
	treeWait   = 60
	treeRows   = 20     // rows of each draw in a leaf, at least
	treeShare  = 0.8    // share of rows and of columns that a tree reads
	treeDraws  = 10_000 // rows up to which trees use all draws; above it they use two
	largeRate  = 0.1    // replaces treeRate above largeRows, where half as many trees are as good

	sampleRounds = 400 // rounds of trees that compare sets of columns on a sample

	paceFirst = 200 // rounds after which trees may be stopped early; again after twice as many, and so on
)

// longRows is the number of training rows of a long table.
const longRows = 10_000

// long reports whether a table is long. On long tables trees on a set of columns may be stopped early, and learners take
// fewer steps with QualityFast.
func (p *problem) long() bool { return p.hiding.static.Rows >= longRows }

// Settings of the trees of more than two classes. A round adds one tree for each class.
const (
	severalRate   = 0.1
	severalRounds = 300
	severalWait   = 20
)

// Settings of the trees of more than treeClasses classes. Small trees that read few columns are better, and faster.
const (
	manyRate    = 0.2
	manyRounds  = 150
	manyWait    = 10
	manyColumns = 0.3 // share of columns that a tree reads
	manyLeaves  = 4
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
	var pace [][]float32
	stopped := false
	stop := func(round int, losses func() []float32) bool {
		if round != paceFirst<<len(pace) {
			return false
		}
		pace = append(pace, losses())
		stopped = len(pace) <= len(of.pace) && p.ofEdges(of.pace[len(pace)-1]).beats(p.ofEdges(pace[len(pace)-1]))
		return stopped
	}
	t, err := growTrees(ctx, p, set, columns, objective, 0, rounds, stop)
	t.Pace, t.Stopped = pace, stopped
	return t, err
}

// ofEdges returns the loss of each validation edge, given those of the validation rows.
func (p *problem) ofEdges(rows []float32) losses {
	out := make(losses, len(p.valid.y))
	for i, v := range rows {
		out[i%len(out)] += float64(v) * float64(len(out)) / float64(len(rows))
	}
	return out
}

// growTrees trains trees for an objective, in at most so many rounds; level is the level of boost.Quantile. stop is
// boost.Config.Stop.
func growTrees(ctx context.Context, p *problem, set *trainingSet, columns []int32, objective boost.Objective, level float64, rounds int,
	stop func(round int, losses func() []float32) bool) (Trained, error) {
	draws := max(len(set.draws), 1)
	if !p.reads(columns, model.FamilyLabels) {
		draws = 1 // all draws are the same
	}
	many := objective == boost.Softmax && p.Out > treeClasses
	switch {
	case many:
		draws = 1
	case draws > 2 && set.static.Rows > treeDraws:
		draws = 2
	}
	c := boost.Config{MinRows: treeRows * draws, RowShare: treeShare, ColumnShare: treeShare, Rate: treeRate, Rounds: rounds, Patience: treeWait, Seed: p.Seed, Threads: p.Threads,
		Objective: objective, Level: level}
	if p.hiding.static.Rows > cmp.Or(p.large, largeRows) {
		c.Rate = largeRate
	}
	switch {
	case many:
		c.Classes, c.Rate, c.Rounds, c.Patience, c.ColumnShare, c.Leaves = p.Out, manyRate, min(rounds, manyRounds), manyWait, manyColumns, manyLeaves
	case objective == boost.Softmax:
		c.Classes, c.Rate, c.Rounds, c.Patience = p.Out, severalRate, min(rounds, severalRounds), severalWait
	}
	if p.Quality == model.QualityFast && !many && p.long() { // larger steps need fewer rounds
		c.Rate, c.Rounds, c.Patience = 2*c.Rate, c.Rounds/4, c.Patience/2
	}
	if set.epoch < set.static.Rows { // an edge has several rows in a stack of snapshots
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
	c.Stop = stop
	c.OnRound = func(round int, loss float64) { curve = append(curve, Point{Step: round, Valid: loss}) }
	fitted, err := boost.Train(ctx, x, y, nil, eval, c)
	if err != nil {
		return Trained{}, err
	}
	return p.finish(Trained{Steps: fitted.Rounds(), Curve: curve}, model.NewTrees(fitted, p.Out, !p.Number), columns)
}

// rowLabels returns the label of each validation row. Both rows of an undirected edge have its label.
func (p *problem) rowLabels() []float32 {
	out := p.valid.y
	for len(out) < p.valid.x.Rows {
		out = append(out[:len(out):len(out)], p.valid.y...)
	}
	return out
}
