package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// An axis contains its values, begins and ends with a tick, and has a few ticks in ascending order.
func TestAxes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	check := func(a Axis, low, high float64) {
		t.Helper()
		if n := len(a.Ticks); n < 2 || n > mostTicks+3 || !slices.IsSorted(a.Ticks) {
			t.Errorf("%v to %v has the ticks %v", low, high, a.Ticks)
			return
		}
		if a.Ticks[0] != a.Low || a.Ticks[len(a.Ticks)-1] != a.High {
			t.Errorf("%v to %v: the axis is from %v to %v, the ticks are %v", low, high, a.Low, a.High, a.Ticks)
		}
		if slack := 1e-9 * max(math.Abs(low), math.Abs(high)); a.Low > low+slack || a.High < high-slack {
			t.Errorf("%v to %v is not within %v to %v", low, high, a.Low, a.High)
		}
		for _, v := range a.Narrow {
			if at := a.At(v); !(at >= 0 && at <= 1) {
				t.Errorf("tick %v of a narrow plot is at %v", v, at)
			}
		}
	}
	for range 2000 {
		low := (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(20)-8))
		high := low + random.Float64()*math.Pow(10, float64(random.IntN(20)-8))
		if random.IntN(20) == 0 {
			high = low
		}
		if high > low && high-low < 1e-9*math.Abs(high) {
			continue
		}
		check(LinearAxis("", low, high), low, high)
		if low > 1e-9 {
			check(LogAxis("", low, high), low, high)
		}
	}
	for _, tt := range []struct {
		axis Axis
		want []float64
	}{{LinearAxis("", 0, 1), []float64{0, 0.2, 0.4, 0.6, 0.8, 1}}, {LinearAxis("", -30, 20), []float64{-30, -20, -10, 0, 10, 20}}, {LogAxis("", 1, 180), []float64{1, 5, 10, 50, 100, 500}},
		{LogAxis("", 0.011, 0.09), []float64{0.01, 0.02, 0.05, 0.1}}, {AxisFor("", 3, 10, true), []float64{0, 2, 4, 6, 8, 10}}} {
		if !slices.Equal(tt.axis.Ticks, tt.want) {
			t.Errorf("ticks %v, want %v", tt.axis.Ticks, tt.want)
		}
	}
}

// A narrow plot also has ticks at 1, 2 or 5 times a power of ten. Both ends are ticks, and so is 0 if it lies between them.
func TestFewTicks(t *testing.T) {
	for _, tt := range []struct {
		axis Axis
		want []float64
	}{{ScoreAxis(""), []float64{0, 0.5, 1}}, {LinearAxis("", 0, 150), []float64{0, 50, 100, 150}}, {LinearAxis("", 0, 100), []float64{0, 50, 100}}, {LinearAxis("", -0.4, 0.6), []float64{-0.4, 0, 0.6}},
		{LinearAxis("", 0, 400), []float64{0, 200, 400}}, {LinearAxis("", 0, 25), []float64{0, 10, 25}}} {
		if !slices.Equal(tt.axis.few(), tt.want) {
			t.Errorf("ticks %v in a narrow plot, want %v", tt.axis.few(), tt.want)
		}
	}
}

// Intervals, percentages and dates stay on one line. Long column names may be broken.
func TestBreaks(t *testing.T) {
	for text, want := range map[string]string{
		"0.9 [0.8, 1.0] of 12 %": "0.9 [0.8,\u00a01.0] of 12\u00a0%", "plain, text": "plain, text",
		"2024-01-03 to 2024-02-10 <b>, pp. 12024-01-031":                `<span class="date">2024-01-03</span> to <span class="date">2024-02-10</span> &lt;b&gt;, pp. 12024-01-031`,
		"[a text that is much longer than any interval of two numbers]": "[a text that is much longer than any interval of two numbers]",
	} {
		if got := string(unbroken(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for name, want := range map[string]string{"accuracy": "accuracy", "probability_<b>": "probability_<wbr>&lt;b&gt;", "average precision": "average precision", "resource-allocation": "resource-<wbr>allocation", "abcdefghijklmnopq": "abcdefghijklmn<wbr>opq",
		"runs/sweep/trial-0004": "runs/<wbr>sweep/<wbr>trial-<wbr>0004"} {
		if got := string(breakable(name)); got != want {
			t.Errorf("the head %q is %q, want %q", name, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	nan := math.NaN()
	for i, tt := range []struct{ got, want string }{
		{Fixed(-1234567.891, 2), "−1,234,567.89"}, {Fixed(-0.0004, 3), "0.000"}, {Fixed(nan, 2), "–"}, {Fixed(-0.4, 0), "0"}, {Fixed(999, 0), "999"},
		{Score(0.98), "0.980"}, {Score(0.0001), "<0.001"}, {Score(0.9999), ">0.999"}, {Score(1), "1.000"}, {Score(0), "0.000"},
		{Signed(-1.11e-16, 3), "0"}, {Signed(0.0059, 3), "+0.006"}, {Signed(-0.0059, 3), "−0.006"}, {Signed(nan, 3), "–"},
		{Significant(0.004562), "0.0046"}, {Significant(2.073e-4), "2.07·10⁻⁴"}, {Significant(0.0001), "0.0001"}, {Significant(12.345), "12.3"}, {Significant(1234), "1,234"}, {Significant(0), "0"}, {Significant(2.5e12), "2.5·10¹²"},
		{Seconds(0.153), "0.15 s"}, {Seconds(68.4), "68 s"}, {Seconds(660), "11 min"}, {Seconds(8640), "2.4 h"}, {Percent(0.1257), "12.6\u00a0%"},
		{Percent(0.0001), "<0.1\u00a0%"}, {Percent(0.9999), ">99.9\u00a0%"}, {Percent(0), "0.0\u00a0%"}, {Percent(1), "100.0\u00a0%"},
	} {
		if tt.got != tt.want {
			t.Errorf("%d: %q, want %q", i, tt.got, tt.want)
		}
	}
	for _, tt := range []struct {
		err  float64
		want int
	}{{0.29, 2}, {0.0023, 3}, {3.2, 1}, {45, 0}, {0, 3}} {
		if got := DecimalsFor(tt.err); got != tt.want {
			t.Errorf("a standard error of %v asks for %d decimals, want %d", tt.err, got, tt.want)
		}
	}
}

// Values that are not numbers, infinite, equal or almost equal still give an axis with a few ticks.
func TestAxesOfOddValues(t *testing.T) {
	inf := math.Inf(1)
	for _, v := range [][2]float64{{inf, inf}, {-inf, inf}, {math.NaN(), 1}, {0, math.NaN()}, {1, inf}, {1e17, 1e17 + 16}, {math.MaxFloat64, math.MaxFloat64}, {0, 0}, {5e-324, 1e-323}} {
		for _, a := range []Axis{LinearAxis("", v[0], v[1]), LogAxis("", v[0], v[1]), AxisFor("", v[0], v[1], true)} {
			if n := len(a.Ticks); n < 2 || n > mostTicks+3 || !slices.IsSorted(a.Ticks) || math.IsInf(a.Low, 0) || math.IsInf(a.High, 0) {
				t.Errorf("%v to %v: ticks %v", v[0], v[1], a.Ticks)
			}
		}
	}
}

// In a narrow plot, a logarithmic axis has its two ends and a tick near the middle, at a power of ten if possible.
func TestNarrowLogTicks(t *testing.T) {
	for _, test := range []struct{ low, high, middle float64 }{{0.005, 1, 0.1}, {0.05, 1, 0.2}, {1, 100, 10}, {0.2, 300, 10}} {
		a := LogAxis("x", test.low, test.high)
		if len(a.Narrow) != 3 || a.Narrow[0] != a.Low || a.Narrow[1] != test.middle || a.Narrow[2] != a.High {
			t.Errorf("%v to %v: %v of %v, want %v in the middle", test.low, test.high, a.Narrow, a.Ticks, test.middle)
		}
	}
}

// All numbers of a column have the same number of decimals.
func TestAligned(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   string
	}{{[]float64{-3.2, -3.219, 0, math.NaN()}, "−3.20 −3.22 0.00 –"}, {[]float64{1234.6, 2}, "1,235 2"}, {[]float64{0.207, 0.0661, -0.00004}, "0.207 0.066 0.000"}, {[]float64{2e-5, 0}, "2·10⁻⁵ 0"}, {nil, ""}} {
		if got := strings.Join(Aligned(tt.values), " "); got != tt.want {
			t.Errorf("%v are %q, want %q", tt.values, got, tt.want)
		}
	}
}

// Long texts at the ends of an axis, and names of marks in the middle of a narrow plot, stay inside the figure.
func TestLongTextsOfCharts(t *testing.T) {
	c := &Chart{X: LinearAxis("", -50_000, 50_000)}
	for v, want := range map[float64]string{-50_000: `text-anchor="start" dx="-14"`, 0: `text-anchor="middle"`, 50_000: `text-anchor="end" dx="14"`} {
		var b strings.Builder
		if c.tick(&b, v, ""); !strings.Contains(b.String(), want) {
			t.Errorf("the tick of %v has no %s: %s", v, want, b.String())
		}
	}
	for v, want := range map[float64]string{-40_000: `dx="6" y="24" text-anchor="start"`, -5_000: `dx="0" y="24" text-anchor="middle"`, 40_000: `dx="-6" y="24" text-anchor="end"`} {
		var b strings.Builder
		c.Marks = []Mark{{X: v, Name: "lowest on validation"}}
		if c.foreground(&b); !strings.Contains(b.String(), want) {
			t.Errorf("the mark at %v has no %s: %s", v, want, b.String())
		}
	}
}
