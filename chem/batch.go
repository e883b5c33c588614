package chem

import (
	"context"
	"sync/atomic"

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
	results := make([]Result[T], len(smiles))
	var next atomic.Int64
	pool := par.New(threads)
	workers := make([]func(), min(pool.Threads(), len(smiles)))
	for w := range workers {
		workers[w] = func() {
			for i := next.Add(1) - 1; int(i) < len(smiles) && ctx.Err() == nil; i = next.Add(1) - 1 {
				results[i].Value, results[i].Err = one(tk, smiles[i], f)
			}
		}
	}
	pool.Do(workers...)
	return results, ctx.Err()
}

func one[T any](tk Toolkit, smiles string, f func(Molecule) (T, error)) (value T, err error) {
	m, err := tk.Parse(smiles)
	if err != nil {
		return value, err
	}
	defer m.Close()
	return f(m)
}
