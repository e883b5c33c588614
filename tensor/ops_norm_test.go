package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

const layerNormEps = 1e-2 // large enough to be seen in every derivative

// layerNorm is the definition; weight and bias may be missing.
func layerNorm(in []array) array { return normAlong(in, len(in[0].dim)-1) }

// normAlong is the definition of a norm over the elements along an axis.
func normAlong(in []array, axis int) array {
	x := in[0]
	d := x.dim[axis]
	mean := scaled(overAxis(x, axis, total), 1/float64(d))
	variance := overAxis(x, axis, func(v []float64) float64 {
		m, s := total(v)/float64(d), 0.0
		for _, v := range v {
			s += (v - m) * (v - m)
		}
		return s / float64(d)
	})
	return build(x.dim, func(idx []int) float64 {
		y := (x.at(idx...) - mean.repeated(idx)) / math.Sqrt(variance.repeated(idx)+layerNormEps)
		if len(in) > 1 {
			y *= in[1].repeated(idx)
		}
		if len(in) > 2 {
			y += in[2].repeated(idx)
		}
		return y
	})
}

// runLayerNorm takes the operands that are there.
func runLayerNorm(x []*tensor.Tensor) *tensor.Tensor {
	x = append(x[:len(x):len(x)], nil, nil)
	return tensor.LayerNorm(x[0], x[1], x[2], layerNormEps)
}

func normCases() []opCase {
	var cases []opCase
	// 70 rows exceed the 64 whose sums are taken at once; 33 and 70 columns have
	// rests behind vectors of every width.
	for _, dim := range [][]int{{3, 4}, {2, 3, 4}, {2, 3, 2, 2}, {5}, {1, 4}, {4, 1}, {0, 3}, {3, 0}, {70, 3}, {2, 33}, {1, 70}} {
		d := dim[len(dim)-1]
		for operands := 1; operands <= 3; operands++ {
			name := fmt.Sprint(dim, " ", operands)
			r := source("LayerNorm" + name)
			in := []array{normalish(r, dim...), normalish(r, d), normalish(r, d)}
			cases = append(cases, opCase{op: "LayerNorm", name: name, in: in[:operands], run: runLayerNorm, want: layerNorm})
		}
	}
	r := source("LayerNorm bias")
	return append(cases, opCase{op: "LayerNorm", name: "bias alone", in: []array{normalish(r, 3, 5), normalish(r, 5)},
		run: func(x []*tensor.Tensor) *tensor.Tensor { return tensor.LayerNorm(x[0], nil, x[1], layerNormEps) },
		want: func(in []array) array {
			y := layerNorm(in[:1])
			return build(y.dim, func(idx []int) float64 { return y.at(idx...) + in[1].repeated(idx) })
		}})
}

// TestLayerNormMean has rows whose mean is large against their variance: the
// differences from the mean must be squared, not the elements.
func TestLayerNormMean(t *testing.T) {
	const d = 100
	x := tensor.New(3, d)
	for i := range x.Data() {
		x.Data()[i] = 4096 + float32(i%d%2) // exact
	}
	y := tensor.LayerNorm(x, nil, nil, 0)
	for i, v := range y.Data() {
		if want := float32(i%d%2)*2 - 1; v < want-1e-5 || v > want+1e-5 {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
}
