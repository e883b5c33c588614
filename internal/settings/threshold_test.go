package settings

import (
	"errors"
	"testing"
)

func TestParseThreshold(t *testing.T) {
	for text, want := range map[string]ThresholdRule{
		"0.25":          {Kind: ThresholdNumber, Value: 0.25},
		"1":             {Kind: ThresholdNumber, Value: 1},
		"f1":            {Kind: ThresholdF1},
		"macro_f1":      {Kind: ThresholdMacroF1},
		"recall=0.9":    {Kind: ThresholdRecall, Value: 0.9},
		"precision=0.8": {Kind: ThresholdPrecision, Value: 0.8},
		"budget=50":     {Kind: ThresholdBudget, Value: 50},
		"budget=0.01":   {Kind: ThresholdBudget, Value: 0.01},
		"cost=1:20":     {Kind: ThresholdCost, FalsePositive: 1, FalseNegative: 20},
	} {
		if got, err := ParseThreshold(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "-0.1", "NaN", "f1=1", "macro_f1=1", "number=0.5", "recall", "recall=0", "recall=90", "precision=x", "budget=0", "budget=1.5", "cost=1", "cost=1:0", "cost=1:2:3", "cost=Inf:1", "best"} {
		if got, err := ParseThreshold(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzParseThreshold(f *testing.F) {
	for _, seed := range []string{"0.5", "f1", "recall=0.9", "cost=1:2", "budget=1e3", "=", "cost=:"} {
		f.Add(seed)
	}
	c := NewThresholdCurve(1, []float32{0.875, 0.75, 0.25}, []float32{1, 0, 1})
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseThreshold(text)
		if err != nil {
			return
		}
		if got, err := c.Choose(r); err == nil && !(got >= 0 && got <= 1) {
			t.Errorf("%q chooses %v", text, got)
		}
	})
}

func TestBestThreshold(t *testing.T) {
	for _, c := range []struct {
		name          string
		score, target []float32
		want          float64
	}{
		{"apart", []float32{0.125, 0.875, 0.25, 0.75}, []float32{0, 1, 0, 1}, 0.5},
		{"rare and low", []float32{0.125, 0.25, 0.0625, 0.03125}, []float32{0, 1, 0, 0}, 0.1875},
		{"tie", []float32{0.5, 0.5, 0.25}, []float32{1, 0, 0}, 0.375},
		{"all positive", []float32{0.5, 0.25}, []float32{1, 1}, 0.125},
		{"none", []float32{0.5, 0.25}, []float32{0, 0}, 0.5},
		{"empty", nil, nil, 0.5},
	} {
		if got, _ := NewThresholdCurve(1, c.score, c.target).Choose(ThresholdRule{Kind: ThresholdF1}); got != c.want {
			t.Errorf("%s: threshold %v, want %v", c.name, got, c.want)
		}
	}
}

// The positive items are the first, second, fourth and eighth of ten items in order of falling probability.
func TestChooseThreshold(t *testing.T) {
	score := []float32{0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1}
	target := []float32{1, 1, 0, 1, 0, 0, 0, 1, 0, 0}
	c := NewThresholdCurve(1, score, target)
	for text, want := range map[string]int{ // number of items predicted positive
		"recall=0.5": 2, "recall=0.75": 4, "recall=1": 8, "precision=1": 2, "precision=0.75": 4, "precision=0.4": 10,
		"budget=3": 3, "budget=0.2": 2, "cost=1:1": 2, "cost=1:2": 4, "cost=1:100": 8, "cost=100:1": 2, "f1": 4, "macro_f1": 4, "0.65": 4,
	} {
		r, err := ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		at, err := c.Choose(r)
		if predicted, _ := c.At(at); err != nil || predicted != want {
			t.Errorf("%s: %v predicts %d, %v; want %d", text, at, predicted, err, want)
		}
	}
	// Six of ten items are positive and the scores hardly separate them. F1 predicts nine as positive, macro F1 fewer.
	level := NewThresholdCurve(1, score, []float32{1, 1, 0, 1, 1, 0, 0, 1, 1, 0})
	for kind, want := range map[string]int{ThresholdF1: 9, ThresholdMacroF1: 5} {
		at, _ := level.Choose(ThresholdRule{Kind: kind})
		if predicted, _ := level.At(at); predicted != want {
			t.Errorf("%s of level classes predicts %d, want %d", kind, predicted, want)
		}
	}
	low := NewThresholdCurve(1, []float32{0.9, 0.8}, []float32{0, 1})
	nearest, err := low.Choose(ThresholdRule{Kind: ThresholdPrecision, Value: 0.9})
	if !errors.As(err, new(*UnreachableThreshold)) || nearest >= 0.8 {
		t.Errorf("an unreachable precision gives %v, %v", nearest, err)
	}
}

// A long curve is thinned. It keeps the best F1 and the best macro F1 exactly, and other values approximately.
func TestThinThresholds(t *testing.T) {
	const n = 50000
	score, target := make([]float32, n), make([]float32, n)
	for i := range score {
		score[i] = 1 - float32(i+1)/(n+1)
		if i < 20123 {
			target[i] = 1
		}
	}
	c := NewThresholdCurve(1, score, target)
	if len(c.Threshold) > mostThresholds+2 {
		t.Fatalf("%d thresholds", len(c.Threshold))
	}
	for _, kind := range []string{ThresholdF1, ThresholdMacroF1} {
		at, _ := c.Choose(ThresholdRule{Kind: kind})
		if predicted, found := c.At(at); predicted != 20123 || found != 20123 {
			t.Errorf("the best %s predicts %d", kind, predicted)
		}
	}
	at, _ := c.Choose(ThresholdRule{Kind: ThresholdBudget, Value: 50})
	if predicted, _ := c.At(at); predicted != 50 {
		t.Errorf("a budget of 50 predicts %d", predicted)
	}
}

// A new threshold changes the decisions of a run. Only rules that the stored curve can answer are allowed.
func TestSetThreshold(t *testing.T) {
	target := Target{Binary: &Binary{Positive: 1, Threshold: 0.5}}
	if err := target.SetThreshold("recall=0.9"); !IsUsage(err) {
		t.Errorf("without a curve: %v", err)
	}
	if err := target.SetThreshold("0.9"); err != nil || target.Decide([]float32{0.2, 0.8}) != 0 {
		t.Errorf("0.9: %v", err)
	}
	target = Target{Curve: NewThresholdCurve(0, []float32{0.9, 0.3, 0.2}, []float32{1, 1, 0})}
	if err := target.SetThreshold("recall=1"); err != nil || target.Decide([]float32{0.3, 0.7}) != 0 || target.Decide([]float32{0.2, 0.8}) != 1 {
		t.Errorf("recall=1: %v, %v", err, target.Binary)
	}
	if err := (&Target{}).SetThreshold("0.5"); !IsUsage(err) {
		t.Errorf("a run of many classes: %v", err)
	}
}
