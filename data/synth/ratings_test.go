package synth_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
)

func TestRatings(t *testing.T) {
	const users, items, ratings = 200, 100, 8000
	a, err := synth.NewRatings(users, items, ratings, 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := synth.NewRatings(users, items, ratings, 1); err != nil || !reflect.DeepEqual(a, again) {
		t.Errorf("other ratings the second time: %v", err)
	}
	pairs, mean, square := map[[2]int]bool{}, 0.0, 0.0
	for _, x := range a.List {
		if x.User < 0 || x.User >= users || x.Item < 0 || x.Item >= items {
			t.Fatalf("%+v", x)
		}
		pairs[[2]int{x.User, x.Item}] = true
		mean += x.Value / ratings
	}
	for _, x := range a.List {
		square += (x.Value - mean) * (x.Value - mean) / ratings
	}
	// Variances add up: of both effects, the interaction and the noise.
	if want := math.Sqrt(0.25 + 0.25 + 0.49 + 0.09); len(pairs) != ratings || math.Abs(mean-3.5) > 0.2 || math.Abs(math.Sqrt(square)-want) > 0.15 {
		t.Errorf("%d pairs, mean %.2f and deviation %.2f, want %d, 3.5 and %.2f", len(pairs), mean, math.Sqrt(square), ratings, want)
	}
	var edges strings.Builder
	if err := a.WriteEdges(&edges); err != nil {
		t.Fatal(err)
	}
	if text := edges.String(); strings.Count(text, "\n") != ratings+1 || !strings.HasPrefix(text, "source,target,rating\nu") {
		t.Errorf("edges %.60q", text)
	}
	for _, n := range [][3]int{{0, 1, 0}, {1, 0, 0}, {2, 3, 7}, {2, 3, -1}} {
		if _, err := synth.NewRatings(n[0], n[1], n[2], 1); err == nil {
			t.Errorf("no error for %v", n)
		}
	}
	if all, err := synth.NewRatings(2, 3, 6, 1); err != nil || len(all.List) != 6 {
		t.Errorf("all pairs: %v", err)
	}
}
