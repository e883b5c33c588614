package tabular

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"
)

// expand returns the inputs of all rows.
func expand(in *Inputs, rows Rows) []float32 {
	e := newExpander(in)
	dst := make([]float32, rows.Len()*e.width)
	for i := range rows.Len() {
		e.row(dst[i*e.width:][:e.width], rows.Static.row(i), rows.Labels.row(i), make([]float32, len(e.logs)))
	}
	return dst
}

func fit(t *testing.T, rows Rows, plain ...bool) *Inputs {
	t.Helper()
	in, err := FitInputs(rows, plain, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The transform equals that of the prototype (testdata/make_inputs.py).
func TestInputsGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/inputs.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Columns, Width      int
		Train, Rows, Inputs []float32
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	// The same columns, in one block or in two.
	for _, split := range []bool{false, true} {
		block := func(x []float32) Rows {
			if !split {
				return Rows{Static: Block{X: x, Cols: g.Columns}}
			}
			var r Rows
			r.Static.Cols, r.Labels.Cols = 3, g.Columns-3
			for row := range slices.Chunk(x, g.Columns) {
				r.Static.X = append(r.Static.X, row[:3]...)
				r.Labels.X = append(r.Labels.X, row[3:]...)
			}
			return r
		}
		in := fit(t, block(g.Train))
		if in.Width() != g.Width {
			t.Fatalf("%d inputs, want %d", in.Width(), g.Width)
		}
		for i, v := range expand(in, block(g.Rows)) {
			// Values are float32, in units of a deviation. The fixture has quantiles in float64.
			if math.Abs(float64(v-g.Inputs[i])) > 2e-5 {
				t.Fatalf("input %d of row %d is %v, want %v", i%g.Width, i/g.Width, v, g.Inputs[i])
			}
		}
	}
}

func TestInputsColumns(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	ramp := make([]float32, 64)
	for i := range ramp {
		ramp[i] = float32(i)
	}
	for _, c := range []struct {
		name  string
		x     []float32
		plain bool
		width int // number of inputs made from the column
	}{
		{name: "constant", x: []float32{3, 3, 3}, width: 0},
		{name: "rounding of a constant", x: []float32{3, 3, 3.0000002}, width: 0},
		{name: "missing everywhere", x: []float32{nan, nan, inf}, width: 0},
		{name: "two values", x: []float32{0, 1, 1}, width: 1},
		{name: "constant or missing", x: []float32{2, nan, 2}, width: 2},
		{name: "two values or missing", x: []float32{0, 1, -inf}, width: 2},
		{name: "sixteen bins", x: ramp, width: 17},
		{name: "sixteen bins and missing", x: append(slices.Clone(ramp), nan), width: 18},
		{name: "plain", x: ramp, plain: true, width: 1},
		{name: "mostly one value", x: []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}, width: 3},
		{name: "huge", x: []float32{-math.MaxFloat32, 0, math.MaxFloat32}, width: 17},
		{name: "tiny", x: []float32{0, 1e-45, 2e-45}, width: 1},
	} {
		in := fit(t, Rows{Static: Block{X: c.x, Cols: 1}}, c.plain)
		if in.Width() != c.width {
			t.Errorf("%s: %d inputs, want %d", c.name, in.Width(), c.width)
		}
		if err := in.validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		far := Rows{Static: Block{X: append(slices.Clone(c.x), nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32), Cols: 1}}
		for i, v := range expand(in, far) {
			if !(math.Abs(float64(v)) <= clipZ) {
				t.Errorf("%s: input %d is %v", c.name, i, v)
			}
		}
	}
}

// A missing value has the inputs of the mean, and its flag is set.
func TestInputsMissing(t *testing.T) {
	nan := float32(math.NaN())
	in := fit(t, Rows{Static: Block{X: []float32{1, 2, 3, 4, 10, nan}, Cols: 1}})
	got := expand(in, Rows{Static: Block{X: []float32{4, nan}, Cols: 1}})
	w := in.Width()
	if got[1] >= 0 || got[w+1] <= 0 {
		t.Errorf("flags %v of a present and %v of a missing value", got[1], got[w+1])
	}
	got[1], got[w+1] = 0, 0
	if !slices.Equal(got[:w], got[w:]) {
		t.Errorf("inputs of the mean %v, of a missing value %v", got[:w], got[w:])
	}
}

// A column of skewness 3 has a skewness below 1 after the transform.
func TestInputsLogarithm(t *testing.T) {
	x := make([]float32, 1000)
	for i := range x {
		x[i] = float32(math.Exp(float64(i)/100)) - 7
	}
	in := fit(t, Rows{Static: Block{X: x, Cols: 1}}, true)
	if !in.Columns[0].Log {
		t.Fatal("no logarithm")
	}
	if _, deviation, skew := moments(expand(in, Rows{Static: Block{X: x, Cols: 1}})); math.Abs(skew) > 1 || math.Abs(deviation-1) > 0.01 {
		t.Errorf("deviation %v, skewness %v", deviation, skew)
	}
}

// Inputs written as JSON are read back to the bit.
func TestInputsJSON(t *testing.T) {
	d := benchData(300)
	in := fit(t, d.rows(0))
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var back Inputs
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, in) {
		t.Errorf("%+v, want %+v", back, *in)
	}
}

// A sample of many rows is in ascending order and has the right size.
func TestSample(t *testing.T) {
	for _, n := range []int{0, 1, sampleRows, sampleRows + 1, 3 * sampleRows} {
		s := sample(n, 1)
		if len(s) != min(n, sampleRows) || !slices.IsSorted(s) || len(slices.Compact(s)) != min(n, sampleRows) {
			t.Errorf("%d of %d rows", len(s), n)
		}
	}
}
