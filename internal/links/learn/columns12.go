package learn

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/links"
)

// leastPPR is the smallest PageRank of which the logarithm is taken.
const leastPPR = 1e-9

// structureWidth returns the number of columns that structureOf writes for a kind of graph.
func structureWidth(kind links.Kind) int {
	if kind == links.Undirected {
		return 12
	}
	return 17
}

// structureOf writes the structure columns that the decoder of a GAE reads.
func structureOf(kind links.Kind, r *links.Raw, out []float32) {
	logPPR := func(x float64) float64 { return math.Log(max(x, leastPPR)) }
	over0 := func(x float64) float64 {
		if x > 0 {
			return 1
		}
		return 0
	}
	v := []float64{
		math.Log1p(r.Common), r.AdamicAdar, r.ResourceAllocation, math.Log1p(r.Walks3),
		logPPR(min(r.PPRFrom, r.PPRTo)), logPPR(max(r.PPRFrom, r.PPRTo)),
		math.Log1p(min(r.DegreeU, r.DegreeV)), math.Log1p(max(r.DegreeU, r.DegreeV)),
		r.Jaccard(), r.Cosine, over0(r.Common), over0(r.Walks3),
	}
	if kind != links.Undirected {
		v = append(v, math.Log1p(r.OutU), math.Log1p(r.InV), math.Log1p(r.TwoPaths), r.Back, math.Log1p(r.L3))
	}
	for i, x := range v {
		out[i] = float32(x)
	}
}

// standard has the means and scales of columns.
type standard struct {
	Mean, Scale []float32
}

// newStandard returns the means and scales of the columns of rows.
func newStandard(rows []float32, width int) standard {
	s := standard{make([]float32, width), make([]float32, width)}
	n := float64(max(1, len(rows)/max(1, width)))
	for k := range width {
		sum, square := 0.0, 0.0
		for i := k; i < len(rows); i += width {
			sum += float64(rows[i])
			square += float64(rows[i]) * float64(rows[i])
		}
		mean := sum / n
		s.Mean[k], s.Scale[k] = float32(mean), float32(math.Sqrt(max(0, square/n-mean*mean)))
		if s.Scale[k] < 1e-6 {
			s.Scale[k] = 1
		}
	}
	return s
}

// apply standardises a row in place.
func (s standard) apply(row []float32) {
	for k := range row {
		row[k] = (row[k] - s.Mean[k]) / s.Scale[k]
	}
}
