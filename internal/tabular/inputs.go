package tabular

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

const (
	bins         = 16     // bins in the piecewise-linear encoding of a column
	sampleRows   = 50_000 // rows that inputs are fitted on, at most
	skewed       = 2      // skewness above which the logarithm of a column is taken
	clipZ        = 5      // greatest absolute standardised number
	constantPart = 1e-6   // share of the greatest absolute number below which a deviation is rounding
)

// Inputs is a transform, fitted on training rows, of the columns of a row into the inputs of a
// network. NaN and infinite values count as missing.
//
// The inputs of a row are, in this order: the standardised number of each column, a standardised
// flag of each column that had missing values, and the encodings of the columns that have edges.
type Inputs struct {
	Static  int      `json:"static"` // number of columns of the static block
	Labels  int      `json:"labels"` // number of label columns
	Columns []Column `json:"columns"`
}

// Column is the transform of one column. Constant columns have none.
//
//	u = log(1 + max(x - Shift, 0)/Scale) with Log, else x
//	z = clip((u - Mean)/Deviation, ±5)
//	encoding of bin i = clip((x - Edges[i])/(Edges[i+1] - Edges[i]), 0, 1) - 0.5
type Column struct {
	Column    int       `json:"column"` // index in the row, static columns first
	Log       bool      `json:"log,omitempty"`
	Shift     float32   `json:"shift,omitempty"`
	Scale     float32   `json:"scale,omitempty"` // above 0 with Log
	Mean      float32   `json:"mean"`
	Deviation float32   `json:"deviation"`         // above 0
	Fill      float32   `json:"fill"`              // replaces x if the value is missing
	Missing   float32   `json:"missing,omitempty"` // share of missing values; if above 0, the column has a flag
	Edges     []float32 `json:"edges,omitempty"`   // 3 to 17 in ascending order, or none
}

// FitInputs fits the transform on at most 50,000 rows, drawn with the seed. plain has an entry for
// each column, static columns first, that says whether the column has no encoding; nil means that
// all have one.
func FitInputs(rows Rows, plain []bool, seed uint64, threads int) (*Inputs, error) {
	if err := rows.check("training rows"); err != nil {
		return nil, err
	}
	ids := sample(rows.Len(), seed)
	fitted := make([]*Column, rows.cols())
	par.New(threads).Rows(rows.cols(), 1, func(lo, hi int) {
		x := make([]float32, 0, len(ids))
		for j := lo; j < hi; j++ {
			x = x[:0]
			for _, i := range ids {
				if v := rows.value(i, j); v-v == 0 {
					x = append(x, v)
				}
			}
			fitted[j] = fitColumn(x, len(ids), j >= len(plain) || !plain[j])
		}
	})
	in := &Inputs{Static: rows.Static.Cols, Labels: rows.Labels.Cols}
	for j, c := range fitted {
		if c != nil {
			c.Column = j
			in.Columns = append(in.Columns, *c)
		}
	}
	return in, nil
}

// sample draws at most sampleRows of n rows, in ascending order.
func sample(n int, seed uint64) []int {
	ids := make([]int, 0, min(n, sampleRows))
	r := rng.Stream(seed, "tabular", "sample")
	for i := range n {
		// Each row is taken with the probability that fills the sample exactly (Knuth's algorithm S).
		if n <= sampleRows || r.IntN(n-i) < sampleRows-len(ids) {
			ids = append(ids, i)
		}
	}
	return ids
}

// fitColumn fits a column from its values that are not missing, which it sorts. It returns nil for
// a column without values, and for a constant column in which no value is missing.
func fitColumn(x []float32, rows int, edges bool) *Column {
	if len(x) == 0 {
		return nil
	}
	slices.Sort(x)
	mean, deviation, skew := moments(x)
	least, most := x[0], x[len(x)-1]
	missing := rows - len(x)
	constant := least == most || deviation <= constantPart*math.Max(math.Abs(float64(least)), math.Abs(float64(most)))
	if constant && missing == 0 {
		return nil
	}
	c := &Column{Fill: float32(mean), Mean: float32(mean), Deviation: float32(deviation), Missing: float32(missing) / float32(rows)}
	if constant || !finite(1/c.Deviation) || !finite(c.Deviation) {
		c.Deviation = 1
		return c
	}
	if distinct(x) <= 2 {
		return c
	}
	if skew > skewed {
		c.logarithm(x)
	}
	if e := quantiles(x); edges && len(e) > 2 {
		c.Edges = e
	}
	return c
}

// moments are the mean, the standard deviation and the skewness of x.
func moments(x []float32) (mean, deviation, skew float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	var square, cube float64
	for _, v := range x {
		d := float64(v) - mean
		square += d * d
		cube += d * d * d
	}
	deviation = math.Sqrt(square / float64(len(x)))
	return mean, deviation, cube / float64(len(x)) / (deviation * deviation * deviation)
}

// distinct counts the different values of sorted x, up to 3.
func distinct(x []float32) int {
	n := 1
	for i := 1; i < len(x) && n < 3; i++ {
		if x[i] != x[i-1] {
			n++
		}
	}
	return n
}

// logarithm takes the logarithm of the distances from the least value of sorted x, in
// units of the median positive distance.
func (c *Column) logarithm(x []float32) {
	least := x[0]
	above, _ := slices.BinarySearchFunc(x, least, func(v, least float32) int {
		if v > least {
			return 1
		}
		return -1
	})
	scale := quantile(x[above:], 0.5) - float64(least)
	u := lists.Map(x, func(v float32) float32 { return float32(math.Log1p(float64(v-least) / scale)) })
	mean, deviation, _ := moments(u)
	if !finite(float32(1/scale)) || !finite(float32(1/deviation)) || float32(scale) == 0 {
		return
	}
	c.Log, c.Shift, c.Scale, c.Mean, c.Deviation = true, least, float32(scale), float32(mean), float32(deviation)
}

// quantiles returns the different values among bins+1 evenly spaced quantiles of sorted x.
func quantiles(x []float32) []float32 {
	e := make([]float32, 0, bins+1)
	for i := range bins + 1 {
		v := float32(quantile(x, float64(i)/bins))
		if len(e) == 0 || isBin(e[len(e)-1], v) {
			e = append(e, v)
		}
	}
	return e
}

// isBin reports whether lo to hi can be a bin: its width and the inverse of the width are finite.
func isBin(lo, hi float32) bool { return lo < hi && finite(hi-lo) && finite(1/(hi-lo)) }

// quantile interpolates between the values of sorted x.
func quantile(x []float32, q float64) float64 {
	at := q * float64(len(x)-1)
	i := int(at)
	if i+1 >= len(x) {
		return float64(x[len(x)-1])
	}
	return float64(x[i]) + (at-float64(i))*(float64(x[i+1])-float64(x[i]))
}

func finite(x float32) bool { return x-x == 0 }
