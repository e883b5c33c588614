package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/ehgnn/ehgnn/report"
)

func TestMeanStd(t *testing.T) {
	tests := []struct {
		values    []float64
		mean, std float64
	}{
		{nil, math.NaN(), 0},
		{[]float64{3}, 3, 0},
		{[]float64{1, 3}, 2, math.Sqrt2},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, math.Sqrt(32.0 / 7)},
		{[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, 1e9 + 2, 1}, // no cancellation
		{[]float64{0.1, 0.1, 0.1}, 0.1, 0},
	}
	for _, tc := range tests {
		mean, std := report.MeanStd(tc.values)
		same := mean == tc.mean || math.IsNaN(mean) && math.IsNaN(tc.mean) || math.Abs(mean-tc.mean) < 1e-15
		if !same || math.Abs(std-tc.std) > 1e-12 { // a few units in the last place
			t.Errorf("MeanStd(%v) = %v, %v, want %v, %v", tc.values, mean, std, tc.mean, tc.std)
		}
	}
}

func comparison() *report.Comparison {
	timed := report.NewCell([]float64{84, 86}).WithPaper(83.9, 0.4)
	timed.Seconds, timed.Note = 125.4, "100 | epochs"
	return &report.Comparison{
		Title:  "Graph classification, accuracy in %",
		Labels: []string{"data set", "model"},
		Rows: []report.ComparisonRow{
			{Labels: []string{"MUTAG", "HyperDrop"}, Cell: timed},
			{Labels: []string{"MUTAG", "GCN"}, Cell: report.NewCell([]float64{69.496}).WithPaper(69.5, math.NaN())},
			{Labels: []string{"D&D", "GCN"}, Cell: report.Cell{}.WithPaper(72.05, 0.55)},
			{Labels: []string{"größer"}, Cell: report.NewCell([]float64{-1, -2})},
		},
	}
}

func TestMarkdown(t *testing.T) {
	const want = `### Graph classification, accuracy in %

| data set | model     |         ours |        paper | difference | runs | time | note          |
| -------- | --------- | -----------: | -----------: | ---------: | ---: | ---: | ------------- |
| MUTAG    | HyperDrop | 85.00 ± 1.41 | 83.90 ± 0.40 |      +1.10 |    2 | 2m5s | 100 \| epochs |
| MUTAG    | GCN       |        69.50 |        69.50 |       0.00 |    1 |    – |               |
| D&D      | GCN       |            – | 72.05 ± 0.55 |          – |    0 |    – |               |
| größer   |           | -1.50 ± 0.71 |            – |          – |    2 |    – |               |
`
	if got := comparison().Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestText(t *testing.T) {
	const want = `Graph classification, accuracy in %

data set  model              ours         paper  difference  runs  time  note
MUTAG     HyperDrop  85.00 ± 1.41  83.90 ± 0.40       +1.10     2  2m5s  100 | epochs
MUTAG     GCN               69.50         69.50        0.00     1     –
D&D       GCN                   –  72.05 ± 0.55           –     0     –
größer               -1.50 ± 0.71             –           –     2     –
`
	if got := comparison().Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOptionalColumnsDigitsAndExtraLabels(t *testing.T) {
	c := &report.Comparison{Digits: 1, Rows: []report.ComparisonRow{{Labels: []string{"a\nb"}, Cell: report.Cell{}.WithPaper(0.04, math.NaN())}}}
	const want = "|      | ours | paper | difference |\n" +
		"| ---- | ---: | ----: | ---------: |\n" +
		"| a b  |    – |   0.0 |          – |\n"
	if got := c.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDifferences(t *testing.T) {
	for _, tc := range []struct {
		ours, paper float64
		want        string
	}{
		{2, 1, "+1.00"}, {1, 2, "-1.00"}, {1, 1, "0.00"}, {1.001, 1, "0.00"}, {1, 1.001, "0.00"},
		{math.NaN(), 1, "NaN"}, {math.Inf(1), 1, "+Inf"}, {math.Inf(-1), 1, "-Inf"}, {1e6, 0, "+1000000.00"},
	} {
		c := &report.Comparison{Rows: []report.ComparisonRow{{Cell: report.NewCell([]float64{tc.ours}).WithPaper(tc.paper, math.NaN())}}}
		var skip, got string
		if _, err := fmt.Sscan(c.Text(), &skip, &skip, &skip, &skip, &skip, &skip, &got); err != nil {
			t.Fatal(err)
		}
		if got != tc.want {
			t.Errorf("%v against %v: difference %s, want %s", tc.ours, tc.paper, got, tc.want)
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	c := comparison()
	c.Rows = append(c.Rows, report.ComparisonRow{Labels: []string{"x", "y"}, Cell: report.Cell{Runs: 3, Mean: math.NaN(), Std: math.Inf(1)}})
	got, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const first = `{
 "title": "Graph classification, accuracy in %",
 "labels": [
  "data set",
  "model"
 ],
 "rows": [
  {
   "labels": [
    "MUTAG",
    "HyperDrop"
   ],
   "mean": 85,
   "std": 1.4142135623730951,
   "folds": 2,
   "paper": 83.9,
   "paper_std": 0.4,
   "difference": 1.0999999999999943,
   "seconds": 125.4,
   "note": "100 | epochs"
  },
`
	if string(got[:len(first)]) != first {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, first)
	}
	var raw struct{ Rows []map[string]any }
	if err := json.Unmarshal(got, &raw); err != nil {
		t.Fatal(err)
	}
	for i, null := range [][]string{nil, {"std", "paper_std"}, {"mean", "std", "difference"}, {"paper", "paper_std", "difference"}, {"mean", "std", "paper", "paper_std", "difference"}} {
		for _, key := range []string{"mean", "std", "paper", "paper_std", "difference"} {
			v, ok := raw.Rows[i][key]
			want := false
			for _, n := range null {
				want = want || n == key
			}
			if !ok || (v == nil) != want {
				t.Errorf("row %d: %s is %v, %v, want null: %v", i, key, v, ok, want)
			}
		}
	}

	var back report.Comparison
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(back.Rows[4].Mean) {
		t.Errorf("a mean that is null for 3 runs is read as %v, want NaN", back.Rows[4].Mean)
	}
	back.Rows, c.Rows = back.Rows[:4], c.Rows[:4]
	if !reflect.DeepEqual(&back, c) {
		t.Errorf("read back\n%+v\nwant\n%+v", &back, c)
	}
	if err := json.Unmarshal([]byte(`{"rows":[{"mean":"x"}]}`), &back); err == nil {
		t.Error("a mean that is text was read")
	}
}

func TestCellJSON(t *testing.T) {
	c := report.NewCell([]float64{1, 2, 3}).WithPaper(2.5, 0.5)
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"mean":2,"std":1,"folds":3,"paper":2.5,"paper_std":0.5,"difference":-0.5,"seconds":0}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	var back report.Cell
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, c) {
		t.Errorf("read back %+v, %v, want %+v", back, err, c)
	}
}

func TestNewCellOfNothing(t *testing.T) {
	if c := report.NewCell(nil); c.Runs != 0 || c.Mean != 0 {
		t.Errorf("got %+v, want a cell not measured", c)
	}
}

func ExampleComparison_Text() {
	c := report.Comparison{Labels: []string{"data set"}, Rows: []report.ComparisonRow{
		{Labels: []string{"MUTAG"}, Cell: report.NewCell([]float64{84, 86, 85}).WithPaper(83.9, 0.4)},
		{Labels: []string{"PROTEINS"}, Cell: report.NewCell([]float64{76, 75, 77})},
	}}
	fmt.Print(c.Text())
	// Output:
	// data set          ours         paper  difference  runs
	// MUTAG     85.00 ± 1.00  83.90 ± 0.40       +1.10     3
	// PROTEINS  76.00 ± 1.00             –           –     3
}
