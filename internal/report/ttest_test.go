package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
)

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// triple has a mean, a deviation and a number of runs.
type triple [3]float64

func (s triple) sample() report.Sample {
	return report.Sample{Mean: s[0], Std: s[1], Runs: int(s[2])}
}

// The values of SciPy are in testdata/ttest.json.
func TestStudentTAgainstSciPy(t *testing.T) {
	var file struct {
		Printed []struct {
			A, B triple
			DF   int
			T, P float64
		}
		Values []struct {
			A, B []float64
			T, P float64
		}
	}
	readJSON(t, "testdata/ttest.json", &file)
	if len(file.Printed) == 0 || len(file.Values) == 0 {
		t.Fatal("ttest.json lacks a table")
	}
	check := func(a, b report.Sample, wantT, wantP float64) {
		t.Helper()
		got, err := report.StudentT(a, b)
		// SciPy also computes the statistic in float64 and the tail by a series.
		if err != nil || math.Abs(got.T-wantT) > 1e-12*max(1, math.Abs(wantT)) || math.Abs(got.P-wantP) > 1e-10*wantP {
			t.Errorf("%v against %v: %+v, %v, want t %v and p %v", a, b, got, err, wantT, wantP)
		}
		back, err := report.StudentT(b, a)
		if err != nil || back.T != -got.T || back.P != got.P || back.DF != got.DF {
			t.Errorf("%v against %v: %+v, turned around %+v, %v", a, b, got, back, err)
		}
	}
	for _, c := range file.Printed {
		check(c.A.sample(), c.B.sample(), c.T, c.P)
		if got, _ := report.StudentT(c.A.sample(), c.B.sample()); got.DF != c.DF {
			t.Errorf("%d degrees of freedom, want %d", got.DF, c.DF)
		}
	}
	for _, c := range file.Values {
		check(report.SampleOf(c.A), report.SampleOf(c.B), c.T, c.P)
	}
}

// paperTable is testdata/paper_table3.json.
type paperTable struct {
	Columns []string
	Rows    []struct {
		Model   string
		Average *float64
		Cells   []*struct {
			Mean, Std float64
			Bold      bool
		}
	}
}

// The rule gives the bold type of all ten columns in table 3 of the paper, and the means give its
// averages.
func TestComparableIsThePapersBoldType(t *testing.T) {
	var table paperTable
	readJSON(t, "testdata/paper_table3.json", &table)
	if len(table.Columns) != 10 || len(table.Rows) != 14 {
		t.Fatalf("a table of %d rows and %d columns, want 14 and 10", len(table.Rows), len(table.Columns))
	}
	cells := 0
	for j, name := range table.Columns {
		samples := make([]report.Sample, len(table.Rows))
		bold := make([]bool, len(table.Rows))
		for i, r := range table.Rows {
			if c := r.Cells[j]; c != nil {
				cells++
				samples[i], bold[i] = report.Sample{Mean: c.Mean, Std: c.Std, Runs: 10}, c.Bold
			}
		}
		for i, marked := range report.Comparable(samples, false) {
			if marked != bold[i] {
				t.Errorf("%s, %s: bold %v, the paper has %v", name, table.Rows[i].Model, marked, bold[i])
			}
		}
	}
	if cells != 14*10-7 {
		t.Errorf("%d numbers in the table, want 133", cells)
	}
	for _, r := range table.Rows {
		sum := 0.0
		for _, c := range r.Cells {
			if c == nil {
				sum = math.NaN()
				break
			}
			sum += c.Mean
		}
		if r.Average != nil && !(math.Abs(sum/10-*r.Average) < 0.0051) || r.Average == nil && !math.IsNaN(sum) {
			t.Errorf("%s: average %v, printed %v", r.Model, sum/10, r.Average)
		}
	}
}

func TestComparable(t *testing.T) {
	nan := math.NaN()
	s := func(mean, std float64, runs int) report.Sample {
		return report.Sample{Mean: mean, Std: std, Runs: runs}
	}
	for _, c := range []struct {
		name    string
		samples []report.Sample
		lower   bool
		want    []bool
	}{
		{"none", nil, false, []bool{}},
		{"one", []report.Sample{s(1, 0, 1)}, false, []bool{true}},
		{"nothing measured", []report.Sample{{}, {}}, false, []bool{false, false}},
		{"not measured", []report.Sample{{}, s(-3, 1, 5)}, false, []bool{false, true}},
		{"no mean", []report.Sample{s(nan, 1, 5), s(-3, 1, 5), s(-3.1, nan, 5)}, false, []bool{false, true, false}},
		{"single runs", []report.Sample{s(3, 0, 1), s(2.99, 0, 1), s(3, 0, 1)}, false, []bool{true, false, true}},
		{"one run against many", []report.Sample{s(3, 1, 10), s(2.5, 0, 1), s(-9, 0, 1)}, false, []bool{true, true, false}},
		{"no deviation", []report.Sample{s(3, 0, 5), s(2.99, 0, 5)}, false, []bool{true, false}},
		{"lower is better", []report.Sample{s(3, 0.1, 5), s(1, 0.1, 5), s(1.05, 0.1, 5)}, true, []bool{false, true, true}},
		// The second best mean has a much smaller error. The third is comparable only to the second.
		{"two of the best mean", []report.Sample{s(5, 0.01, 10), s(5, 4, 10), s(4.9, 0.01, 10)}, false, []bool{true, true, true}},
	} {
		if got := report.Comparable(c.samples, c.lower); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The comparable cells do not depend on the order of rows, on the unit or origin of the numbers, or
// on whether the signs are reversed together with the direction.
func TestComparableProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		samples := make([]report.Sample, 1+r.IntN(8))
		for i := range samples {
			samples[i] = report.Sample{Mean: float64(r.IntN(20)), Std: float64(r.IntN(5)), Runs: r.IntN(12)}
		}
		want := report.Comparable(samples, false)
		mapped := func(a, b float64) []report.Sample {
			out := slices.Clone(samples)
			for i, s := range out {
				out[i].Mean, out[i].Std = a*s.Mean+b, math.Abs(a)*s.Std
			}
			return out
		}
		if got := report.Comparable(mapped(4, 64), false); !slices.Equal(got, want) {
			t.Errorf("%v: %v, in another unit %v", samples, want, got)
		}
		if got := report.Comparable(mapped(-1, 0), true); !slices.Equal(got, want) {
			t.Errorf("%v: %v, with opposite signs %v", samples, want, got)
		}
		perm := r.Perm(len(samples))
		moved := make([]report.Sample, len(samples))
		for i, j := range perm {
			moved[j] = samples[i]
		}
		for i, marked := range report.Comparable(moved, false) {
			if marked != want[slices.Index(perm, i)] {
				t.Errorf("%v: %v, in another order %v", samples, want, moved)
				break
			}
		}
	}
}

func TestStudentTEdges(t *testing.T) {
	s := func(mean, std float64, runs int) report.Sample {
		return report.Sample{Mean: mean, Std: std, Runs: runs}
	}
	for _, c := range []struct {
		a, b report.Sample
		want report.TTest
	}{
		{s(1, 0, 2), s(1, 0, 2), report.TTest{T: 0, DF: 2, P: 1}},
		{s(2, 0, 2), s(1, 0, 2), report.TTest{T: math.Inf(1), DF: 2, P: 0}},
		{s(1, 0, 1), s(2, 0, 2), report.TTest{T: math.Inf(-1), DF: 1, P: 0}},
		{s(7, 3, 10), s(7, 1, 10), report.TTest{T: 0, DF: 18, P: 1}},
	} {
		if got, err := report.StudentT(c.a, c.b); err != nil || got != c.want {
			t.Errorf("%v against %v: %+v, %v, want %+v", c.a, c.b, got, err, c.want)
		}
	}
	for _, bad := range []report.Sample{s(1, 1, 0), s(1, -1, 5), s(math.NaN(), 1, 5), s(1, math.NaN(), 5), s(math.Inf(1), 1, 5)} {
		for _, pair := range [][2]report.Sample{{bad, s(1, 1, 10)}, {s(1, 1, 10), bad}} {
			if _, err := report.StudentT(pair[0], pair[1]); err == nil || !strings.HasPrefix(err.Error(), "report: t-test of ") {
				t.Errorf("%v: error %v", pair, err)
			}
		}
	}
	if _, err := report.StudentT(s(1, 0, 1), s(2, 0, 1)); err == nil || !strings.Contains(err.Error(), "at least 3") {
		t.Errorf("two runs: %v", err)
	}
}

func TestTestPaper(t *testing.T) {
	ours := report.Cell{Mean: 82.5, Std: 1, Runs: 3}
	if _, err := ours.TestPaper(10); err == nil {
		t.Error("a test against nothing")
	}
	if _, err := ours.WithPaper(84, math.NaN()).TestPaper(10); err == nil {
		t.Error("a test against a mean without deviation")
	}
	if _, err := (report.Cell{}).WithPaper(84, 0.69).TestPaper(10); err == nil {
		t.Error("a test of a cell not measured")
	}
	got, err := ours.WithPaper(84, 0.69).TestPaper(10)
	want, _ := report.StudentT(ours.Sample(), report.Sample{Mean: 84, Std: 0.69, Runs: 10})
	if err != nil || got != want || !(got.T < 0 && got.P < report.Significance) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestBestOf(t *testing.T) {
	cell := func(values ...float64) report.Cell { return report.NewCell(values) }
	c := &report.Comparison{Labels: []string{"data set", "model"}, BestOf: "data set", Rows: []report.ComparisonRow{
		{Labels: []string{"MUTAG", "GCN"}, Cell: cell(69, 70, 71)},
		{Labels: []string{"MUTAG", "GMT"}, Cell: cell(83, 84, 85)},
		{Labels: []string{"DD", "GCN"}, Cell: cell(72, 73)},
		{Labels: []string{"MUTAG", "HyperDrop"}, Cell: cell(84, 85, 84)},
		{Labels: []string{"DD", "HyperDrop"}},
		{Cell: cell(99)},
	}}
	best, err := c.Best()
	if want := []bool{false, true, true, true, false, false}; err != nil || !slices.Equal(best, want) {
		t.Errorf("best %v, %v, want %v", best, err, want)
	}
	const markdown = `| data set | model     |             ours | paper | difference | runs |
| -------- | --------- | ---------------: | ----: | ---------: | ---: |
| MUTAG    | GCN       |     70.00 ± 1.00 |     – |          – |    3 |
| MUTAG    | GMT       | **84.00 ± 1.00** |     – |          – |    3 |
| DD       | GCN       | **72.50 ± 0.71** |     – |          – |    2 |
| MUTAG    | HyperDrop | **84.33 ± 0.58** |     – |          – |    3 |
| DD       | HyperDrop |                – |     – |          – |    0 |
|          |           |            99.00 |     – |          – |    1 |
`
	if got := c.Markdown(); got != markdown {
		t.Errorf("got\n%s\nwant\n%s", got, markdown)
	}
	const text = `data set  model               ours  paper  difference  runs
MUTAG     GCN        70.00 ± 1.00       –           –     3
MUTAG     GMT        84.00 ± 1.00*      –           –     3
DD        GCN        72.50 ± 0.71*      –           –     2
MUTAG     HyperDrop  84.33 ± 0.58*      –           –     3
DD        HyperDrop             –       –           –     0
                            99.00       –           –     1
`
	if got := c.Text(); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	c.BestOf = "dataset"
	if _, err := c.Best(); err == nil || !strings.Contains(err.Error(), `"dataset"`) {
		t.Errorf("best of a column that is not there: %v", err)
	}
	if strings.Contains(c.Markdown(), "*") {
		t.Error("marks without a column to compare in")
	}
}

func ExampleStudentT() {
	hyperdrop := report.Sample{Mean: 75.30, Std: 0.45, Runs: 10}
	random := report.Sample{Mean: 74.92, Std: 0.51, Runs: 10}
	test, err := report.StudentT(hyperdrop, random)
	fmt.Printf("t %.2f, p %.2f, %v\n", test.T, test.P, err)
	// Output: t 1.77, p 0.09, <nil>
}
