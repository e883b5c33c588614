package task

import (
	"errors"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
)

// classChooser sets, from the outputs for the validation part, the settings of tasks that predict
// one class for each item: the temperature (Calibrate), the threshold curve and the threshold of
// two classes, and the bounds of Coverage.
type classChooser struct {
	settings *settings.Settings
	items    settings.Level
	logits   []float32
	rows     []float32 // probabilities
	class    []int32
}

// newClassChooser returns nil if there is nothing to choose.
func newClassChooser(s *settings.Settings, items settings.Level) Chooser {
	if t := &s.Target; s.Model.Out != 2 && !t.Calibrate && t.Coverage == 0 && items != settings.Edges {
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
	if t.Calibrate && len(c.class) > 0 {
		var err error
		if t.Temperature, err = metric.Temperature(c.logits, c.class, t.Offset(k)); err != nil {
			return fmt.Errorf("calibration: %w", err)
		}
	}
	var unreachable error // other settings are still chosen
	if k == 2 {
		pos := c.positive()
		score, target := positives(c.rows, c.class, k, pos)
		err := t.TakeCurve(pos, score, target)
		if !errors.As(err, new(*settings.UnreachableThreshold)) && err != nil {
			return fmt.Errorf("threshold: %w", err)
		}
		unreachable = err
	}
	if err := c.chooseSets(); err != nil {
		return err
	}
	return unreachable
}

// positive is the class of two that a threshold applies to: the rarer one.
func (c *classChooser) positive() int {
	if b := c.settings.Target.Binary; b != nil {
		return b.Positive
	}
	ones := lists.SumOf(c.class, func(k int32) int { return int(k) })
	if 2*ones > len(c.class) {
		return 0
	}
	return 1
}

// chooseSets sets the bounds of Coverage.
func (c *classChooser) chooseSets() error {
	t, k := &c.settings.Target, c.settings.Model.Out
	if len(c.class) == 0 || t.Coverage == 0 {
		return nil
	}
	deviations := make([][]float64, k) // for each class: minus its probability
	for i, y := range c.class {
		row := c.rows[i*k:][:k]
		t.Decide(row)
		deviations[y] = append(deviations[y], -float64(row[y]))
	}
	t.Conformal = &settings.Conformal{Least: make([]float64, k)}
	for y, e := range deviations {
		q, err := metric.ConformalQuantile(e, t.Coverage)
		if err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
		t.Conformal.Least[y] = max(-q, 0)
	}
	return nil
}

// numberChooser sets the bounds of Coverage for numbers.
type numberChooser struct {
	settings *settings.Settings
	items    settings.Level
	errors   [][]float64 // of each number
}

// newNumberChooser returns nil if there is nothing to choose.
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
			return fmt.Errorf("coverage: %w", err)
		}
		t.Conformal.Margin[k] = q
	}
	return nil
}
