package auto

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/model"
)

// Settings of the network that differ from the defaults of tabular.Config.
const (
	bestMembers  = 8      // networks that share layers, with QualityBest
	goodSteps    = 10_000 // optimiser steps, at most
	fastSteps    = 1_000
	bestSteps    = 40_000
	fastWait     = 5       // epochs without a better validation loss, with QualityFast on long tables
	epochRows    = 100_000 // rows in an epoch, at most
	noDropout    = -1      // of networks of numbers, which are better without (ADR 18)
	plainClasses = 12      // classes above which label columns have no piecewise-linear encoding
)

// trainNetwork trains a neural network in mini-batches; each epoch uses one draw.
func trainNetwork(ctx context.Context, p *problem, _ columnSet, set *trainingSet, columns []int32) (Trained, error) {
	d, c := p.networkData(set, columns)
	if p.Quality == model.QualityFast && p.long() {
		c.Patience = fastWait
	}
	t, fitted, err := p.fitNetwork(ctx, d, c)
	if err != nil {
		return Trained{}, err
	}
	return p.finishNetwork(t, &model.Network{Model: fitted}, columns)
}

// finishNetwork adds a network and its predictions to what fitNetwork returned.
func (p *problem) finishNetwork(t Trained, m *model.Network, columns []int32) (_ Trained, err error) {
	if t.Prediction, err = p.predict(m, columns); err != nil {
		return Trained{}, err
	}
	t.Learner, t.Arrays, err = m.Learner(columns)
	return t, err
}

// networkData returns the rows and the settings of a network on some columns.
func (p *problem) networkData(set *trainingSet, columns []int32) (tabular.Data, tabular.Config) {
	static, labels := p.divide(set, columns)
	d := tabular.Data{Static: blockOf(set.static.Select(static))}
	if len(labels) > 0 {
		for _, draw := range set.draws {
			d.Draws = append(d.Draws, blockOf(draw.Select(shift(labels, set.static.Width))))
		}
	}
	if n := min(set.epoch, epochRows); n < set.static.Rows {
		d.PerEpoch = n
	}
	d.Valid = tabular.Rows{Static: blockOf(p.valid.x.Select(static)), Labels: blockOf(p.valid.x.Select(labels))}
	d.Targets, d.ValidTargets = p.targets(set.y), p.targets(p.rowLabels())
	c := tabular.Config{Loss: tabular.CrossEntropy, Classes: p.Out, Seed: p.Seed, Threads: p.Threads, Members: 1, MaxSteps: goodSteps}
	switch p.Quality {
	case model.QualityFast:
		c.MaxSteps = fastSteps
	case model.QualityBest:
		c.Members, c.MaxSteps = bestMembers, bestSteps
	}
	if p.Number {
		c.Dropout = noDropout
	}
	switch {
	case p.Number && p.Loss == LossSquared:
		c.Loss, c.Classes = tabular.Squared, 0
	case p.Number:
		c.Loss, c.Classes = tabular.Absolute, 0
	case p.Out > plainClasses:
		c.Plain = make([]bool, len(columns))
		for i := range labels {
			c.Plain[len(static)+i] = true
		}
	}
	return d, c
}

// fitNetwork trains a network; Trained has only the curve and the steps.
func (p *problem) fitNetwork(ctx context.Context, d tabular.Data, c tabular.Config) (t Trained, m *tabular.Model, err error) {
	c.OnEpoch = func(e tabular.Epoch) {
		t.Curve = append(t.Curve, Point{Step: e.Steps, Train: &e.Train, Valid: e.Valid})
		if e.Best {
			t.Steps = e.Epoch
		}
	}
	m, err = tabular.Train(ctx, d, c)
	return t, m, err
}

// divide divides columns into columns of the static block of a training set and columns of its draws.
func (p *problem) divide(set *trainingSet, columns []int32) (static, labels []int32) {
	for _, c := range columns {
		if int(c) < set.static.Width {
			static = append(static, c)
		} else {
			labels = append(labels, c)
		}
	}
	return static, labels
}

func shift(columns []int32, by int) []int32 {
	return lists.Map(columns, func(c int32) int32 { return c - int32(by) })
}

func blockOf(b model.Block) tabular.Block { return tabular.Block{X: b.Data, Cols: b.Width} }

func (p *problem) targets(y []float32) tabular.Targets {
	if p.Number {
		return tabular.Targets{Numbers: y}
	}
	return tabular.Targets{Classes: lists.Convert[int32](y)}
}
