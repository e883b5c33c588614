package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Without a penalty, least squares finds an exact line. With a penalty it gives the closed form of ridge regression.
func TestLeastSquares(t *testing.T) {
	x := Columns{X: []float32{0, 7, 1, 7, 2, 7, 5, 7}, K: 2} // the second column is constant
	m, err := LeastSquares(x, []float64{1, 3, 5, 11}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "slope", m.Weight[0], 2, 1e-9)
	near(t, "weight of a constant", m.Weight[1], 0, 0)
	near(t, "bias", m.Bias[0], 1, 1e-9)

	// Standardised x is ±1, so the weight is Σxy/(n+penalty) = 12/(4+2), and the bias the mean.
	m, err = LeastSquares(Columns{X: []float32{10, 30, 10, 30}, K: 1}, []float64{1, 7, 3, 9}, Options{Penalty: 2})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "weight", m.Weight[0], 2.0/10, 1e-9)
	near(t, "bias", m.Bias[0], 5-2.0/10*20, 1e-9)
}

// Absolute errors give the median without columns, and otherwise the line on which most rows are, whatever the other rows are.
func TestLeastAbsolute(t *testing.T) {
	m, err := LeastAbsolute(Columns{}, []float64{1, 2, 3, 4, 10}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "bias without columns", m.Bias[0], 3, 0.1)
	x, y := Columns{K: 1}, []float64(nil)
	for i := range 50 {
		x.X = append(x.X, float32(i))
		y = append(y, 2*float64(i)+1)
		if i%10 == 0 {
			y[i] = 5000
		}
	}
	if m, err = LeastAbsolute(x, y, Options{}); err != nil {
		t.Fatal(err)
	}
	near(t, "slope", m.Weight[0], 2, 0.2)
	near(t, "bias", m.Bias[0], 1, 10)
	if m, err = LeastAbsolute(x, make([]float64, 50), Options{}); err != nil {
		t.Fatal(err)
	}
	near(t, "slope of a constant", m.Weight[0], 0, 0)
	if _, err := LeastAbsolute(Columns{}, nil, Options{}); err == nil {
		t.Error("no rows are fitted")
	}
}

// With one column of two values, the logits are the log-odds at each value. Without columns they
// are the logarithms of the class shares.
func TestLogisticClosedForm(t *testing.T) {
	var x []float32
	var class []int32
	for _, g := range []struct {
		x float32
		c int32
		n int
	}{{0, 0, 30}, {0, 1, 10}, {2, 0, 5}, {2, 1, 20}} {
		for range g.n {
			x, class = append(x, g.x), append(class, g.c)
		}
	}
	m, err := Logistic(Columns{X: x, K: 1}, class, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, 2)
	for value, odds := range map[float32]float64{0: 10.0 / 30, 2: 20.0 / 5} {
		m.Apply(z, []float32{value})
		near(t, "log-odds", z[1]-z[0], math.Log(odds), 1e-4)
	}
	m, err = Logistic(Columns{}, class, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "log-odds without columns", m.Bias[1]-m.Bias[0], math.Log(30.0/35), 1e-4)
}

// At the solution the derivatives of the objective are 0. The test computes them without the code of the solver.
func TestLogisticIsOptimal(t *testing.T) {
	const n, k, classes, penalty = 5000, 4, 3, 1.5
	r := rand.New(rand.NewPCG(1, 2))
	x, class := make([]float32, n*k), make([]int32, n)
	for i := range class {
		for j := range k {
			x[i*k+j] = float32(r.NormFloat64()*float64(j+1) + 3)
		}
		if class[i] = int32(r.IntN(classes)); x[i*k] > 4 && r.IntN(2) == 0 {
			class[i] = 2
		}
	}
	m, err := Logistic(Columns{X: x, K: k}, class, classes, Options{Penalty: penalty, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	var mean, deviation [k]float64
	for i, v := range x {
		mean[i%k] += float64(v) / n
	}
	for i, v := range x {
		deviation[i%k] += (float64(v) - mean[i%k]) * (float64(v) - mean[i%k]) / n
	}
	var grad [k + 1][classes]float64
	for i, c := range class {
		z := make([]float64, classes)
		m.Apply(z, x[i*k:][:k])
		sum := 0.0
		for _, v := range z {
			sum += math.Exp(v)
		}
		for y := range classes {
			d := math.Exp(z[y]) / sum
			if int32(y) == c {
				d--
			}
			for j := range k {
				grad[j][y] += d * (float64(x[i*k+j]) - mean[j]) / math.Sqrt(deviation[j])
			}
			grad[k][y] += d
		}
	}
	for j := range k + 1 {
		for y := range classes {
			if j < k {
				grad[j][y] += penalty * m.Weight[j*classes+y] * math.Sqrt(deviation[j])
			}
			near(t, "derivative", grad[j][y]/n, 0, 1.1e-6)
		}
	}
	again, err := Logistic(Columns{X: x, K: k}, class, classes, Options{Penalty: penalty, Threads: 5})
	if err != nil || !slices.Equal(again.Weight, m.Weight) || !slices.Equal(again.Bias, m.Bias) {
		t.Errorf("five threads make another model (%v)", err)
	}
}

// The penalty bounds the weights where one column separates the classes.
func TestLogisticSeparated(t *testing.T) {
	m, err := Logistic(Columns{X: []float32{0, 0, 1, 1}, K: 1}, []int32{0, 0, 1, 1}, 2, Options{Penalty: 1})
	if err != nil {
		t.Fatal(err)
	}
	// By symmetry z = ±a/2 about the middle, with a = w₁-w₀ of the standardised column ±1:
	// 4·σ(-a) = a/2.
	a := (m.Weight[1] - m.Weight[0]) / 2
	near(t, "weight", 4/(1+math.Exp(a)), a/2, 1e-5)
}

func TestErrors(t *testing.T) {
	for want, f := range map[string]func() (*Model, error){
		"row 1 is of class 2, expected 0 to 1": func() (*Model, error) { return Logistic(Columns{}, []int32{0, 2}, 2, Options{}) },
		"no row is of class 1":                 func() (*Model, error) { return Logistic(Columns{}, []int32{0, 0}, 2, Options{}) },
		"3 numbers for 2 rows of 1 columns": func() (*Model, error) {
			return LeastSquares(Columns{[]float32{1, 2, 3}, 1}, []float64{1, 2}, Options{})
		},
		"column 0 has a number that is not finite": func() (*Model, error) {
			return LeastSquares(Columns{[]float32{1, float32(math.NaN())}, 1}, []float64{1, 2}, Options{})
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
