package review

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
)

// The bootstrap draws the units of the split. If all edges of a group have the same class, intervals
// by group are wider than by edge, because there are fewer groups than edges.
func TestUnits(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("source,target,amount,group,label\n")
	for e := range 600 {
		group := e / 10
		fmt.Fprintf(&b, "%d,%d,%.3f,team %d,%s\n", random.IntN(200), random.IntN(200), random.Float64(), group, []string{"x", "y"}[group%2])
	}
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	of := func(split string) (*task.Outcome, *Review) {
		r := reviewed(t, path, "edge-classification", settings.Values{"split": split, "hidden": 8, "epochs": 2})
		return r.outcome, r
	}
	o, r := of(settings.SplitGroup)
	for i := range o.Classes.Predicted {
		o.Classes.Predicted[i] = 0 // so that the edges of a group are all correct or all wrong
	}
	width := func(o *task.Outcome) float64 {
		rows := knownRows(o)
		units := unitsOf(o, false, rows)
		got, err := bootstrap(t.Context(), scorerOf(o, nil), units, rows, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		i := got["accuracy"]
		return i[1] - i[0]
	}
	alone := *o
	alone.Unit = nil
	byGroup, byEdge := width(o), width(&alone)
	if n := len(unitsOf(o, false, knownRows(o))); n < 8 || n > 16 {
		t.Errorf("%d units in the test part, want about 12 groups", n)
	}
	if !(byGroup > 1.8*byEdge) {
		t.Errorf("the interval by group is %.3f wide, by edge %.3f; expected about three times as wide", byGroup, byEdge)
	}
	if want := "a bootstrap of the test set, those edges at once that the split keeps together."; !strings.Contains(r.intervals, want) {
		t.Errorf("intervals are described as %q, want %q", r.intervals, want)
	}
	if o, r = of(settings.SplitRandom); len(unitsOf(o, false, knownRows(o))) != len(knownRows(o)) || !strings.Contains(r.intervals, "edge by edge") {
		t.Errorf("after a random split of different edges: %q", r.intervals)
	}
}
