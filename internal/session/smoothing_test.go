package session

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Label smoothing makes probabilities less extreme. Scores are computed with the original labels.
func TestLabelSmoothing(t *testing.T) {
	path := foldSet(t, "SET", 40)
	certainty := func(smoothing float64) (mean float64) {
		s := mustOpen(t, Request{Path: path, Model: "gine", Seed: 1, Given: settings.Values{"epochs": 60, "hidden": 16, "lr": 0.01, "constant-lr": true, "dropout": 0.0,
			"patience": 0, "label-smoothing": smoothing}})
		if _, err := s.Fit(t.Context(), FitOptions{}); err != nil {
			t.Fatal(err)
		}
		table, err := s.Predict(t.Context(), source.PartTrain)
		if err != nil {
			t.Fatal(err)
		}
		rows := testsets.CSVRows(t, table)
		for _, row := range rows {
			fields := strings.Split(row, ",") // graph, label, prediction and two probabilities
			p, err := strconv.ParseFloat(fields[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			mean += math.Max(p, 1-p) / float64(len(rows))
		}
		return mean
	}
	if sharp, smooth := certainty(0), certainty(0.4); !(smooth < 0.87 && smooth < sharp-0.05) {
		t.Errorf("certainty %.3f with smoothing 0.4, %.3f without", smooth, sharp)
	}
	_, err := Open(t.Context(), Request{Path: path, Given: settings.Values{"label-smoothing": 1.0}})
	testsets.Fails(t, err, "--label-smoothing is 1, expected 0 or more and below 1")
	_, err = Open(t.Context(), Request{Path: path, Model: "hypercluster", Given: settings.Values{"label-smoothing": 0.1}})
	testsets.Fails(t, err, "--label-smoothing does not apply to edge-reconstruction")
}
