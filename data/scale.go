package data

import (
	"fmt"
	"iter"
	"math"

	"github.com/ehgnn/ehgnn/graph"
)

// MaxDeviation bounds a standardised number, so that an extreme value in new data stays finite.
const MaxDeviation = 1e6

// Scale standardises the numeric columns of features, Features.Dense: value v of column c becomes
// (v-Mean[c])/Scale[c].
type Scale struct {
	Mean []float64 `json:"mean"`
	// Scale is the population standard deviation of each column, 1 if all its values are equal.
	Scale []float64 `json:"scale"`
}

// FitScale computes the scale of the rows of all features, such as those of the nodes of the
// training graphs. All features must have the same numeric columns. It reads them several times.
func FitScale(features iter.Seq[graph.Features]) (Scale, error) {
	dim := -1
	for f := range features {
		if dim < 0 {
			dim = f.Dim
		}
		if f.Dim != dim {
			return Scale{}, fmt.Errorf("data: scale: features have %d numeric columns, expected %d as the first", f.Dim, dim)
		}
	}
	dim = max(dim, 0)
	s := Scale{Mean: make([]float64, dim), Scale: make([]float64, dim)}
	lo, hi := make([]float64, dim), make([]float64, dim)
	rows := 0.0
	each := func(take func(c int, v float64)) {
		for f := range features {
			for i, v := range f.Dense {
				take(i%dim, float64(v))
			}
		}
	}
	for f := range features {
		if dim > 0 {
			rows += float64(len(f.Dense) / dim)
		}
	}
	first := true
	each(func(c int, v float64) {
		if first {
			lo[c], hi[c] = v, v
			first = c < dim-1
		}
		lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
		s.Mean[c] += v / rows
	})
	each(func(c int, v float64) { s.Scale[c] += (v - s.Mean[c]) * (v - s.Mean[c]) / rows })
	for c := range dim {
		// Compare the values, because rounding can give a constant a deviation.
		if lo[c] == hi[c] {
			s.Mean[c], s.Scale[c] = lo[c], 1
			continue
		}
		s.Scale[c] = math.Sqrt(s.Scale[c])
	}
	return s, nil
}

// Apply standardises features. The result shares their codes. Values beyond a million deviations
// are clamped. The features must have as many numeric columns as those of FitScale.
func (s Scale) Apply(f graph.Features) (graph.Features, error) {
	if f.Dim != len(s.Mean) || f.Dim != len(s.Scale) {
		return graph.Features{}, fmt.Errorf("data: scale: features have %d numeric columns, expected %d", f.Dim, len(s.Mean))
	}
	if f.Dim == 0 {
		return f, nil
	}
	dense := make([]float32, len(f.Dense))
	for i, v := range f.Dense {
		c := i % f.Dim
		dense[i] = float32(min(max((float64(v)-s.Mean[c])/s.Scale[c], -MaxDeviation), MaxDeviation))
	}
	f.Dense = dense
	return f, nil
}
