package session

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/substructure"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// Limits of the learners that are averaged with a network of graphs.
const (
	substructureRadius = 2
	mostSubstructures  = 2048
	leastSubstructures = 256
	mostGraphCells     = 50_000_000 // columns times training graphs; above it, fewer substructures have a column
	mostGraphTargets   = 16         // targets above which no learners are trained
	columnGraphs       = 256        // graphs whose columns are made at a time
)

// fitGraphLearners trains a linear model and trees on columns of graphs after the network, and averages them with it if
// this lowers the validation loss (model.GraphLearners).
func (s *Session) fitGraphLearners(ctx context.Context, seconds float64, onEntry func(auto.Entry)) error {
	if !s.Settings.Target.Learners || len(s.Graphs(source.PartValid)) == 0 {
		return nil
	}
	if r := s.before; r != nil { // the same network already has learners
		s.Model, s.Settings.Model = r.Model, r.Settings.Model
		return nil
	}
	c := &model.GraphLearnersConfig{Outputs: s.graphOutputs()}
	targets := c.Targets(s.Settings.Model.Out)
	if targets > mostGraphTargets {
		return nil
	}
	rows, err := s.graphRows(ctx, c)
	if err != nil {
		return err
	}
	var arrays []map[string][]float32
	var boards [][]auto.Entry
	for k := range targets {
		r := s.graphRequest(rows, c, k)
		if missing(r) {
			c.Network = append(c.Network, 1)
			continue
		}
		r.NetworkSeconds, r.OnEntry = seconds, onEntry
		got, weight, err := auto.FitGraphs(ctx, r)
		if err != nil {
			return fmt.Errorf("learners beside the network: %w", err)
		}
		c.Network = append(c.Network, weight)
		for i, l := range got.Learners {
			c.Learners, arrays = append(c.Learners, model.TargetLearner{Target: k, Learner: l}), append(arrays, got.Arrays[i])
		}
		boards = append(boards, got.Leaderboard)
	}
	if boards == nil {
		return nil
	}
	m, err := model.WithGraphLearners(s.Model, s.Settings.Model.Dims, *c, rows.columns.IDs, arrays)
	if err != nil {
		return err
	}
	s.Model, s.Settings.Model.Graphs, s.leaderboard = m, c, auto.MeanLeaderboard(boards)
	return nil
}

// graphRows has the columns of graphs, and the network's predictions for the validation graphs.
type graphRows struct {
	columns         *model.GraphColumns
	training, valid model.Block
	network         []float32
}

// graphRows makes the columns and describes them in the config.
func (s *Session) graphRows(ctx context.Context, c *model.GraphLearnersConfig) (out graphRows, err error) {
	training, valid := s.Graphs(source.PartTrain), s.Graphs(source.PartValid)
	c.Counter = substructure.Counter{Radius: substructureRadius, NodeNumbers: training[0].Node.Dim, EdgeNumbers: training[0].Edge.Dim}
	out.columns = &model.GraphColumns{Counter: c.Counter}
	if out.columns.IDs, err = frequentSubstructures(ctx, c.Counter, training); err != nil {
		return out, err
	}
	c.Substructures = len(out.columns.IDs)
	if out.training, err = graphBlock(ctx, out.columns, training); err != nil {
		return out, err
	}
	if out.valid, err = graphBlock(ctx, out.columns, valid); err != nil {
		return out, err
	}
	out.network, err = s.graphPredictions(ctx, valid, c.Outputs)
	return out, err
}

// graphRequest returns the request for the learners of target k.
func (s *Session) graphRequest(rows graphRows, c *model.GraphLearnersConfig, k int) auto.GraphRequest {
	m := &s.Settings.Model
	r := auto.GraphRequest{Described: rows.columns.Described(m.Node, m.Edge), Out: c.Width(m.Out), Number: c.Outputs == model.OutputNumbers, Loss: auto.LossSquared,
		Seed: m.Seed, Threads: s.Threads}
	var of []int32
	r.Y, of = s.graphLabels(s.Graphs(source.PartTrain), k, c.Outputs)
	r.X = rows.training.Take(of)
	r.ValidY, of = s.graphLabels(s.Graphs(source.PartValid), k, c.Outputs)
	r.ValidX = rows.valid.Take(of)
	network := model.Block{Rows: rows.valid.Rows, Width: c.Targets(m.Out) * r.Out, Data: rows.network}
	r.Network = network.Take(of).Select(model.ColumnRange(k*r.Out, r.Out)).Data
	return r
}

// graphOutputs returns the kind of outputs for a graph.
func (s *Session) graphOutputs() string {
	switch {
	case s.Task.Number:
		return model.OutputNumbers
	case s.Settings.Target.Names != nil:
		return model.OutputLabels
	}
	return model.OutputClasses
}

// missing reports whether a class has no training graph, or there is no validation graph: then learners cannot be trained or chosen.
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
	return slices.Contains(count, 0)
}

// graphLabels returns the classes or standardised numbers of the graphs that have target k, and these graphs.
func (s *Session) graphLabels(of []*graph.Graph, k int, outputs string) (y []float32, rows []int32) {
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
			y, rows = append(y, v), append(rows, int32(i))
		}
	}
	return y, rows
}

// graphPredictions returns the network's probabilities or standardised numbers for graphs, a row for each; a binary
// label has both probabilities.
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

// frequentSubstructures returns the substructures that have a column.
func frequentSubstructures(ctx context.Context, c substructure.Counter, of []*graph.Graph) ([]int32, error) {
	var counts [][]substructure.Count
	err := batches(ctx, of, func(b *graph.Batch) { counts = append(counts, c.Counts(b.View, b.N)...) })
	return substructure.Frequent(counts, min(mostSubstructures, max(leastSubstructures, mostGraphCells/len(of)))), err
}

// graphBlock returns the columns of graphs.
func graphBlock(ctx context.Context, c *model.GraphColumns, of []*graph.Graph) (out model.Block, err error) {
	err = batches(ctx, of, func(b *graph.Batch) {
		x := c.Block(b)
		out.Rows, out.Width, out.Data = out.Rows+x.Rows, x.Width, append(out.Data, x.Data...)
	})
	return out, err
}

// batches collates graphs, a few at a time.
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
