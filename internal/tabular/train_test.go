package tabular_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/tabular"
)

// table draws rows whose columns are from N(0,1).
func table(rows, cols int, parts ...any) tabular.Block {
	r := rng.Stream(7, parts...)
	b := tabular.Block{X: make([]float32, rows*cols), Cols: cols}
	for i := range b.X {
		b.X[i] = float32(r.NormFloat64())
	}
	return b
}

// classData returns rows whose class is the sign of the product of the first two columns.
func classData(rows int) tabular.Data {
	d := tabular.Data{Static: table(rows, 4, "train"), Valid: tabular.Rows{Static: table(rows/3, 4, "valid")}}
	d.Targets.Classes = products(d.Static)
	d.ValidTargets.Classes = products(d.Valid.Static)
	return d
}

func products(b tabular.Block) []int32 {
	y := make([]int32, b.Len())
	for i := range y {
		if b.X[i*b.Cols]*b.X[i*b.Cols+1] > 0 {
			y[i] = 1
		}
	}
	return y
}

func predict(t *testing.T, m *tabular.Model, rows tabular.Rows) []float32 {
	t.Helper()
	out := make([]float32, rows.Len()*m.Outputs())
	if err := m.Predict(t.Context(), rows, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func train(t *testing.T, d tabular.Data, c tabular.Config) *tabular.Model {
	t.Helper()
	m, err := tabular.Train(t.Context(), d, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// accuracy is the share of rows in which the true class has the largest output.
func accuracy(out []float32, class []int32) float64 {
	k := len(out) / len(class)
	right := 0
	for i, c := range class {
		best := 0
		for j := range k {
			if out[i*k+j] > out[i*k+best] {
				best = j
			}
		}
		if best == int(c) {
			right++
		}
	}
	return float64(right) / float64(len(class))
}

// A linear model cannot learn the sign of a product.
func TestLearnsProduct(t *testing.T) {
	members := []int{1, 4}
	if testing.Short() {
		members = members[1:]
	}
	for _, members := range members {
		d := classData(3000)
		m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Members: members, MaxEpochs: 30, Units: 48})
		out := predict(t, m, d.Valid)
		if a := accuracy(out, d.ValidTargets.Classes); a < 0.93 {
			t.Errorf("%d members: accuracy %.3f", members, a)
		}
		for i := 0; i < len(out); i += 2 {
			if sum := math.Exp(float64(out[i])) + math.Exp(float64(out[i+1])); math.Abs(sum-1) > 1e-5 {
				t.Fatalf("probabilities of row %d sum to %v", i/2, sum)
			}
		}
	}
}
