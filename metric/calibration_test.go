package metric_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/metric"
)

func TestExpectedCalibrationError(t *testing.T) {
	// In ten bins: 0.25 wrong, 0.375 right, and of two at 1 one right. An end belongs to
	// the bin below it, 0 to the first.
	confidence, target := []float32{0.25, 0.375, 1, 1, 0.5}, []float32{0, 1, 1, 0, nan}
	got, err := metric.ExpectedCalibrationError(confidence, target, 10)
	equal(t, "ECE", got, err, (0.25+0.625+1)/4)
	got, err = metric.ExpectedCalibrationError(confidence, target, 1)
	equal(t, "ECE in one bin", got, err, math.Abs(0.25-0.625+1)/4)
	got, err = metric.ExpectedCalibrationError([]float32{0, 0.5, 0.25}, []float32{0, 0, 1}, 2)
	equal(t, "ECE at ends of bins", got, err, math.Abs(0.75-1)/3)
	for _, c := range []struct {
		confidence, target []float32
		bins               int
	}{{confidence, target, 0}, {[]float32{1.5}, []float32{1}, 10}, {[]float32{-0.5}, []float32{1}, 10}, {[]float32{nan}, []float32{1}, 10}, {confidence, target[1:], 10}} {
		if _, err := metric.ExpectedCalibrationError(c.confidence, c.target, c.bins); err == nil {
			t.Errorf("no error for %+v", c)
		}
	}
	if _, err := metric.ExpectedCalibrationError([]float32{1}, []float32{nan}, 10); !errors.Is(err, metric.ErrUndefined) {
		t.Errorf("error %v without a target", err)
	}
}

// Four samples whose logits are 0 and 2, three of them of class 1: the probability of that
// class must be the mean of Platt's targets, (3·4/5 + 1·1/3)/4.
func TestTemperature(t *testing.T) {
	logit, label := []float32{0, 2, 0, 2, 0, 2, 0, 2, 9, -9}, []int32{1, 1, 0, 1, -1}
	mean := (3*0.8 + 1./3) / 4
	logOdds := math.Log(mean / (1 - mean))
	got, err := metric.Temperature(logit, label, []float64{0, 0})
	equal(t, "temperature", got, err, 2/logOdds)
	got, err = metric.Temperature(logit, label, []float64{0.25, -0.25})
	equal(t, "temperature with an offset", got, err, 2/(logOdds+0.5))
	// Logits that are wrong say nothing at any temperature.
	got, err = metric.Temperature([]float32{0, 2, 0, 2}, []int32{0, 0}, []float64{0, 0})
	equal(t, "temperature of wrong logits", got, err, 1e3)
	for _, c := range []struct {
		logit  []float32
		label  []int32
		offset []float64
	}{{logit, label, []float64{0}}, {logit, label[1:], []float64{0, 0}}, {logit, []int32{0, 0, 0, 0, 2}, []float64{0, 0}}, {[]float32{nan, 0}, []int32{0}, []float64{0, 0}}} {
		if _, err := metric.Temperature(c.logit, c.label, c.offset); err == nil {
			t.Errorf("no error for %+v", c)
		}
	}
	if _, err := metric.Temperature([]float32{0, 2}, []int32{-1}, []float64{0, 0}); !errors.Is(err, metric.ErrUndefined) {
		t.Errorf("error %v without a label", err)
	}
}

// Of labels that are drawn by softmax(z/T + offset) T is found again, and with it the
// error of calibration is that of chance.
func TestTemperatureIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, want := range []float64{0.25, 1, 3} {
		const n, k = 20000, 3
		offset := []float64{0.5, 0, -1}
		logit, label := make([]float32, n*k), make([]int32, n)
		confidence, right := make([]float32, n), make([]float32, n)
		draw := func(temperature float64, at int) []float64 {
			p, sum := make([]float64, k), 0.0
			for c := range p {
				p[c] = math.Exp(float64(logit[at*k+c])/temperature + offset[c])
				sum += p[c]
			}
			for c := range p {
				p[c] /= sum
			}
			return p
		}
		for i := range label {
			for c := range k {
				logit[i*k+c] = float32(r.NormFloat64() * want)
			}
			p := draw(want, i)
			u := r.Float64()
			for u > p[label[i]] && label[i] < k-1 {
				u -= p[label[i]]
				label[i]++
			}
		}
		got, err := metric.Temperature(logit, label, offset)
		if err != nil || math.Abs(got/want-1) > 0.05 {
			t.Errorf("temperature %v (%v), want %v", got, err, want)
		}
		errorAt := func(temperature float64) float64 {
			for i := range label {
				p := draw(temperature, i)
				best := 0
				for c, v := range p {
					if v > p[best] {
						best = c
					}
				}
				confidence[i], right[i] = float32(p[best]), 0
				if int(label[i]) == best {
					right[i] = 1
				}
			}
			e, err := metric.ExpectedCalibrationError(confidence, right, 15)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if e := errorAt(got); e > 0.02 {
			t.Errorf("calibration error %v at temperature %v", e, got)
		}
		if e := errorAt(3 * got); e < 0.05 {
			t.Errorf("calibration error %v at three times the temperature", e)
		}
	}
}

// Predictions whose errors are exchangeable are covered as often as the theorem says:
// rank/(n+1) of them.
func TestConformalQuantile(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		errors   []float64
		coverage float64
		want     float64
	}{
		{[]float64{3, 1, 2}, 0.5, 2}, {[]float64{3, 1, 2}, 0.51, 3}, {[]float64{3, 1, 2}, 0.75, 3}, {[]float64{3, 1, 2}, 0.76, inf},
		{[]float64{3, 1, 2}, 0.01, 1}, {nil, 0.5, inf}, {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.9, 9}, {[]float64{-0.25, -0.75}, 0.6, -0.25},
	} {
		if got, err := metric.ConformalQuantile(c.errors, c.coverage); err != nil || got != c.want {
			t.Errorf("%v, coverage %v: %v (%v), want %v", c.errors, c.coverage, got, err, c.want)
		}
	}
	for _, coverage := range []float64{0, 1, math.NaN()} {
		if _, err := metric.ConformalQuantile([]float64{1}, coverage); err == nil {
			t.Errorf("coverage %v is accepted", coverage)
		}
	}
	if _, err := metric.ConformalQuantile([]float64{math.NaN()}, 0.5); !errors.Is(err, metric.ErrNaN) {
		t.Errorf("error %v of NaN", err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	const trials = 20000
	for _, n := range []int{9, 25, 60} {
		covered := 0
		e := make([]float64, n)
		for range trials {
			for i := range e {
				e[i] = r.ExpFloat64()
			}
			q, err := metric.ConformalQuantile(e, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			if r.ExpFloat64() <= q {
				covered++
			}
		}
		want := math.Ceil(float64(n+1)*0.9-1e-9) / float64(n+1)
		if got := float64(covered) / trials; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/trials) {
			t.Errorf("%d samples: coverage %v, want %v", n, got, want)
		}
	}
}

// Platt scaling finds the slope and the intercept that scores were drawn by, moves and stretches of the scores do not change the
// probabilities, and the derivatives of the likelihood are 0 there.
func TestPlatt(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	var positive, negative []float64
	for range 20000 {
		s := r.NormFloat64()
		if r.Float64() < 1/(1+math.Exp(-(2*s-1))) {
			positive = append(positive, s)
		} else {
			negative = append(negative, s)
		}
	}
	a, b, err := metric.Platt(positive, negative)
	if err != nil || math.Abs(a-2) > 0.1 || math.Abs(b+1) > 0.1 {
		t.Fatalf("slope %v and intercept %v, want about 2 and -1; %v", a, b, err)
	}
	p, n, ga, gb := float64(len(positive)), float64(len(negative)), 0.0, 0.0
	for k, scores := range [][]float64{positive, negative} {
		for _, s := range scores {
			miss := 1/(1+math.Exp(-(a*s+b))) - []float64{(p + 1) / (p + 2), 1 / (n + 2)}[k]
			ga, gb = ga+miss*s, gb+miss
		}
	}
	if math.Abs(ga) > 1e-3 || math.Abs(gb) > 1e-3 {
		t.Errorf("derivatives %v and %v, want 0", ga, gb)
	}
	moved := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for i := range x {
			out[i] = 1e-4*x[i] + 50
		}
		return out
	}
	c, d, err := metric.Platt(moved(positive), moved(negative))
	if err != nil || math.Abs(c*1e-4-a) > 1e-4 || math.Abs(c*50+d-b) > 1e-3 {
		t.Errorf("of moved scores slope %v, intercept %v, want %v and %v; %v", c, d, a*1e4, b-50*a*1e4, err)
	}
	if a, b, err := metric.Platt([]float64{1, 2}, []float64{-1, -2, -3}); err != nil || !(a > 0) || math.IsInf(a, 0) || math.IsNaN(b) {
		t.Errorf("scores that are always right have slope %v and intercept %v, %v", a, b, err)
	}
	if a, b, err := metric.Platt([]float64{4, 4}, []float64{4}); err != nil || a != 0 || math.Abs(b-math.Log(2)) > 1e-12 {
		t.Errorf("equal scores have slope %v and intercept %v, %v", a, b, err)
	}
	for _, bad := range [][2][]float64{{nil, {1}}, {{1}, nil}, {{math.NaN()}, {1}}} {
		if _, _, err := metric.Platt(bad[0], bad[1]); err == nil {
			t.Errorf("%v is no error", bad)
		}
	}
}
