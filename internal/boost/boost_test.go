package boost_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// table is generated rows with a signal that the first columns carry.
type table struct {
	x      *boost.Matrix
	signal []float64
	r      *rand.Rand
}

func newTable(seed uint64, rows, columns int) table {
	r := rng.Stream(seed, "boost test")
	values := make([]float32, rows*columns)
	t := table{signal: make([]float64, rows), r: r}
	for i := range rows {
		row := values[i*columns : (i+1)*columns]
		for c := range row {
			row[c] = float32(r.NormFloat64())
		}
		t.signal[i] = 2*math.Sin(2*float64(row[0])) + float64(row[1]*row[2]) + float64(row[3])
	}
	t.x = &boost.Matrix{Columns: columns, Blocks: [][]float32{values}}
	return t
}

// numbers are targets with noise.
func (t table) numbers() []float32 {
	y := make([]float32, len(t.signal))
	for i, s := range t.signal {
		y[i] = float32(s + .5*t.r.NormFloat64())
	}
	return y
}

// classes are labels that follow the order of the signal.
func (t table) classes(k int) []float32 {
	y := make([]float32, len(t.signal))
	for i, s := range t.signal {
		y[i] = float32(min(k-1, max(0, int(math.Floor(s/2+float64(k)/2+.3*t.r.NormFloat64())))))
	}
	return y
}

func train(t testing.TB, x *boost.Matrix, y, w []float32, valid *boost.Eval, c boost.Config) *boost.Model {
	t.Helper()
	m, err := boost.Train(context.Background(), x, y, w, valid, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func predict(t testing.TB, m *boost.Model, x *boost.Matrix) []float32 {
	t.Helper()
	out := make([]float32, x.Rows()*m.Outputs())
	if err := m.Predict(x, out); err != nil {
		t.Fatal(err)
	}
	return out
}
