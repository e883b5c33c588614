package session

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Known labels at both ends predict ratings better than the means of users and items.
func TestRatings(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	const users, items = 120, 60
	r, err := synth.NewRatings(users, items, 4200, 7)
	if err != nil {
		t.Fatal(err)
	}
	path := drawnEdges(t, r)
	s := mustOpen(t, Request{Path: path, Task: task.EdgeRegression.Name, Seed: 1, Given: settings.Values{"label": "rating", "label-context": settings.ContextOn,
		"structure": []string{settings.StructureNone}, "hidden": 16, "layers": 0, "epochs": 200, "fractions": []float64{0.7, 0.15, 0.15}}})
	labels, means := fittedScore(t, s, "rmse"), means(t, s, r)
	if t.Logf("RMSE of means of users and items %.3f, with labels of both ends %.3f", means, labels); labels > means {
		t.Errorf("RMSE of means %.3f, with labels of both ends %.3f", means, labels)
	}
}

// drawnEdges writes a folder with a table of randomly generated edges.
func drawnEdges(t *testing.T, r interface{ WriteEdges(w io.Writer) error }) string {
	t.Helper()
	var text strings.Builder
	if err := r.WriteEdges(&text); err != nil {
		t.Fatal(err)
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// fittedScore trains a session and returns a score of its test part.
func fittedScore(t *testing.T, s *Session, name string) float64 {
	t.Helper()
	if _, err := s.Fit(t.Context(), FitOptions{}); err != nil {
		t.Fatal(err)
	}
	e, err := s.Evaluate(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	return scoreOf(t, e.Scores, name)
}

// means returns the test error of a baseline: the mean of all training ratings plus the deviations
// of the user and of the item from it.
func means(t *testing.T, s *Session, r *synth.Ratings) float64 {
	t.Helper()
	split, err := s.Data.(*source.ColumnData).Set.Split(s.Settings.Split.OfEdges())
	if err != nil {
		t.Fatal(err)
	}
	type sum struct{ total, n float64 }
	var all sum
	user, item := map[int]sum{}, map[int]sum{}
	add := func(s sum, v float64) sum { return sum{s.total + v, s.n + 1} }
	for _, e := range split.Train {
		x := r.List[e]
		all, user[x.User], item[x.Item] = add(all, x.Value), add(user[x.User], x.Value), add(item[x.Item], x.Value)
	}
	mean := all.total / all.n
	offset := func(s sum) float64 {
		if s.n == 0 {
			return 0
		}
		return s.total/s.n - mean
	}
	square := 0.0
	for _, e := range split.Test {
		x := r.List[e]
		square += math.Pow(mean+offset(user[x.User])+offset(item[x.Item])-x.Value, 2) / float64(len(split.Test))
	}
	return math.Sqrt(square)
}
