package boost_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// right is the share of scores whose sign fits the label.
func right(t *testing.T, m *boost.Model, x *boost.Matrix, y []float32) float64 {
	t.Helper()
	n := 0
	for i, z := range predict(t, m, x) {
		if (z > 0) == (y[i] == 1) {
			n++
		}
	}
	return float64(n) / float64(len(y))
}

// Each kind of column determines the label in its own way. The model learns all of them.
func TestColumns(t *testing.T) {
	nan := float32(math.NaN())
	r := rng.Stream(1, "columns")
	var names [600]bool // the categories whose label is 1
	for i := range names {
		names[i] = r.IntN(2) == 0
	}
	for _, test := range []struct {
		name        string
		categorical bool
		least       float64
		row         func() (float32, bool)
	}{
		{"only missing values tell", false, .999, func() (float32, bool) {
			if r.IntN(3) == 0 {
				return nan, true
			}
			return r.Float32(), false
		}},
		{"missing among one value", false, .999, func() (float32, bool) {
			if r.IntN(3) == 0 {
				return nan, true
			}
			return 5, false
		}},
		{"missing values go with the low ones", false, .99, func() (float32, bool) {
			v := r.Float32()
			if r.IntN(3) == 0 {
				return nan, true
			}
			return v, v < .3
		}},
		{"missing values go with the high ones", false, .99, func() (float32, bool) {
			v := r.Float32()
			if r.IntN(3) == 0 {
				return nan, true
			}
			return v, v > .7
		}},
		{"infinite values", false, .999, func() (float32, bool) {
			switch r.IntN(3) {
			case 0:
				return float32(math.Inf(1)), true
			case 1:
				return float32(math.Inf(-1)), true
			}
			return r.Float32(), false
		}},
		{"a frequent value among many", false, .99, func() (float32, bool) {
			if r.IntN(2) == 0 {
				return .5, true
			}
			return r.Float32(), false
		}},
		{"categories", true, .999, func() (float32, bool) {
			c := r.IntN(100)
			return float32(c), names[c]
		}},
		{"missing category", true, .999, func() (float32, bool) {
			if r.IntN(3) == 0 {
				return nan, true
			}
			return float32(r.IntN(20)), false
		}},
		{"more categories than bins", true, .75, func() (float32, bool) {
			c := int(600 * r.Float32() * r.Float32())
			return float32(c), names[c]
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			draw := func(rows int) (*boost.Matrix, []float32) {
				x := &boost.Matrix{Columns: 2, Categorical: []bool{false, test.categorical}}
				var y []float32
				for range rows {
					v, label := test.row()
					x.Blocks = append(x.Blocks, []float32{r.Float32(), v})
					y = append(y, 0)
					if label {
						y[len(y)-1] = 1
					}
				}
				return x, y
			}
			x, y := draw(8000)
			m := train(t, x, y, nil, nil, boost.Config{Rounds: 30, Rate: .2})
			x, y = draw(2000)
			if got := right(t, m, x, y); got < test.least {
				t.Errorf("%.4f of held-out labels are right, expected %v", got, test.least)
			}
		})
	}
}

// The model predicts for a category that it has not seen in training, and for a missing value in a
// column that had none in training.
func TestUnseen(t *testing.T) {
	x := &boost.Matrix{Columns: 1, Categorical: []bool{true}}
	var y []float32
	for i := range 400 {
		x.Blocks = append(x.Blocks, []float32{float32(i % 4)})
		y = append(y, float32(i%2))
	}
	m := train(t, x, y, nil, nil, boost.Config{Rounds: 5})
	for _, v := range []float32{77, -1, .5, float32(math.NaN()), float32(math.Inf(1))} {
		got := predict(t, m, &boost.Matrix{Columns: 1, Blocks: [][]float32{{v}}})[0]
		if got != got {
			t.Errorf("category %v: no score", v)
		}
	}
}
