package review

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// One of two classes, and a single yes-or-no label, are of interest: they have curves and a threshold.
func TestInterest(t *testing.T) {
	r := &Review{settings: &settings.Settings{}}
	at := make([]source.Place, 4)
	nan := float32(math.NaN())
	label := func(truth ...float32) task.TargetOutcome {
		return task.TargetOutcome{Name: "active", True: truth, Predicted: []float32{0.1, 0.9, 0.5, 0.4}}
	}
	for what, tt := range map[string]struct {
		outcome     *task.Outcome
		name, other string // empty for none
		of, rows    int
	}{
		"a label":         {&task.Outcome{At: at, Labels: true, Targets: []task.TargetOutcome{label(0, 1, nan, 1)}}, "active", "others", 2, 3},
		"two labels":      {&task.Outcome{At: at, Labels: true, Targets: []task.TargetOutcome{label(0, 1, 0, 1), label(0, 1, 0, 1)}}, "", "", 0, 0},
		"a number":        {&task.Outcome{At: at, Targets: []task.TargetOutcome{label(0, 1, 0, 1)}}, "", "", 0, 0},
		"all have it":     {&task.Outcome{At: at, Labels: true, Targets: []task.TargetOutcome{label(1, 1, nan, 1)}}, "", "", 0, 0},
		"nothing is true": {&task.Outcome{At: at, Labels: true, Targets: []task.TargetOutcome{label(nan, nan, nan, nan)}}, "", "", 0, 0},
		"two classes":     {&task.Outcome{At: at, Classes: &task.ClassOutcome{Names: []string{"ok", "fraud"}, True: []int32{0, 0, 1, -1}, Probability: make([][]float32, 2)}}, "fraud", "ok", 1, 3},
		"three classes":   {&task.Outcome{At: at, Classes: &task.ClassOutcome{Names: []string{"a", "b", "c"}, True: []int32{0, 1, 2, 0}, Probability: make([][]float32, 3)}}, "", "", 0, 0},
	} {
		b, ok := r.interest(tt.outcome)
		if ok != (tt.name != "") {
			t.Errorf("%s: of interest is %v", what, ok)
			continue
		}
		if ok && (b.name != tt.name || b.other != tt.other || count(b.class, b.rows, b.k) != tt.of || len(b.rows) != tt.rows) {
			t.Errorf("%s: %q and %q, %d of %d rows", what, b.name, b.other, count(b.class, b.rows, b.k), len(b.rows))
		}
	}
}
