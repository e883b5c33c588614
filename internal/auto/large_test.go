package auto

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/model"
)

// On a large table trees are trained on all sets of columns with a sample of the rows, and on the best set with all rows.
func TestLarge(t *testing.T) {
	r := attacked(t, 1, 2, true)
	r.Quality, r.Threads, r.large = model.QualityGood, 2, 400
	var samples, full []string
	r.OnEntry = func(e Entry) {
		if e.Learner == model.LearnerTrees {
			if name, is := strings.CutSuffix(e.Columns, sampleName); is {
				samples = append(samples, name)
			} else {
				full = append(full, e.Columns)
			}
		}
	}
	if _, err := Fit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if len(samples) < 3 || len(full) != 1 || !slices.Contains(samples, full[0]) {
		t.Errorf("trees were trained on samples with %q and on all rows with %q, expected one of the former", samples, full)
	}
}

func TestSample(t *testing.T) {
	set := &trainingSet{static: model.Block{Rows: 7, Width: 2, Data: []float32{0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}}, y: []float32{0, 1, 2, 3, 4, 5, 6}, epoch: 7}
	got := set.sample(3)
	if want := []float32{0, 2, 4}; !slices.Equal(got.y, want) || !slices.Equal(got.static.Data, []float32{0, 0, 2, 20, 4, 40}) || got.epoch != 3 {
		t.Errorf("a sample of 3 rows is %+v", got)
	}
	if set.sample(7) != set {
		t.Error("a sample of all rows is another set")
	}
}
