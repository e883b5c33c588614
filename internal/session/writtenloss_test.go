package session

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// The loss of a run follows from its written predictions: the log loss of the probabilities, or the
// squared error of the numbers.
func TestWrittenLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	edges := suspects(t, 1500)
	for name, r := range map[string]Request{
		"two classes":           {Path: edges, Given: settings.Values{"epochs": 5}},
		"two, weighted":         {Path: edges, Given: settings.Values{"epochs": 5, "unweighted": false}},
		"weighted as they are":  {Path: edges, Given: settings.Values{"epochs": 5, "unweighted": false, "calibrate": false}},
		"an ensemble":           {Path: edges, Given: settings.Values{"epochs": 3, "members": 2, "unweighted": false}},
		"many classes":          {Path: relations(t, 40, 900, 5, 1), Given: settings.Values{"epochs": 5}},
		"many, weighted":        {Path: relations(t, 40, 900, 5, 1), Given: settings.Values{"epochs": 5, "unweighted": false}},
		"smoothed":              {Path: edges, Given: settings.Values{"epochs": 5, "label-smoothing": 0.2}},
		"sets":                  {Path: edges, Given: settings.Values{"epochs": 3, "coverage": 0.9}},
		"numbers":               {Path: edges, Task: task.EdgeRegression.Name, Given: settings.Values{"label": "w", "ignore": []string{"label"}, "epochs": 5}},
		"numbers by a network":  {Path: edges, Task: task.EdgeRegression.Name, Model: "gin-edge", Given: settings.Values{"label": "w", "ignore": []string{"label"}, "epochs": 5}},
		"classes of nodes":      {Path: testsets.NodeLinkFile(t, settings.Nodes), Given: settings.Values{"label": "kind", "epochs": 5, "layers": 2}},
		"classes of graphs":     {Path: testsets.NodeLinkFile(t, settings.Graphs), Given: settings.Values{"epochs": 5}},
		"calibrated graphs":     {Path: testsets.NodeLinkFile(t, settings.Graphs), Given: settings.Values{"epochs": 5, "calibrate": true}},
		"graphs of a benchmark": {Path: foldSet(t, "SET", 60), Model: "hyperdrop", Given: settings.Values{"epochs": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			r.Seed, r.Given = 1, settings.Values{"hidden": 8}.Over(r.Given)
			dir, res := trained(t, r)
			want, rows := 0.0, 0
			for _, row := range rowsByName(t, dir) {
				if p, ok := row["probability_"+row["label"]]; ok {
					want -= math.Log(number(t, p))
				} else {
					d := number(t, row["prediction"]) - number(t, row["label"])
					want += d * d
				}
				rows++
			}
			want /= float64(rows)
			s, err := Load(t.Context(), dir, source.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for of, got := range map[string]float64{"evaluate": scoreOf(t, mustEvaluate(t, s, source.PartTest), "loss"), "train": scoreOf(t, res.Test, "loss")} {
				if !(math.Abs(got-want) <= 1e-5*max(1, want)) {
					t.Errorf("%s: loss %v, by the %d predictions %v", of, got, rows, want)
				}
			}
			if got, want := scoreOf(t, res.Valid, "loss"), scoreOf(t, mustEvaluate(t, s, source.PartValid), "loss"); got != want {
				t.Errorf("train: loss %v of the validation part, evaluate: %v", got, want)
			}
		})
	}
}

// For several targets in different units the loss is the mean of their squared errors.
func TestWrittenLossOfTargets(t *testing.T) {
	path := writeFiles(t, "numbers", molecules(60, []string{"weight", "other"}, func(i int, double bool) []string {
		if i%4 == 0 {
			return []string{fmt.Sprint(1000 + i), ""}
		}
		return []string{fmt.Sprint(1000 - i), fmt.Sprint(float64(i) / 7)}
	}))
	_, res := trained(t, Request{Path: path, Task: task.GraphRegression.Name, Seed: 1, Given: settings.Values{"epochs": 2, "hidden": 8}})
	var sum, n [2]float64
	for _, row := range rowsByName(t, res.Run) {
		for k, name := range []string{"weight", "other"} {
			if strings.TrimSpace(row["target_"+name]) == "" {
				continue
			}
			d := number(t, row["prediction_"+name]) - number(t, row["target_"+name])
			sum[k], n[k] = sum[k]+d*d, n[k]+1
		}
	}
	want := (sum[0]/n[0] + sum[1]/n[1]) / 2
	if got := scoreOf(t, res.Test, "loss"); !(math.Abs(got-want) <= 1e-4*want) {
		t.Errorf("loss %v, by the predictions %v", got, want)
	}
}
