package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

func meanFactor(n int) float64 { return 1 / float64(max(n, 1)) }

// hubRows are rows of a matrix over so many columns: the first two have a tenth of the columns each,
// twice over, the others some, the last none.
func hubRows(r *rand.Rand, rows, cols int) [][]int32 {
	out := make([][]int32, rows)
	for c := range int32(cols) {
		for range 2 {
			row := r.IntN(rows - 1)
			if r.IntN(5) == 0 {
				row = r.IntN(2)
			}
			out[row] = append(out[row], c)
		}
	}
	return out
}

func sparseOf(rows [][]int32, cols int) *tensor.Sparse {
	c := tensor.SparseConfig{Rows: len(rows), Cols: cols, Ptr: []int32{0}, Col: []int32{}}
	for _, row := range rows {
		c.Col = append(c.Col, row...)
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	return tensor.NewSparse(c)
}

// ExactSum is the mean to the last bit, or next to it, at hubs likewise, and has the same bits for any
// number of threads and any order of the entries.
func TestExactSum(t *testing.T) {
	const n, m, d = 300, 20000, 37
	r := rand.New(rand.NewPCG(1, 1))
	rows := hubRows(r, n, m)
	x := tensor.New(m, d)
	for i := range x.Data() {
		x.Data()[i] = float32(r.NormFloat64() * math.Pow(10, float64(i%d)/8-4))
	}
	first := tensor.ExactSum(sparseOf(rows, m), x, meanFactor).Data()
	for i, row := range rows {
		for j := range d {
			sum := 0.0 // of numbers with 24 bits, which 53 hold but for some last ones
			for _, c := range row {
				sum += float64(x.Data()[int(c)*d+j])
			}
			want := sum * meanFactor(len(row))
			if got := float64(first[i*d+j]); math.Abs(got-want) > math.Abs(want)*0x1p-24+1e-12 {
				t.Fatalf("row %d with %d entries, column %d: %v, want %v", i, len(row), j, got, want)
			}
		}
	}
	for threads := 1; threads <= 5; threads++ {
		for _, row := range rows {
			r.Shuffle(len(row), func(a, b int) { row[a], row[b] = row[b], row[a] })
		}
		tape := tensor.NewArena(threads).Tape()
		if got := tensor.ExactSum(sparseOf(rows, m), tape.Bind(x), meanFactor).Data(); !slices.Equal(got, first) {
			t.Errorf("%d threads, entries in another order: other bits", threads)
		}
		tape.Close()
	}
}

// Numbers that are not finite are so in the rows that read them, and leave others alone.
func TestExactSumNotFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := tensor.FromSlice([]float32{1, 2, inf, nan, -inf}, 5, 1)
	got := tensor.ExactSum(sparseOf([][]int32{{0, 1}, {1, 2}, {2, 4}, {3, 0}, nil}, 5), x, meanFactor).Data()
	if want := []float32{1.5, inf, nan, nan, 0}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sums %v, want %v", got, want)
	}
}

func TestExactSumRefuses(t *testing.T) {
	a := sparseOf([][]int32{{0, 1}}, 2)
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	for what, x := range map[string]*tensor.Tensor{"other rows than columns": tensor.New(3, 2), "a scalar": tensor.Scalar(1), "recorded": tape.Variable(tensor.New(2, 2))} {
		mustPanic(t, what, func() { tensor.ExactSum(a, x, meanFactor) })
	}
}
