package experiment

import (
	"context"
	"errors"

	"github.com/ehgnn/ehgnn/internal/generate/benchmark"
	"github.com/ehgnn/ehgnn/internal/generate/genetic"
	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/train"
)

// errBudget ends the chains of MARS when the budget is used up.
var errBudget = errors.New("the budget is spent")

// chains runs MARS until it has scored as many molecules as the budget allows.
func (b *optimiseBench) chains(ctx context.Context, of optimiseSettings, objective genetic.Objective, start []string, w work) (*genetic.Result, error) {
	set, ok := objective.(*score.Set)
	if !ok {
		one := objective
		var err error
		if set, err = score.NewSet(b.toolkit, w.threads, score.Term{Name: of.Task, Property: property(one.(*benchmark.Task)), Weight: 1}); err != nil {
			return nil, err
		}
	}
	result := &genetic.Result{}
	set.OnScore = func(smiles []string, values [][]float64) error {
		for i, s := range smiles {
			if len(result.All) == of.Config.Calls {
				return errBudget
			}
			result.All = append(result.All, genetic.Scored{SMILES: s, Values: values[i], Total: set.Combine(values[i]), Call: len(result.All) + 1})
		}
		w.onEpoch(train.EpochInfo{Epoch: len(result.All)})
		return nil
	}
	c := mars.NewConfig()
	c.Chains, c.Steps, c.Edges, c.Seed, c.Threads = of.Config.Start, of.Config.Calls, mars.EdgesEHGNN, of.Config.Seed, w.threads
	t := mars.Task{Editor: b.fragments.editor, Scores: set}
	for _, text := range start {
		if m, err := b.fragments.editor.Read(text); err == nil {
			t.Start = append(t.Start, m)
		}
		if len(t.Start) == of.Config.Start {
			break
		}
	}
	if _, err := mars.Run(ctx, t, c); err != nil && !errors.Is(err, errBudget) {
		return nil, err
	}
	return result, nil
}

// property is the score of a task as a property of a molecule.
func property(t *benchmark.Task) score.Property {
	return func(m *score.Molecule) (float64, error) { return t.Value(m.Molecule) }
}
