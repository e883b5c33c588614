package auto

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/linear"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// GraphRequest is the input of FitGraphs: one target of whole graphs, and the predictions of a trained network.
type GraphRequest struct {
	// X and ValidX are the columns of training and validation graphs that have the target (model.GraphColumns), and Y and
	// ValidY their classes or standardised numbers.
	X, ValidX model.Block
	Y, ValidY []float32
	// Described is the number of columns before the counts of substructures.
	Described int
	// Network has the network's predictions for the validation graphs: probabilities of each class, or a standardised number.
	Network []float32
	// NetworkSeconds is the training time of the network.
	NetworkSeconds float64
	Out            int // classes, or 1
	Number         bool
	Loss           string
	Seed           uint64
	Threads        int
	OnEntry        func(Entry)
}

// LearnerGraphs is the name of the graph network on a leaderboard.
const LearnerGraphs = "graph network"

// treeSubstructures is how many substructure columns trees read: those that occur in most graphs.
const treeSubstructures = 512

// FitGraphs trains a linear model and trees on columns of graphs, and averages them and the network with equal weights.
// A learner that is worse than the best by two standard errors of the paired difference gets weight 0. The result
// network is the weight of the network. Result.Learners has the linear model and the trees.
func FitGraphs(ctx context.Context, r GraphRequest) (_ *Result, network float64, err error) {
	p := &problem{Request: Request{Out: r.Out, Number: r.Number, Loss: r.Loss, Seed: r.Seed, Threads: r.Threads, OnEntry: r.OnEntry},
		families: slices.Repeat([]string{model.FamilyOwn}, r.X.Width), valid: table{x: r.ValidX, y: r.ValidY}}
	p.hiding = &trainingSet{static: r.X, y: r.Y, epoch: r.X.Rows}
	race := &race{problem: p}
	race.add("constant", columnSet{name: "nothing"}, p.constant(), 0)
	race.add(LearnerGraphs, columnSet{name: "the graph"}, Trained{Prediction: r.Network, Seconds: r.NetworkSeconds}, 0)
	set := columnSet{name: "substructures, sizes, features", families: p.families[:1]}
	all, some := model.ColumnRange(0, r.X.Width), frequentColumns(r.X, r.Described, treeSubstructures)
	for _, t := range []struct {
		kind    string
		columns []int32
		train   func() (Trained, error)
	}{
		{model.LearnerLinear, all, func() (Trained, error) { return trainRidge(p, r.Described, all) }},
		{model.LearnerTrees, some, func() (Trained, error) { return trainTrees(ctx, p, set, p.hiding, some) }},
	} {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		start := time.Now()
		trained, err := t.train()
		if err != nil {
			return nil, 0, err
		}
		trained.Seconds = time.Since(start).Seconds()
		race.add(t.kind, set, trained, len(t.columns))
	}
	of := members(lists.Map(race.entries[1:], func(e entry) losses { return e.loss }))
	for i := range of {
		of[i]++ // the constant is not averaged
	}
	weight, final := map[int]float64{}, of[0]
	for _, k := range of {
		weight[k] = 1 / float64(len(of))
	}
	if len(of) > 1 {
		race.add("average", columnSet{name: "of the marked learners"}, Trained{Prediction: race.mean(of)}, 0)
		final = len(race.entries) - 1
	}
	out := race.assemble(weight, final)
	out.Learners, out.Arrays = nil, nil
	for k, e := range race.entries {
		if l := e.trained.Learner; l.Kind != "" { // skips the constant, the network and the average
			l.Weight = weight[k]
			out.Learners, out.Arrays = append(out.Learners, l), append(out.Arrays, e.trained.Arrays)
		}
	}
	return out, weight[1], nil
}

// frequentColumns returns the columns before an index and the columns behind it that are not 0 in the most rows.
func frequentColumns(x model.Block, first, most int) []int32 {
	count := make([]int, x.Width)
	for i, v := range x.Data {
		if v != 0 {
			count[i%x.Width]++
		}
	}
	out := model.ColumnRange(0, x.Width)
	slices.SortStableFunc(out[first:], func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
	out = out[:min(len(out), first+most)]
	slices.Sort(out)
	return out
}

// ridgePenalties are the penalties tried for the linear model of counts.
var ridgePenalties = []float64{0.3, 3, 30, 300}

// ridgeTolerance ends a fit (linear.Options): closer solutions give almost the same predictions.
const ridgeTolerance = 1e-4

// trainRidge fits linear models of the columns with some penalties and keeps the model with the lowest validation loss.
// Counts are not standardised: a rare substructure would weigh as much as a frequent one.
func trainRidge(p *problem, described int, columns []int32) (best Trained, err error) {
	x := p.hiding.static.Select(columns)
	mean, scale := standardise(p.hiding.static.Select(columns[:described]))
	for i := range x.Rows {
		row := x.Data[i*x.Width:]
		for c := range described {
			row[c] = min(max((row[c]-mean[c])/scale[c], -model.LinearBound), model.LinearBound)
		}
	}
	least := math.Inf(1)
	for _, penalty := range ridgePenalties {
		fitted, err := p.fitLinear(x, p.hiding.y, false, linear.Options{Penalty: penalty, Raw: true, Tolerance: ridgeTolerance})
		if err != nil {
			return Trained{}, err
		}
		m := ridgeOf(fitted, x, mean, scale, !p.Number)
		t := Trained{}
		if t.Prediction, err = p.predict(m, columns); err != nil {
			return Trained{}, err
		}
		if loss, _ := p.lossesOf(t.Prediction).mean(); loss < least {
			least, best = loss, t
			best.Learner, best.Arrays = m.Learner(columns)
		}
	}
	return best, nil
}

// ridgeOf returns the learner of a fitted linear model. The first columns were standardised. The scale of each count is
// large enough that no count of a training graph is clipped.
func ridgeOf(fitted *linear.Model, x model.Block, mean, scale []float32, classes bool) *model.Linear {
	m := &model.Linear{Mean: slices.Clone(mean), Scale: slices.Clone(scale), Weight: lists.Convert[float32](fitted.Weight), Bias: lists.Convert[float32](fitted.Bias), Classes: classes}
	most := make([]float32, x.Width)
	for i, v := range x.Data {
		most[i%x.Width] = max(most[i%x.Width], v)
	}
	out := len(m.Bias)
	for c := len(mean); c < x.Width; c++ {
		s := max(most[c]/model.LinearBound, 1)
		m.Mean, m.Scale = append(m.Mean, 0), append(m.Scale, s)
		for k := range out {
			m.Weight[c*out+k] *= s
		}
	}
	return m
}

// MeanLeaderboard merges the leaderboards of several targets: the loss of a learner is its mean over the targets. A
// target without an average counts with the learner that it kept. A learner is kept if it is kept for any target.
func MeanLeaderboard(of [][]Entry) []Entry {
	if len(of) == 1 {
		return of[0]
	}
	var out []Entry
	n := float64(len(of))
	for _, learner := range []string{"average", LearnerGraphs, model.LearnerLinear, model.LearnerTrees, "constant"} {
		var mean Entry
		for _, board := range of {
			k := slices.IndexFunc(board, func(e Entry) bool { return e.Learner == learner })
			if k < 0 { // only one learner is kept
				k = slices.IndexFunc(board, func(e Entry) bool { return e.Kept })
			}
			e := board[k]
			mean.Columns, mean.Width = cmp.Or(mean.Columns, e.Columns), e.Width
			mean.Loss, mean.Behind, mean.Seconds = mean.Loss+e.Loss/n, mean.Behind+e.Behind/n, mean.Seconds+e.Seconds
			mean.Error, mean.BehindError = math.Hypot(mean.Error, e.Error/n), math.Hypot(mean.BehindError, e.BehindError/n)
			mean.Steps, mean.Kept = max(mean.Steps, e.Steps), mean.Kept || e.Kept
		}
		if mean.Learner = learner; learner == "average" {
			mean.Columns, mean.Width, mean.Seconds, mean.Kept, mean.Behind, mean.BehindError = "of the kept learners of each target", 0, 0, false, 0, 0
		}
		if learner == LearnerGraphs {
			mean.Seconds /= n // one training serves all targets
		}
		out = append(out, mean)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(a.Loss, b.Loss) })
	return out
}
