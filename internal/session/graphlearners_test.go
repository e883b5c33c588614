package session

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Without --model, a network of graphs competes with a constant, a linear model and trees. The run is the same for any
// number of threads, after it was stopped and resumed, and after loading.
func TestGraphLearners(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	number := func(i int, double bool) []string {
		if double {
			return []string{fmt.Sprint(1400 + i%3)}
		}
		return []string{fmt.Sprint(1000 + i%3)}
	}
	labels := func(i int, double bool) []string {
		if i%5 == 0 {
			return []string{"1", ""}
		}
		return []string{"0", map[bool]string{true: "1", false: "0"}[double]}
	}
	tests := []struct {
		name, path, outputs string
		given               settings.Values
	}{
		{"classes", foldSet(t, "SET", 60), model.OutputClasses, settings.Values{"fold": 1}},
		{"numbers", writeFiles(t, "numbers", molecules(60, []string{"weight"}, number)), model.OutputNumbers, settings.Values{}},
		{"labels", writeFiles(t, "labels", molecules(60, []string{"a", "b"}, labels)), model.OutputLabels, settings.Values{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := Request{Path: test.path, Seed: 1, Threads: 1, Given: quick().Over(test.given)}
			dir, res := trained(t, request)
			var learners []string
			for _, e := range res.Leaderboard {
				learners = append(learners, e.Learner)
			}
			for _, l := range []string{"constant", model.LearnerLinear, model.LearnerTrees, auto.LearnerGraphs} {
				if !slices.Contains(learners, l) {
					t.Errorf("the leaderboard has %q, expected %s among them", learners, l)
				}
			}
			weights, predicted := testsets.Contents(t, dir, ModelFile), testsets.Contents(t, dir, PredictionsFile)
			run, err := LoadRun(dir)
			if err != nil {
				t.Fatal(err)
			}
			if c := run.Settings.Model.Graphs; c == nil || c.Outputs != test.outputs || len(c.Learners) == 0 {
				t.Fatalf("learners beside the network are %+v, expected some for %s", c, test.outputs)
			}

			request.Threads = 2
			other := filepath.Join(t.TempDir(), "run")
			if _, err := mustOpen(t, request).Train(t.Context(), TrainOptions{Dir: other, HoldTest: true}); err != nil {
				t.Fatal(err)
			}
			killed := errors.New("killed once the network is written")
			again := mustOpen(t, request)
			_, err = again.trainInRunDir(t.Context(), TrainOptions{Dir: other, Resume: true}, func(o train.Options) (*train.Result, error) {
				return train.Fit(t.Context(), again.problem(), again.trainingGraphs(), again.Graphs(source.PartValid), again.Config(), o)
			}, func(*TrainResult) error { return killed })
			if !errors.Is(err, killed) {
				t.Fatal(err)
			}
			if _, err := mustOpen(t, request).Train(t.Context(), TrainOptions{Dir: other, Resume: true}); err != nil {
				t.Fatal(err)
			}
			if testsets.Contents(t, other, ModelFile) != weights || testsets.Contents(t, other, PredictionsFile) != predicted {
				t.Error("a run in three steps with two threads has other weights or predictions")
			}

			s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			table, err := s.Predict(t.Context(), source.PartTest)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := report.WriteCSV(&text, table); err != nil {
				t.Fatal(err)
			}
			if text.String() != predicted {
				t.Errorf("a loaded run predicts\n%s\nexpected\n%s", text.String(), predicted)
			}
		})
	}
}

// A named model and --learners=false train the network alone.
func TestGraphLearnersAreOptional(t *testing.T) {
	path := foldSet(t, "SET", 40)
	for _, r := range []Request{
		{Path: path, Model: "hyperdrop", Given: quick().Over(settings.Values{"fold": 1})},
		{Path: path, Given: quick().Over(settings.Values{"fold": 1, "learners": false})},
	} {
		if _, res := trained(t, r); res.Leaderboard != nil {
			t.Errorf("model %q with %v has a leaderboard", r.Model, r.Given)
		}
	}
}
