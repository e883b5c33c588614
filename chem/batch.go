package chem

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/par"
)

// Result is the result for one of many molecules.
type Result[T any] struct {
	Value T
	Err   error
}

// Map parses each SMILES, calls f with the molecule and closes it, on the given number of threads;
// 0 means all. Results are in the order of the SMILES. A molecule that fails has an error and does
// not affect others. The error of Map is that of the context.
func Map[T any](ctx context.Context, tk Toolkit, threads int, smiles []string, f func(Molecule) (T, error)) ([]Result[T], error) {
	return par.Map(ctx, threads, smiles, func(text string) (r Result[T]) {
		r.Value, r.Err = one(tk, text, f)
		return r
	})
}

func one[T any](tk Toolkit, smiles string, f func(Molecule) (T, error)) (value T, err error) {
	m, err := tk.Parse(smiles)
	if err != nil {
		return value, err
	}
	defer m.Close()
	return f(m)
}
