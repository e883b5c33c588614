package benchmark

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// read decodes a file of testdata.
func read(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestAUC(t *testing.T) {
	var doc struct {
		Values, Ramp    []float64
		Budget, Budget2 int
		AUC10           float64 `json:"auc10"`
		AUC10Two        float64 `json:"auc10_2"`
		AUC10Ramp       float64 `json:"auc10_ramp"`
	}
	read(t, "auc.json", &doc)
	for _, c := range []struct {
		values []float64
		budget int
		want   float64
	}{{doc.Values, doc.Budget, doc.AUC10}, {doc.Values, doc.Budget2, doc.AUC10Two}, {doc.Ramp, doc.Budget, doc.AUC10Ramp}, {nil, 10, 0}, {[]float64{1}, 100, 0.995}} {
		if got := AUC(c.values, c.budget, 10); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d values, budget %d: %v, expected %v", len(c.values), c.budget, got, c.want)
		}
	}
	if got := MeanBest([]float64{1, 3, 2, 9}, 3, 2); got != 2.5 {
		t.Errorf("mean of the best two of three is %v", got)
	}
}
