package score

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Run is a trained run on molecules as a score: the predicted number, or the probability of a label
// or of a class.
type Run struct {
	model   *ehgnn.Model
	toolkit chem.Toolkit
	threads int
	target  int
	// Checksum is the checksum of the weights and settings. A new training changes it.
	Checksum string
}

// OpenRun opens a run folder. target names one of several numbers or labels, or a class. If the run
// has a single number, or labels 0 and 1 in one column, target may be any name. threads is the
// number of molecules that are processed in parallel, 0 for the number of processors.
func OpenRun(ctx context.Context, tk chem.Toolkit, threads int, dir, target string) (*Run, error) {
	m, err := ehgnn.Open(ctx, dir, ehgnn.Options{Parallel: threads})
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
	weights, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	return &Run{model: m, toolkit: tk, threads: threads, target: at, Checksum: fmt.Sprintf("%x", sha256.Sum256(weights))}, nil
}

// Score returns the predictions for molecules. A molecule that does not parse has no number.
func (r *Run) Score(ctx context.Context, smiles []string) ([][]float64, error) {
	all, err := par.Map(ctx, r.threads, smiles, func(text string) *ehgnn.Graph {
		g, err := r.model.Molecule(r.toolkit, text)
		if err != nil {
			return nil
		}
		return g
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(smiles))
	var graphs []*ehgnn.Graph
	var of []int
	for i, g := range all {
		out[i] = []float64{math.NaN()}
		if g != nil {
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
		out[of[k]] = []float64{values[r.target]}
	}
	return out, nil
}

// Close does nothing.
func (r *Run) Close() error { return nil }
