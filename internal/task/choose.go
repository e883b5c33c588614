package task

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
)

// classChooser sets what the outputs for the validation part decide where one class per
// item is predicted: of two classes the threshold, with the best F1 of the positive one;
// the temperature, where Calibrate asks for it; the bounds of Coverage.
type classChooser struct {
	settings *settings.Settings
	items    settings.Level
	logits   []float32
	rows     []float32 // probabilities
	class    []int32
}

// newClassChooser is nil where there is nothing to choose.
func newClassChooser(s *settings.Settings, items settings.Level) Chooser {
	if t := &s.Target; t.Binary == nil && !t.Calibrate && t.Coverage == 0 && items != settings.Edges {
		return nil
	}
	return &classChooser{settings: s, items: items}
}

func (c *classChooser) Add(out *model.Output, b *graph.Batch) {
	logits, label := OutputOf(c.items, out), classesOf(c.items, b)
	c.rows, _ = appendLabelled(c.rows, nil, logits.Softmax(), label)
	c.logits, c.class = appendLabelled(c.logits, c.class, logits, label)
}

func (c *classChooser) Choose() error {
	t, k := &c.settings.Target, c.settings.Model.Out
	t.Temperature, t.Conformal = 0, nil
	if b := t.Binary; b != nil {
		b.Threshold = BestThreshold(positives(c.rows, c.class, k, b.Positive))
	}
	if len(c.class) == 0 {
		return nil
	}
	if t.Calibrate {
		var err error
		if t.Temperature, err = metric.Temperature(c.logits, c.class, t.Offset(k)); err != nil {
			return fmt.Errorf("task: calibration: %w", err)
		}
	}
	if b := t.Binary; b != nil {
		// The threshold follows the probabilities, so that no decision changes.
		pair := []float64{b.Threshold, b.Threshold}
		pair[1-b.Positive] = 1 - b.Threshold
		settings.Calibrate(t, pair)
		b.Threshold = pair[b.Positive]
	}
	if t.Coverage == 0 {
		return nil
	}
	errors := make([][]float64, k) // of each class: less its probability
	for i, y := range c.class {
		row := c.rows[i*k:][:k]
		t.Decide(row)
		errors[y] = append(errors[y], -float64(row[y]))
	}
	t.Conformal = &settings.Conformal{Least: make([]float64, k)}
	for y, e := range errors {
		q, err := metric.ConformalQuantile(e, t.Coverage)
		if err != nil {
			return fmt.Errorf("task: coverage: %w", err)
		}
		t.Conformal.Least[y] = max(-q, 0)
	}
	return nil
}

// BestThreshold is the threshold with the best F1: half way between two scores, the highest
// of equally good ones, and one half where there are no positives.
func BestThreshold(score, target []float32) float64 {
	order := make([]int, len(score))
	positives := 0
	for i := range order {
		order[i] = i
		positives += int(target[i])
	}
	if positives == 0 {
		return 0.5
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	best, at, found := -1.0, 0.5, 0
	for n, i := range order {
		found += int(target[i])
		next := 0.0 // the next lower score
		if n+1 < len(order) {
			if next = float64(score[order[n+1]]); next == float64(score[i]) {
				continue // no threshold separates equal scores
			}
		}
		if f1 := 2 * float64(found) / float64(n+1+positives); f1 > best {
			best, at = f1, (float64(score[i])+next)/2
		}
	}
	return at
}

// numberChooser sets the bounds of Coverage for numbers.
type numberChooser struct {
	settings *settings.Settings
	items    settings.Level
	errors   [][]float64 // by number
}

// newNumberChooser is nil where there is nothing to choose.
func newNumberChooser(s *settings.Settings, items settings.Level) Chooser {
	if s.Target.Coverage == 0 {
		return nil
	}
	return &numberChooser{s, items, make([][]float64, s.Model.Out)}
}

func (c *numberChooser) Add(out *model.Output, b *graph.Batch) {
	target := targetsOf(c.items, b, len(c.errors))
	if target == nil {
		return
	}
	prediction := OutputOf(c.items, out).Clone().Data()
	units(c.settings.Target.Units).Restore(prediction)
	bounds := boundsOf(c.settings, c.items, out)
	for i, want := range target.Data() {
		e := math.Abs(float64(prediction[i]) - float64(want))
		if bounds != nil {
			e = max(float64(bounds[2*i])-float64(want), float64(want)-float64(bounds[2*i+1]))
		}
		if !math.IsNaN(float64(want)) {
			c.errors[i%len(c.errors)] = append(c.errors[i%len(c.errors)], e)
		}
	}
}

func (c *numberChooser) Choose() error {
	t := &c.settings.Target
	t.Conformal = &settings.Conformal{Margin: make([]float64, len(c.errors))}
	for k, e := range c.errors {
		q, err := metric.ConformalQuantile(e, t.Coverage)
		if err != nil {
			return fmt.Errorf("task: coverage: %w", err)
		}
		t.Conformal.Margin[k] = q
	}
	return nil
}
