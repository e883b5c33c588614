package tensor_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// batchNorm is the definition.
func batchNorm(in []array) array { return normAlong(in, 0) }

func runBatchNorm(relu bool) func(x []*tensor.Tensor) *tensor.Tensor {
	return func(x []*tensor.Tensor) *tensor.Tensor {
		y, _, _ := tensor.BatchNorm(x[0], x[1], x[2], layerNormEps, relu)
		return y
	}
}

func batchNormCases() []opCase {
	var cases []opCase
	// 40 rows exceed the 32 worked on at once, 70 the 64 of a partial sum.
	for _, dim := range [][2]int{{3, 4}, {1, 3}, {40, 2}, {70, 1}, {3, 0}, {0, 3}, {2, 17}} {
		n, d := dim[0], dim[1]
		name := fmt.Sprint(dim)
		r := source("BatchNorm" + name)
		x := normalish(r, n, d)
		in := []array{x, normalish(r, d), normalish(r, d)}
		cases = append(cases, opCase{op: "BatchNorm", name: name, in: in, run: runBatchNorm(false), want: batchNorm})
		if n > 0 && n <= 3 {
			for slices.ContainsFunc(batchNorm(in).v, func(v float64) bool { return math.Abs(v) < 0.1 }) {
				in = []array{x, normalish(r, d), normalish(r, d)} // until all are off the kink of ReLU
			}
			cases = append(cases, opCase{op: "BatchNorm", name: name + " ReLU", in: in, run: runBatchNorm(true),
				want: func(in []array) array {
					y := batchNorm(in)
					return build(y.dim, func(at []int) float64 { return max(y.at(at...), 0) })
				}})
		}
		cases = append(cases, opCase{op: "ColumnNorm", name: name, in: []array{x, normalish(r, d), normalish(r, d), normalish(r, d)},
			run: func(x []*tensor.Tensor) *tensor.Tensor { return tensor.ColumnNorm(x[0], x[1], x[2], x[3]) },
			want: func(in []array) array {
				return build([]int{n, d}, func(at []int) float64 {
					j := at[1]
					return (in[0].v[at[0]*d+j]-in[1].v[j])*in[2].v[j] + in[3].v[j]
				})
			}})
	}
	return cases
}

// TestBatchNormStatistics has columns whose mean is large against their variance
// and whose first rows differ from the rest.
func TestBatchNormStatistics(t *testing.T) {
	const n, d = 5000, 3
	x := tensor.New(n, d)
	mean, variance := make([]float64, d), make([]float64, d)
	for i := range n {
		for j := range d {
			v := 4096 + float32(i%2)
			if i < 64 {
				v += 8 * float32(j)
			}
			x.Data()[i*d+j] = v
			mean[j] += float64(v) / n
		}
	}
	for i, v := range x.Data() {
		c := float64(v) - mean[i%d]
		variance[i%d] += c * c / n
	}
	ones, zeros := tensor.Full(1, d), tensor.New(d)
	_, m, v := tensor.BatchNorm(x, ones, zeros, 0, false)
	for j := range d {
		if got := float64(m.Data()[j]); math.Abs(got-mean[j]) > 1e-3 {
			t.Errorf("mean of column %d is %v, want %v", j, got, mean[j])
		}
		if got := float64(v.Data()[j]); math.Abs(got-variance[j]) > 1e-5*variance[j] {
			t.Errorf("variance of column %d is %v, want %v", j, got, variance[j])
		}
	}
}
