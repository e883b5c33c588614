package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Significance is the level of the tests here: means are comparable if the p-value of their
// difference is larger, and tables then set both in bold.
const Significance = 0.05

// Sample summarises repeated runs for a test: mean, deviation with divisor n-1, and number of runs.
type Sample struct {
	Mean, Std float64
	Runs      int
}

// SampleOf summarises one value for each run.
func SampleOf(values []float64) Sample {
	mean, std := MeanStd(values)
	return Sample{Mean: mean, Std: std, Runs: len(values)}
}

// TTest is the result of a test.
type TTest struct {
	T  float64 // positive if the first mean is larger; ±Inf if there is no deviation
	DF int     // degrees of freedom
	P  float64 // two-sided
}

// StudentT is Student's two-sided t-test of equal means with pooled, equal variances:
//
//	s² = ((n_a-1)·s_a² + (n_b-1)·s_b²) / (n_a+n_b-2)
//	t  = (a-b) / sqrt(s²·(1/n_a + 1/n_b)),  n_a+n_b-2 degrees of freedom
//
// It is the test for bold type in the paper's table 3: applied to the printed means and deviations
// of ten runs, it reproduces the type of every cell. Welch's test and population deviations do not.
//
// Runs must be independent. Means over folds, one for each seed, are independent. The folds of one
// seed share training data, so their deviation is too small.
//
// It is an error to test fewer than three runs in all, no runs on one side, and numbers that are
// not finite or deviations below 0. If neither side has a deviation, equal means have p 1 and
// others p 0.
func StudentT(a, b Sample) (TTest, error) {
	for _, s := range []Sample{a, b} {
		if s.Runs < 1 || !finite(s.Mean) || !finite(s.Std) || s.Std < 0 {
			return TTest{}, fmt.Errorf("report: t-test of %v ± %v over %d runs, expected finite numbers over at least 1", s.Mean, s.Std, s.Runs)
		}
	}
	df := a.Runs + b.Runs - 2
	if df < 1 {
		return TTest{}, fmt.Errorf("report: t-test of %d runs against %d, expected at least 3 in all", a.Runs, b.Runs)
	}
	squares := func(s Sample) float64 { return float64(s.Runs-1) * s.Std * s.Std }
	pooled := (squares(a) + squares(b)) / float64(df)
	test := TTest{DF: df, P: 1}
	if a.Mean == b.Mean {
		return test, nil // 0/0, without any deviation
	}
	test.T = (a.Mean - b.Mean) / math.Sqrt(pooled*(1/float64(a.Runs)+1/float64(b.Runs)))
	// Both tails of the distribution are an incomplete beta function of t², which keeps digits that
	// 1-CDF would lose.
	n := float64(df)
	test.P = mathext.RegIncBeta(n/2, 0.5, n/(n+test.T*test.T))
	return test, nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Comparable reports which samples of a column are the best or comparable to the best: their mean
// does not differ significantly from the largest (with lower, the smallest), by StudentT. It is the
// paper's rule for bold type.
//
// A sample without runs, or without a mean, never is. If no test is possible, a sample is
// comparable only to an equal one.
func Comparable(samples []Sample, lower bool) []bool {
	out := make([]bool, len(samples))
	best := math.NaN()
	for _, s := range samples {
		better := s.Mean > best
		if lower {
			better = s.Mean < best
		}
		if s.Runs > 0 && s.Mean == s.Mean && (better || best != best) {
			best = s.Mean
		}
	}
	for i, s := range samples {
		for _, b := range samples { // several may have the best mean
			if b.Runs < 1 || b.Mean != best || s.Runs < 1 {
				continue
			}
			test, err := StudentT(s, b)
			out[i] = out[i] || s.Mean == best || err == nil && test.P > Significance
		}
	}
	return out
}
