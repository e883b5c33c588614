package metric

import (
	"fmt"
	"math"
	"slices"
)

// ConformalQuantile returns the bound of split conformal prediction (Vovk, Gammerman and Shafer,
// Algorithmic Learning in a Random World, 2005; Lei et al., JASA 113, 2018): the
// ⌈(n+1)·coverage⌉-th smallest of n prediction errors. The error of a new prediction, exchangeable
// with these, is at most this bound with a probability of at least coverage, and at most coverage +
// 1/(n+1) if no errors are equal. It is +Inf if n is below coverage/(1-coverage).
func ConformalQuantile(errors []float64, coverage float64) (float64, error) {
	if !(coverage > 0 && coverage < 1) {
		return 0, fmt.Errorf("metric: conformal quantile of coverage %v, expected one above 0 and below 1", coverage)
	}
	for i, v := range errors {
		if math.IsNaN(v) {
			return 0, fmt.Errorf("metric: conformal quantile: sample %d: %w", i, ErrNaN)
		}
	}
	// If the product is a whole number, it may differ from it by rounding.
	rank := int(math.Ceil(float64(len(errors)+1)*coverage - 1e-9))
	if rank > len(errors) {
		return math.Inf(1), nil
	}
	return slices.Sorted(slices.Values(errors))[max(rank, 1)-1], nil
}
