package report

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Threshold is a Part: a slider over thresholds of the probability of a class, with the confusion matrix and
// the cost of the test set. Costs and counts of the validation set select a threshold; the counts of the test
// set are shown. Charts of the page with a Role follow the threshold.
type Threshold struct {
	Class, Other string // name of the positive class, and of the others
	Item         string // what is classified, in the plural
	Grid         []ThresholdCounts
	// Valid and Test are the numbers of items of the class and of the others in each set. Valid is 0, 0 without a validation set.
	Valid, Test [2]int
	// Start is the threshold of the run, an element of the grid; Rule says how it was chosen.
	Start float64
	Rule  string
	// Missed and Alarm are the initial costs of a missed item of the class and of a false alarm.
	Missed, Alarm float64
}

// ThresholdCounts has the numbers of items of the class, and of the others, with a probability of at
// least the threshold in the validation and the test set.
type ThresholdCounts struct {
	At                                   float64
	ValidHits, ValidAlarms, Hits, Alarms int
}

// Cost is the cost on the test set.
func (t *Threshold) Cost(c ThresholdCounts) float64 {
	return float64(t.Test[0]-c.Hits)*t.Missed + float64(c.Alarms)*t.Alarm
}

// ValidCost is the cost on the validation set.
func (t *Threshold) ValidCost(c ThresholdCounts) float64 {
	return float64(t.Valid[0]-c.ValidHits)*t.Missed + float64(c.ValidAlarms)*t.Alarm
}

// Cheapest is the index of the threshold with the lowest cost on the validation set.
func (t *Threshold) Cheapest() int {
	best := 0
	for i, c := range t.Grid {
		if t.ValidCost(c) < t.ValidCost(t.Grid[best]) {
			best = i
		}
	}
	return best
}

// Index is the index of the initial threshold.
func (t *Threshold) Index() int {
	near := 0
	for i, c := range t.Grid {
		if math.Abs(c.At-t.Start) < math.Abs(t.Grid[near].At-t.Start) {
			near = i
		}
	}
	return near
}

// Last is the last index of the grid.
func (t *Threshold) Last() int { return len(t.Grid) - 1 }

// Items is the number of items of the class, or of the others, in the test set.
func (t *Threshold) Items(row int) string { return Count(t.Test[row]) }

// thresholdCell is a cell of the confusion matrix.
type thresholdCell struct {
	Key, Count, Share string
	Wrong             bool
}

// thresholdData is the part in the form that the template reads.
type thresholdData struct {
	*Threshold
	At    string
	Rows  [2][2]thresholdCell
	Stats [][3]string // key, value, name
	Data  string
}

func (t *Threshold) data() (thresholdData, error) {
	out := thresholdData{Threshold: t}
	if len(t.Grid) < 2 {
		return out, fmt.Errorf("report: %d thresholds, expected at least 2", len(t.Grid))
	}
	c := t.Grid[t.Index()]
	out.At = Significant(c.At)
	share := func(n, of int) string { return Percent(float64(n) / float64(of)) }
	missed, passed := t.Test[0]-c.Hits, t.Test[1]-c.Alarms
	out.Rows = [2][2]thresholdCell{
		{{"tp", Count(c.Hits), share(c.Hits, t.Test[0]), false}, {"fn", Count(missed), share(missed, t.Test[0]), true}},
		{{"fp", Count(c.Alarms), share(c.Alarms, t.Test[1]), true}, {"tn", Count(passed), share(passed, t.Test[1]), false}},
	}
	precision := None
	if c.Hits+c.Alarms > 0 {
		precision = Score(float64(c.Hits) / float64(c.Hits+c.Alarms))
	}
	out.Stats = [][3]string{{"precision", precision, "precision"}, {"recall", Score(float64(c.Hits) / float64(t.Test[0])), "recall"},
		{"alarms", Fixed(1000*float64(c.Hits+c.Alarms)/float64(t.Test[0]+t.Test[1]), 0), "alarms per 1,000"}, {"cost", Significant(t.Cost(c)), "cost"}}
	grid := lists.Map(t.Grid, func(g ThresholdCounts) [5]any {
		return [5]any{shortened(g.At), g.ValidHits, g.ValidAlarms, g.Hits, g.Alarms}
	})
	text, err := json.Marshal(map[string]any{"grid": grid, "valid": t.Valid, "test": t.Test})
	out.Data = string(text)
	return out, err
}

func (t *Threshold) html() (pagePart, error) {
	d, err := t.data()
	if err != nil {
		return "", err
	}
	return render("threshold", d)
}

// Text is the confusion matrix of the test set at the run's threshold.
func (t *Threshold) Text() string { return t.matrix().Text() }

// Markdown is the confusion matrix of the test set at the run's threshold.
func (t *Threshold) Markdown() string { return t.matrix().Markdown() }

func (t *Threshold) matrix() *Listing {
	c := t.Grid[t.Index()]
	return &Listing{Columns: []ListingColumn{{Name: "threshold " + Significant(c.At), Left: true}, {Name: "alarm"}, {Name: "no alarm"}},
		Rows: [][]string{{t.Class, Count(c.Hits), Count(t.Test[0] - c.Hits)}, {t.Other, Count(c.Alarms), Count(t.Test[1] - c.Alarms)}}}
}
