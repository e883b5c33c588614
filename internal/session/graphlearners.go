package session

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/substructure"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// Bounds of the learners beside a network of graphs.
const (
	substructureRadius = 2
	mostSubstructures  = 2048
	leastSubstructures = 256
	mostGraphCells     = 50_000_000 // columns times training graphs, above which fewer substructures have a column
	mostGraphTargets   = 16         // targets above which there are no learners
	columnGraphs       = 256        // graphs whose columns are made at once
)

// fitGraphLearners trains a linear model and trees on columns of graphs, once the network is trained, and averages those that
// validation prefers with it (model.GraphLearners).
func (s *Session) fitGraphLearners(ctx context.Context, dir string, seconds float64, onEntry func(auto.Entry)) error {
	training, valid := s.Graphs(source.PartTrain), s.Graphs(source.PartValid)
	if !s.Settings.Target.Learners || len(valid) == 0 {
		return nil
	}
	if r, result, ok := s.finished(dir); ok { // the same network had learners before
		s.Model, s.Settings.Model, s.leaderboard = r.Model, r.Settings.Model, result.Leaderboard
		return nil
	}
	c := model.GraphLearnersConfig{Outputs: s.graphOutputs(), Counter: substructure.Counter{Radius: substructureRadius, NodeNumbers: training[0].Node.Dim, EdgeNumbers: training[0].Edge.Dim}}
	targets := s.Settings.Model.Out
	if c.Outputs == model.OutputClasses {
		targets = 1
	}
	if targets > mostGraphTargets {
		return nil
	}
	columns := &model.GraphColumns{Counter: c.Counter}
	var err error
	if columns.IDs, err = frequentSubstructures(ctx, c.Counter, training); err != nil {
		return err
	}
	c.Substructures = len(columns.IDs)
	x, err := graphBlock(ctx, columns, training)
	if err != nil {
		return err
	}
	validX, err := graphBlock(ctx, columns, valid)
	if err != nil {
		return err
	}
	network, err := s.graphPredictions(ctx, valid, c.Outputs)
	if err != nil {
		return err
	}
	described := columns.Described(s.Settings.Model.Node, s.Settings.Model.Edge)
	var arrays []map[string][]float32
	var boards [][]auto.Entry
	for k := range targets {
		r := auto.GraphRequest{Described: described, NetworkSeconds: seconds, Out: 1, Number: c.Outputs == model.OutputNumbers, Loss: auto.LossSquared,
			Seed: s.Settings.Model.Seed, Threads: s.Threads, OnEntry: onEntry}
		switch c.Outputs {
		case model.OutputClasses:
			r.Out = s.Settings.Model.Out
		case model.OutputLabels:
			r.Out = 2
		}
		var of []int
		r.Y, of = s.graphLabels(training, k, c.Outputs)
		r.X = someRows(x, of)
		r.ValidY, of = s.graphLabels(valid, k, c.Outputs)
		r.ValidX = someRows(validX, of)
		r.Network = someRows(model.Block{Rows: len(valid), Width: targets * r.Out, Data: network}, of).Select(span(k*r.Out, r.Out)).Data
		if missing(r) {
			c.Network = append(c.Network, 1)
			continue
		}
		got, weight, err := auto.FitGraphs(ctx, r)
		if err != nil {
			return fmt.Errorf("task: learners beside the network: %w", err)
		}
		c.Network = append(c.Network, weight)
		for i, l := range got.Learners {
			c.Learners, arrays = append(c.Learners, model.TargetLearner{Target: k, Learner: l}), append(arrays, got.Arrays[i])
		}
		boards = append(boards, got.Leaderboard)
	}
	if boards != nil {
		s.leaderboard = auto.MeanLeaderboard(boards)
	}
	if len(c.Learners) == 0 {
		return nil
	}
	m, err := model.WithGraphLearners(s.Model, s.Settings.Model.Dims, c, columns.IDs, arrays)
	if err != nil {
		return err
	}
	s.Model, s.Settings.Model.Graphs = m, &c
	return nil
}

// graphOutputs is what the outputs for a graph are.
func (s *Session) graphOutputs() string {
	switch {
	case s.Task.Number:
		return model.OutputNumbers
	case s.Settings.Target.Names != nil:
		return model.OutputLabels
	}
	return model.OutputClasses
}

// missing reports whether a class has no training graph, or there is no graph to validate on: nothing can be learned or chosen.
func missing(r auto.GraphRequest) bool {
	if len(r.Y) < 2 || len(r.ValidY) == 0 {
		return true
	}
	if r.Number {
		return false
	}
	count := make([]int, r.Out)
	for _, c := range r.Y {
		count[int(c)]++
	}
	for _, n := range count {
		if n == 0 {
			return true
		}
	}
	return false
}

// graphLabels are the classes or the standardised numbers of the graphs that have target k, and which graphs these are.
func (s *Session) graphLabels(of []*graph.Graph, k int, outputs string) (y []float32, rows []int) {
	for i, g := range of {
		v := float32(math.NaN())
		switch outputs {
		case model.OutputClasses:
			if g.Label >= 0 {
				v = float32(g.Label)
			}
		case model.OutputLabels:
			v = g.Targets[k]
		default:
			u := s.Settings.Target.Units[k]
			v = float32((float64(g.Targets[k]) - u.Mean) / u.Scale)
		}
		if v == v {
			y, rows = append(y, v), append(rows, i)
		}
	}
	return y, rows
}

// graphPredictions are the network's probabilities or standardised numbers for graphs, a row for each; of a label both
// probabilities.
func (s *Session) graphPredictions(ctx context.Context, of []*graph.Graph, outputs string) ([]float32, error) {
	var out []float32
	err := s.Each(ctx, &source.Part{Graphs: of}, func(o *model.Output, _ *graph.Batch, _ int) error {
		switch outputs {
		case model.OutputClasses:
			out = append(out, o.Graph.Softmax().Data()...)
		case model.OutputLabels:
			for _, p := range o.Graph.Sigmoid().Data() {
				out = append(out, 1-p, p)
			}
		default:
			out = append(out, o.Graph.Data()...)
		}
		return nil
	})
	return out, err
}

// frequentSubstructures are those that have a column.
func frequentSubstructures(ctx context.Context, c substructure.Counter, of []*graph.Graph) ([]int32, error) {
	var counts [][]substructure.Count
	err := batches(ctx, of, func(b *graph.Batch) { counts = append(counts, c.Counts(b.View, b.N)...) })
	return substructure.Frequent(counts, min(mostSubstructures, max(leastSubstructures, mostGraphCells/len(of)))), err
}

// graphBlock has the columns of graphs.
func graphBlock(ctx context.Context, c *model.GraphColumns, of []*graph.Graph) (out model.Block, err error) {
	err = batches(ctx, of, func(b *graph.Batch) {
		x := c.Block(b)
		out.Rows, out.Width, out.Data = out.Rows+x.Rows, x.Width, append(out.Data, x.Data...)
	})
	return out, err
}

// batches collates some graphs after the other.
func batches(ctx context.Context, of []*graph.Graph, f func(b *graph.Batch)) error {
	for at := 0; at < len(of); at += columnGraphs {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := graph.Collate(of[at:min(at+columnGraphs, len(of))])
		if err != nil {
			return err
		}
		f(b)
	}
	return nil
}

func someRows(x model.Block, rows []int) model.Block {
	out := model.Block{Rows: len(rows), Width: x.Width, Data: make([]float32, 0, len(rows)*x.Width)}
	for _, i := range rows {
		out.Data = append(out.Data, x.Data[i*x.Width:][:x.Width]...)
	}
	return out
}

func span(first, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(first + i)
	}
	return out
}
