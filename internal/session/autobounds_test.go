package session

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Intervals of numbers are wide where labels have a large spread and narrow elsewhere. They contain as many labels as
// requested, and are the same after the run is loaded.
func TestAutoIntervals(t *testing.T) {
	r := rng.Stream(7, "spread")
	path := autoTable(t, true, func(_ int, f []string) {
		spread := 0.1
		if x, _ := strconv.ParseFloat(f[2], 64); x > 0.5 {
			spread = 5
		}
		f[5] = fmt.Sprintf("%.3f", spread*r.NormFloat64())
	})
	dir, res := trained(t, fastAuto(path, settings.Values{"coverage": 0.8}))
	covered, ok := res.Test.Get("coverage")
	if !ok || covered < 0.7 || covered > 0.9 {
		t.Errorf("intervals of 0.8 cover %v of the test edges", covered)
	}
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for k, name := range strings.Split(testsets.CSVHeader(t, table), ",") {
		at[name] = k
	}
	var mean [2]float64
	var n [2]float64
	for _, row := range testsets.CSVRows(t, table) {
		cells := strings.Split(row, ",")
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(cells[at[name]], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		lower, upper, prediction := number("lower"), number("upper"), number("prediction")
		if lower > prediction || prediction > upper {
			t.Fatalf("row %s: the interval does not hold the prediction", row)
		}
		k := 0
		if upper-lower > 4 {
			k = 1
		}
		mean[k], n[k] = mean[k]+upper-lower, n[k]+1
	}
	if n[0] < 60 || n[1] < 60 || mean[0]/n[0] > 2 {
		t.Errorf("%v edges have narrow intervals of %v and %v wide ones of %v", n[0], mean[0]/n[0], n[1], mean[1]/n[1])
	}
}
