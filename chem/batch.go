package chem

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/par"
)

// Result is what became of one molecule of many.
type Result[T any] struct {
	Value T
	Err   error
}

// Map parses each SMILES and calls f with the molecule, which it closes, on the given number
// of threads, all of them when 0. Results are in the order of the SMILES; a molecule that
// fails has an error and stops no other. The error of Map is that of the context.
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
