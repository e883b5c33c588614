package benchmark

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// interval is the number of calls between points of the curve of AUC.
const interval = 100

// AUC returns the area under the curve of the mean of the best k values over the calls, divided by
// the budget. It is computed with trapezoids between points every 100 calls, from 0 on. A search
// that ended early keeps its last value.
func AUC(values []float64, budget, k int) float64 {
	values = values[:min(len(values), budget)]
	if len(values) == 0 {
		return 0
	}
	var best []float64
	sum, last := 0.0, 0.0
	for from := 0; from < len(values); from += interval {
		to := min(from+interval, len(values))
		best = append(best, values[from:to]...)
		slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
		best = best[:min(k, len(best))]
		now := lists.SumOf(best, func(v float64) float64 { return v / float64(len(best)) })
		sum += float64(to-from) * (last + now) / 2
		last = now
	}
	return (sum + float64(budget-len(values))*last) / float64(budget)
}

// MeanBest returns the mean of the best k of the first n values.
func MeanBest(values []float64, n, k int) float64 {
	sorted := slices.Clone(values[:min(n, len(values))])
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	sorted = sorted[:min(k, len(sorted))]
	return lists.Sum(sorted) / float64(max(len(sorted), 1))
}
