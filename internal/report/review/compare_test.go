package review

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Two runs predict the same 400 items, and the second is right on 40 more. The interval of the
// difference in accuracy is narrower than the interval of either accuracy.
func TestCompare(t *testing.T) {
	outcome := func(right func(i int) bool) *task.Outcome {
		c := &task.ClassOutcome{Names: []string{"a", "b"}, Probability: make([][]float32, 2)}
		o := &task.Outcome{Level: settings.Graphs, Classes: c}
		for i := range 400 {
			truth := int32(i % 2)
			said := truth
			if !right(i) {
				said = 1 - truth
			}
			p := 0.6 + float32(i)/2000
			c.True, c.Predicted = append(c.True, truth), append(c.Predicted, said)
			c.Probability[said], c.Probability[1-said] = append(c.Probability[said], p), append(c.Probability[1-said], 1-p)
			o.At = append(o.At, source.Place{Graph: i})
		}
		return o
	}
	a, b := outcome(func(i int) bool { return i >= 120 }), outcome(func(i int) bool { return i >= 80 })
	differences, err := Compare(t.Context(), a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		if d.Name != "accuracy" {
			continue
		}
		if math.Abs(d.A-0.7) > 1e-9 || math.Abs(d.B-0.8) > 1e-9 || math.Abs(d.Of-0.1) > 1e-9 {
			t.Errorf("%+v", d)
		}
		// 40 of 400 items differ, which gives a deviation of 0.015.
		if !d.Paired || d.Low < 0.06 || d.Low > 0.08 || d.High < 0.12 || d.High > 0.14 {
			t.Errorf("interval %v to %v, want about 0.07 to 0.13", d.Low, d.High)
		}
	}
	b.Classes.Names = []string{"a", "c"}
	if _, err := Compare(t.Context(), a, b, nil); err == nil {
		t.Error("runs of different classes are compared")
	}
}
