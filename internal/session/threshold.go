package session

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// ThresholdResult says what the threshold of two classes does on the validation set.
type ThresholdResult struct {
	Rule  string  `json:"rule"` // as settings.ParseThreshold reads it
	Value float64 `json:"value"`
	// Predicted counts the validation items that are predicted to be of the positive class, Items all.
	Predicted int     `json:"predicted"`
	Items     int     `json:"items"`
	Precision float64 `json:"precision"` // 0 where none is predicted
	Recall    float64 `json:"recall"`
}

// settleThreshold names the positive class where a threshold was asked for and the task has none, the
// rarer one of the training items, and refuses a rule that no validation set can settle.
func (s *Session) settleThreshold() error {
	t := &s.Settings.Target
	if t.Threshold == "" {
		return nil
	}
	if t.Binary == nil {
		t.Binary = &settings.Binary{Threshold: 0.5}
		if n := s.Usual().Counts; len(n) == 2 && n[1] <= n[0] {
			t.Binary.Positive = 1
		}
	}
	if s.facts == nil && s.Parts[source.PartValid] == nil {
		return t.SetGiven()
	}
	return nil
}

// thresholdOf is the result for a target; nil where it has no threshold.
func thresholdOf(t *settings.Target) *ThresholdResult {
	if t.Binary == nil || t.Curve == nil {
		return nil
	}
	c := t.Curve
	r := &ThresholdResult{Rule: t.Threshold, Value: t.Binary.Threshold, Items: c.Items}
	if r.Rule == "" {
		r.Rule = settings.ThresholdF1
	}
	predicted, found := c.At(r.Value)
	r.Predicted = predicted
	r.Precision, r.Recall = float64(found)/float64(max(predicted, 1)), float64(found)/float64(max(c.Positives, 1))
	return r
}

// text says it for people.
func (r *ThresholdResult) text(class string) string {
	return fmt.Sprintf("threshold %.4g for %s (%s): on validation %d of %d, precision %.3f, recall %.3f", r.Value, class, r.Rule, r.Predicted, r.Items, r.Precision, r.Recall)
}

// worseThanBaseline says where predictions for the test set are worse than the same answer for all
// items, as the training set suggests it.
func (s *Session) worseThanBaseline() []string {
	usual, o := s.Usual(), s.tested
	switch {
	case o.Classes != nil && usual.Counts != nil:
		return worseClasses(o.Classes, usual.Counts)
	case o.Labels:
		return nil // they are scored by their order
	}
	return worseNumbers(o.Targets, usual.Means)
}

// worseClasses compares accuracies, with that of the most frequent class of training.
func worseClasses(c *task.ClassOutcome, counts []int) []string {
	most, right, simple, n := 0, 0, 0, 0
	for k, count := range counts {
		if count > counts[most] {
			most = k
		}
	}
	for i, y := range c.True {
		if y < 0 {
			continue
		}
		n++
		if c.Predicted[i] == y {
			right++
		}
		if int(y) == most {
			simple++
		}
	}
	if right >= simple {
		return nil
	}
	text := fmt.Sprintf("accuracy %.3f on test is below %.3f, that of always answering %s", float64(right)/float64(n), float64(simple)/float64(n), c.Names[most])
	if len(counts) == 2 {
		text += "; the order of the probabilities may still be of use (--threshold chooses what counts)"
	}
	return []string{text}
}

// worseNumbers compares absolute and squared errors, with those of the means of training.
func worseNumbers(targets []task.TargetOutcome, means []float64) (out []string) {
	for k, target := range targets {
		if k >= len(means) || math.IsNaN(means[k]) {
			continue
		}
		var model, mean [2]float64 // sums of absolute and of squared errors
		n := 0.0
		for i, y := range target.True {
			if y != y {
				continue
			}
			n++
			by, simple := math.Abs(float64(target.Predicted[i])-float64(y)), math.Abs(means[k]-float64(y))
			model[0], model[1] = model[0]+by, model[1]+by*by
			mean[0], mean[1] = mean[0]+simple, mean[1]+simple*simple
		}
		if model[0] > mean[0] && model[1] > mean[1] {
			name := ""
			if target.Name != "" {
				name = " of " + target.Name
			}
			out = append(out, fmt.Sprintf("mean absolute error%s %.4g on test is above %.4g, that of always answering %.4g, the mean of the training set",
				name, model[0]/n, mean[0]/n, means[k]))
		}
	}
	return out
}
