package session

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// ThresholdResult says what the threshold of two classes does on the validation set.
type ThresholdResult struct {
	Rule  string  `json:"rule"` // a rule for settings.ParseThreshold
	Value float64 `json:"value"`
	// Predicted counts the validation items predicted to be positive; Items counts all.
	Predicted int     `json:"predicted"`
	Items     int     `json:"items"`
	Precision float64 `json:"precision"` // 0 if none is predicted
	Recall    float64 `json:"recall"`
}

// settleThreshold sets the positive class to the rarer class of the training items, if a threshold
// was given and the task has set none. It returns an error for a rule that cannot be applied to a
// validation set.
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
	if s.stream == nil && s.Parts[source.PartValid] == nil {
		return t.SetGiven()
	}
	return nil
}

// thresholdOf returns the result for a target; nil if it has no threshold.
func thresholdOf(t *settings.Target) *ThresholdResult {
	if t.Binary == nil || t.Curve == nil {
		return nil
	}
	c := t.Curve
	r := &ThresholdResult{Rule: t.Threshold, Value: t.Binary.Threshold, Items: c.Items}
	if r.Rule == "" {
		r.Rule = settings.ThresholdMacroF1
		if usual, _ := c.Choose(settings.ThresholdRule{Kind: r.Rule}); usual != r.Value {
			r.Rule = settings.ThresholdF1 // default of earlier versions
		}
	}
	predicted, found := c.At(r.Value)
	r.Predicted = predicted
	r.Precision, r.Recall = float64(found)/float64(max(predicted, 1)), float64(found)/float64(max(c.Positives, 1))
	return r
}

// ThresholdText describes what the threshold of two classes does on the validation set; empty if there is none.
func ThresholdText(t *settings.Target) string {
	r := thresholdOf(t)
	if r == nil {
		return ""
	}
	return r.text(task.PositiveClass(t))
}

// text describes the threshold for people.
func (r *ThresholdResult) text(class string) string {
	return fmt.Sprintf("threshold %.4g for %s (%s): on validation %d of %d, precision %.3f, recall %.3f", r.Value, class, r.Rule, r.Predicted, r.Items, r.Precision, r.Recall)
}
