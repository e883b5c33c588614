// Package inittest gives weights that start at 0 other values, so that tests exercise every layer of
// untrained models.
package inittest

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Weights sets weight matrices of m that are all 0 to random numbers, because layers with such
// weights add nothing. It returns m.
func Weights[M interface{ Params() []*tensor.Param }](m M) M {
	for i, w := range m.Params() {
		x := w.Value.Data()
		if w.Value.Rank() != 2 || slices.ContainsFunc(x, func(v float32) bool { return v != 0 }) {
			continue
		}
		r := rng.Stream(uint64(i), "inittest")
		for k := range x {
			x[k] = float32(r.NormFloat64()) / 4
		}
	}
	return m
}
