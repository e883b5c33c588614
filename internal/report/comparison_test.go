package report_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
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

func TestOptionalColumnsAndExtraLabels(t *testing.T) {
	c := &report.Comparison{Rows: []report.ComparisonRow{{Labels: []string{"a\nb"}, Cell: report.Cell{}.WithPaper(0.04, math.NaN())}}}
	const want = "|      | ours | paper | difference |\n" +
		"| ---- | ---: | ----: | ---------: |\n" +
		"| a b  |    – |  0.04 |          – |\n"
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
