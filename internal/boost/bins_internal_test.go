package boost

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// columnOf divides values into bins.
func columnOf(values []float32, bins int) (column, bool) {
	var keys []uint64
	for _, v := range values {
		if v == v {
			keys = append(keys, uint64(ordered(v))<<32)
		}
	}
	sortHigh(keys, make([]uint64, len(keys)))
	var t tally
	t.count(keys)
	if !t.informative(len(values) - len(keys)) {
		return column{}, false
	}
	return t.numbers(0, bins), true
}

// The finder agrees with a search in the bounds for values of every size and sign.
func TestFinder(t *testing.T) {
	inf := float32(math.Inf(1))
	r := rng.Stream(1, "finder")
	wide := make([]float32, 3000)
	for i := range wide {
		wide[i] = float32(math.Ldexp(r.NormFloat64(), r.IntN(200)-100))
	}
	for name, values := range map[string][]float32{
		"wide":     wide,
		"infinite": {-inf, 1, inf, -inf, 0, inf},
		"two":      {1, 2},
		"near":     {1, math.Nextafter32(1, 2), 1, math.Nextafter32(1, 0)},
		"zeros":    {0, float32(math.Copysign(0, -1)), 1, -1},
		"largest":  {math.MaxFloat32, -math.MaxFloat32, inf},
		"one":      {3, float32(math.NaN())},
		"smallest": {0, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32},
	} {
		t.Run(name, func(t *testing.T) {
			c, ok := columnOf(values, 255)
			if !ok {
				t.Fatal("the column is left out")
			}
			for _, v := range slices.Concat(values, c.bounds, []float32{0, -inf, inf, math.MaxFloat32, 1e-30}) {
				if v != v {
					continue
				}
				want := uint8(slices.IndexFunc(c.bounds, func(b float32) bool { return v <= b }) + 1)
				if got := c.finder.bin(v); got != want {
					t.Errorf("%v is in bin %d, expected %d of %v", v, got, want, c.bounds)
				}
			}
		})
	}
}

// A few values have a bin each. Many values are divided into bins with about equal counts, and
// frequent values have bins of their own.
func TestBounds(t *testing.T) {
	c, _ := columnOf([]float32{5, 1, 1, 2, 5}, 255)
	if want := []float32{1.5, 3.5, float32(math.Inf(1))}; !slices.Equal(c.bounds, want) {
		t.Errorf("bounds %v, expected %v", c.bounds, want)
	}
	if _, ok := columnOf([]float32{2, 2, 2}, 255); ok {
		t.Error("a constant column is kept")
	}
	if _, ok := columnOf([]float32{float32(math.NaN())}, 255); ok {
		t.Error("a column without values is kept")
	}
	r := rng.Stream(1, "bounds")
	values := make([]float32, 10_000)
	for i := range values {
		if values[i] = r.Float32(); i%4 == 0 {
			values[i] = .25
		}
	}
	c, _ = columnOf(values, 50)
	counts := make([]int, len(c.bounds)+1)
	for _, v := range values {
		counts[c.finder.bin(v)]++
	}
	own := c.finder.bin(.25)
	if n := counts[own]; n < 2500 || n > 2600 {
		t.Errorf("the bin of the frequent value has %d rows, expected 2500 and few others", n)
	}
	for b, n := range counts[1:] {
		if b+1 != int(own) && (n < 40 || n > 320) {
			t.Errorf("bin %d has %d rows, expected about 150", b+1, n)
		}
	}
	if len(c.bounds) < 45 || len(c.bounds) > 50 {
		t.Errorf("%d bins, expected about 50", len(c.bounds))
	}
}

// Sorting keeps the order of equal keys, for few keys and for many.
func TestSortHigh(t *testing.T) {
	r := rng.Stream(1, "sort")
	for _, n := range []int{0, 1, 1000, 1024, 5000} {
		for _, span := range []uint64{1, 3, 1 << 10, 1 << 32} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64N(span)<<32 | uint64(i)
			}
			want := slices.Sorted(slices.Values(keys))
			sortHigh(keys, make([]uint64, n))
			if !slices.Equal(keys, want) {
				t.Errorf("%d keys of %d: not sorted", n, span)
			}
		}
	}
}

func TestQuantiles(t *testing.T) {
	for _, test := range []struct {
		values  []float32
		weights []float64
		share   float64
		want    float64
	}{
		{nil, nil, .5, 0},
		{[]float32{3}, []float64{1}, .9, 3},
		{[]float32{4, 1, 2}, []float64{1, 1, 1}, .5, 2},
		{[]float32{4, 1, 2, 3}, []float64{1, 1, 1, 1}, .5, 2.5},
		{[]float32{4, 1, 2, 3}, []float64{1, 0, 1, 1}, .5, 3},
		{[]float32{1, -5}, []float64{1, 3}, .5, -5},
		{[]float32{1, 2, 3}, []float64{1, 0, 1}, .5, 2},
		{[]float32{1, 2, 3, 4, 5}, []float64{1, 1, 1, 1, 1}, .9, 5},
	} {
		var q quantiles
		for i, v := range test.values {
			q.add(v, test.weights[i])
		}
		if got := q.at(test.share); got != test.want {
			t.Errorf("quantile %v of %v with weights %v: %v, expected %v", test.share, test.values, test.weights, got, test.want)
		}
	}
}

// Rounded gradients are unbiased. Sums over the largest allowed number of rows do not overflow.
func TestQuantise(t *testing.T) {
	const rows = blockRows
	d := newGradients(rows)
	wantG, wantH := 0.0, 0.0
	r := rng.Stream(1, "quantise")
	for i := range rows {
		d.g[i], d.h[i] = -1, 1
		if i >= rows/2 {
			d.g[i], d.h[i] = float32(r.NormFloat64()/1e5), r.Float32()/1e5
		}
		wantG += float64(d.g[i])
		wantH += float64(d.h[i])
	}
	d.unitG, d.unitH = unit(1), unit(1)
	d.pack(77, 0, rows)
	sum := int64(0)
	for _, v := range d.packed {
		sum += v
	}
	var b bin
	b.add(sum)
	if g := float64(b.g) * d.unitG; math.Abs(g-wantG) > .01 {
		t.Errorf("sum of gradients %v, expected %v", g, wantG)
	}
	if h := b.hessian() * d.unitH; math.Abs(h-wantH) > .01 {
		t.Errorf("sum of second derivatives %v, expected %v", h, wantH)
	}
	if b.rows() != rows {
		t.Errorf("%d rows, expected %d", b.rows(), rows)
	}
	for _, extreme := range []float32{1, -1} {
		for i := range rows {
			d.g[i], d.h[i] = extreme, 1
		}
		d.pack(78, 0, rows)
		sum, b = 0, bin{}
		for _, v := range d.packed {
			sum += v
		}
		if b.add(sum); b.g != int64(extreme)*rows*levels || b.hessian() != rows*levels || b.rows() != rows {
			t.Errorf("gradients %v: sums %v, %v, %v", extreme, b.g, b.hessian(), b.rows())
		}
	}
}
