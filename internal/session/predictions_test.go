package session

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

func TestRanked(t *testing.T) {
	nan := float32(math.NaN())
	table := &report.Table{Columns: []report.Column{report.Ints("edge", []int{0, 1, 2, 3, 4}), report.Floats("p", []float32{0.5, nan, 0.75, 0.5, 1})}}
	if got := Ranked(table, "p", 0); !slices.Equal(got, []int{4, 2, 0, 3, 1}) {
		t.Errorf("all: %v", got)
	}
	if got := Ranked(table, "p", 2); !slices.Equal(got, []int{4, 2}) {
		t.Errorf("two: %v", got)
	}
	if got := Ranked(table, "p", 9); len(got) != 5 {
		t.Errorf("more than there are: %v", got)
	}
}

func TestRankColumn(t *testing.T) {
	of := func(name string, out int, t settings.Target) *settings.Settings {
		found, _ := task.FindTask(name)
		return &settings.Settings{Kind: found.Kind, Target: t, Model: model.Config{Dims: model.Dims{Out: out}}}
	}
	two := settings.Target{Classes: []string{"fraud", "ok"}, Binary: &settings.Binary{}}
	for _, c := range []struct {
		name string
		s    *settings.Settings
		by   string
		want string // a column, or part of the error if it contains a blank
	}{
		{"two classes", of("edge-classification", 2, two), "", "probability_fraud"},
		{"a named class", of("edge-classification", 2, two), "ok", "probability_ok"},
		{"no such class", of("edge-classification", 2, two), "theft", `expected one of the classes ["fraud" "ok"]`},
		{"many classes", of("edge-classification", 3, settings.Target{Classes: []string{"a", "b", "c"}}), "", "--sort=CLASS says which comes first"},
		{"a number", of("edge-regression", 1, settings.Target{}), "", "prediction"},
		{"a class of numbers", of("edge-regression", 1, settings.Target{}), "fraud", "predicts one number"},
		{"several numbers", of("graph-regression", 2, settings.Target{Names: []string{"u", "v"}}), "v", "prediction_v"},
		{"several labels", of("graph-classification", 2, settings.Target{Names: []string{"u", "v"}}), "", "expected the name of one of"},
		{"one label", of("graph-classification", 1, settings.Target{Names: []string{"u"}}), "", "probability_u"},
	} {
		got, err := RankColumn(c.s, c.by)
		if strings.Contains(c.want, " ") {
			if !settings.IsUsage(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %q, %v", c.name, got, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0.19: "0.1900", 0.163: "0.1630", 1.9: "1.900", 412.34: "412.3", 12345.6: "12346", 0.0052741: "0.005274", 0: "0", -2.5: "-2.500", 1e-12: "1e-12"} {
		if got := digits(v, 4); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func TestScoreLines(t *testing.T) {
	r := &TrainResult{PositiveClass: "fraud", Valid: train.Scores{{Name: "loss", Value: 0.123456}, {Name: "f1", Value: 0.9996}, {Name: "roc_auc", Value: math.NaN()}}, Test: train.Scores{{Name: "f1", Value: 0.0001}}}
	want := []string{"               validation    test", "  ROC-AUC       undefined       -", "  F1 of fraud      >0.999  <0.001", "  loss             0.1235       -"}
	if got := r.scoreLines(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.Seeds = &Seeds{Runs: []SeedRun{{Seed: 1, Result: &TrainResult{Test: train.Scores{{Name: "f1", Value: 0.5}}}}, {Seed: 2, Result: &TrainResult{Test: train.Scores{{Name: "f1", Value: 0.7}}}}, {Seed: 3}}}
	r.Seeds.summarise()
	if v, ok := r.Seeds.Score("test", "f1"); !ok || math.Abs(v.Mean-0.6) > 1e-12 || math.Abs(v.Deviation-math.Sqrt(0.02)) > 1e-12 {
		t.Errorf("two seeds: %+v", v)
	}
	if got := r.scoreLines(); !strings.HasSuffix(got[2], "0.600 ± 0.141") {
		t.Errorf("with seeds: %q", got[2])
	}
}

// The printed scores contain no mean of errors in different units.
func TestSeveralNumbers(t *testing.T) {
	scores := train.Scores{{Name: "loss", Value: 0.1}, {Name: "mae", Value: 0.2}, {Name: "rmse", Value: 0.3}, {Name: "r2", Value: 0.9}}
	var text, evaluated strings.Builder
	r, e := &TrainResult{Numbers: 2, Test: scores}, &Evaluation{Numbers: 2, Data: "d", Part: "test", Graphs: 5, Scores: scores}
	if err := errors.Join(r.Text(&text), e.Text(&evaluated)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "0.2") || !strings.Contains(text.String(), "R²  0.900") || !strings.Contains(text.String(), "of each number") {
		t.Errorf("%s", text.String())
	}
	if got := evaluated.String(); got != "d, test, 5 graphs: r2 0.9000\n" {
		t.Errorf("%q", got)
	}
}

// If no threshold satisfies a rule on the validation set, the nearest threshold is used, with a warning.
func TestUnreachableThreshold(t *testing.T) {
	r := Request{Path: testsets.Transactions(t, 60, 300, nil), Model: "mlp-edge", Seed: 1, Given: settings.Values{"hidden": 4, "epochs": 1, "threshold": "precision=1"}}
	res, err := mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: t.TempDir() + "/run"})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Warnings) == 0 || !strings.HasPrefix(res.Warnings[0], "--threshold precision=1: no threshold has precision 1 on the validation set; the highest is ") || res.Threshold == nil || res.Threshold.Rule != "precision=1" {
		t.Errorf("warnings %q, threshold %+v", res.Warnings, res.Threshold)
	}
}
