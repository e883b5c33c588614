package boost_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// shapCases are models and rows with missing values, categories and several outputs.
func shapCases(t *testing.T) (models []*boost.Model, rows [][]float32) {
	r := rng.Stream(1, "shap")
	x := &boost.Matrix{Columns: 4, Categorical: []bool{false, false, false, true}}
	var y []float32
	for range 500 {
		row := []float32{r.Float32(), float32(r.IntN(4)), r.Float32(), float32(r.IntN(30))}
		if r.IntN(4) == 0 {
			row[r.IntN(4)] = float32(math.NaN())
		}
		x.Blocks = append(x.Blocks, row)
		label := float32(0)
		if row[0] > .5 != (row[1] > 1) || row[3] < 8 {
			label = 1
		}
		if row[2] < .3 {
			label = 2
		}
		y = append(y, label)
	}
	for _, c := range []boost.Config{
		{Objective: boost.Squared, Rounds: 1, Leaves: 2}, {Objective: boost.Squared, Rounds: 3, Leaves: 30, MinRows: 2},
		{Objective: boost.Softmax, Classes: 3, Rounds: 4, Leaves: 12}, {Objective: boost.Absolute, Rounds: 5},
	} {
		models = append(models, train(t, x, y, nil, nil, c))
	}
	return models, x.Blocks[:30]
}

// expected is the value of a tree when only the columns in the set are known. At a split on another
// column, rows go both ways, weighted by the number of training rows.
func expected(a map[string][]float32, first, n int, row []float32, known uint) float64 {
	column := int(a["columns"][first+n])
	if column < 0 {
		return float64(a["thresholds"][first+n])
	}
	left := int(a["children"][first+n])
	if known>>column&1 == 1 {
		if goesLeft(a, first+n, row[column]) {
			return expected(a, first, left, row, known)
		}
		return expected(a, first, left+1, row, known)
	}
	l, r := float64(a["covers"][first+left]), float64(a["covers"][first+left+1])
	return (l*expected(a, first, left, row, known) + r*expected(a, first, left+1, row, known)) / (l + r)
}

// goesLeft decides at a node from the arrays alone. Column 3 is categorical.
func goesLeft(a map[string][]float32, node int, v float32) bool {
	threshold := a["thresholds"][node]
	if a["columns"][node] != 3 {
		return v <= threshold || v != v && a["missing"][node] == 0
	}
	number := float32(len(a["category_codes"]) + 1)
	if v != v {
		number = 0
	}
	for i, code := range a["category_codes"] {
		if v == code {
			number = float32(i + 1)
		}
	}
	at := 0
	for _, n := range a["set_counts"][:int(threshold)] {
		at += int(n)
	}
	for _, b := range a["set_bins"][at : at+int(a["set_counts"][int(threshold)])] {
		if b == number {
			return true
		}
	}
	return false
}

// Contributions equal the Shapley values computed from their definition, over all sets of columns.
// They sum to the score minus the mean score.
func TestContributions(t *testing.T) {
	models, rows := shapCases(t)
	for _, m := range models {
		a := m.Arrays()
		k := m.Outputs()
		got, mean := make([]float64, 4*k), m.MeanScores()
		for _, row := range rows {
			if err := m.Contributions(row, got); err != nil {
				t.Fatal(err)
			}
			want := make([]float64, 4*k)
			first := 0
			for tree, size := range a["trees"] {
				for set := range uint(16) {
					value := expected(a, first, 0, row, set)
					for c := range 4 {
						n := bits.OnesCount(set &^ (1 << c))
						weight := []float64{6, 2, 2, 6}[n] / 24
						if set>>c&1 == 0 {
							weight = -weight
						}
						want[tree%k*4+c] += weight * value
					}
				}
				first += int(size)
			}
			score := predict(t, m, &boost.Matrix{Columns: 4, Blocks: [][]float32{row}})
			for o := range k {
				sum := mean[o]
				for c := range 4 {
					sum += got[o*4+c]
					if math.Abs(got[o*4+c]-want[o*4+c]) > 1e-6 {
						t.Fatalf("row %v: contribution of column %d to score %d is %v, expected %v", row, c, o, got[o*4+c], want[o*4+c])
					}
				}
				if math.Abs(sum-float64(score[o])) > 1e-5 {
					t.Errorf("contributions sum to %v, expected %v", sum, score[o])
				}
			}
		}
	}
	m := models[0]
	if m.Contributions(rows[0][:3], make([]float64, 4)) == nil || m.Contributions(rows[0], nil) == nil {
		t.Error("no error for slices of wrong lengths")
	}
}
