package score

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
)

// Run is a trained run on molecules as a score: the number that it estimates, or the
// probability of a label or of a class.
type Run struct {
	model   *ehgnn.Model
	toolkit chem.Toolkit
	target  int
}

// OpenRun opens a run folder. target names one of several numbers or labels, or a class; where
// the run has a single number, or labels of 0 and 1 in one column, any name will do.
func OpenRun(ctx context.Context, tk chem.Toolkit, dir, target string) (*Run, error) {
	m, err := ehgnn.Open(ctx, dir, ehgnn.Options{})
	if err != nil {
		return nil, err
	}
	if !m.TakesSMILES() || m.Level() != ehgnn.Graphs {
		return nil, fmt.Errorf("%s is of the task %s and does not predict for molecules from a table of SMILES", dir, m.Task())
	}
	names := append(slices.Clone(m.Targets()), m.Classes()...)
	at := slices.Index(names, target)
	if at < 0 && len(names) == 1 {
		at = 0
	}
	if at < 0 {
		return nil, fmt.Errorf("%s predicts %s; name the score as one of them, not %q", dir, strings.Join(names, ", "), target)
	}
	return &Run{model: m, toolkit: tk, target: at}, nil
}

// Score predicts for molecules; one that does not parse has no number.
func (r *Run) Score(ctx context.Context, smiles []string) ([]float64, error) {
	out := make([]float64, len(smiles))
	var graphs []*ehgnn.Graph
	var of []int
	for i, text := range smiles {
		out[i] = math.NaN()
		if g, err := r.model.Molecule(r.toolkit, text); err == nil {
			graphs, of = append(graphs, g), append(of, i)
		}
	}
	predictions, err := r.model.Predict(ctx, graphs...)
	if err != nil {
		return nil, err
	}
	for k, p := range predictions {
		values := p.Values
		if len(values) == 0 {
			values = p.Probabilities
		}
		out[of[k]] = values[r.target]
	}
	return out, nil
}

// Close does nothing.
func (r *Run) Close() error { return nil }
