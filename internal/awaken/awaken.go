// Package awaken makes models without training work in all of their layers. It is for tests.
package awaken

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Weights gives numbers to the weights of m that start at 0, so that layers that add nothing at the
// start are seen at work. It returns m.
func Weights[M interface{ Params() []*tensor.Param }](m M) M {
	for i, w := range m.Params() {
		x := w.Value.Data()
		if w.Value.Rank() != 2 || slices.ContainsFunc(x, func(v float32) bool { return v != 0 }) {
			continue
		}
		r := rng.Stream(uint64(i), "awaken")
		for k := range x {
			x[k] = float32(r.NormFloat64()) / 4
		}
	}
	return m
}
