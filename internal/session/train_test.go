package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/train"
)

// epochLoss returns the training loss of an epoch of a run. Epochs are counted from 0.
func epochLoss(t *testing.T, dir string, epoch int) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Loss float64 `json:"train_loss"`
	}
	if err := json.Unmarshal([]byte(strings.Split(string(text), "\n")[epoch]), &line); err != nil {
		t.Fatal(err)
	}
	return line.Loss
}

// A run that is cancelled after its last epoch, before its files are written, can be resumed, too.
func TestTrainCancelledLate(t *testing.T) {
	o := quick()
	o["epochs"] = 2
	r := Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Seed: 11, Threads: 2, Given: o}
	_, whole := trained(t, r)
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := mustOpen(t, r).Train(ctx, TrainOptions{Dir: dir, OnEpoch: func(e train.EpochInfo) {
		if e.Epoch == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res == nil || !res.Interrupted || res.Epochs != 2 || res.Test != nil {
		t.Fatalf("cancelled after the last epoch: %+v, %v", res, err)
	}
	if res, err = mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: dir, Resume: true}); err != nil {
		t.Fatal(err)
	}
	res.Run, res.Seconds = whole.Run, whole.Seconds
	if !reflect.DeepEqual(res, whole) {
		t.Errorf("resumed: %+v\nuninterrupted: %+v", res, whole)
	}
}

// A run that is cancelled returns its results so far. When resumed, it ends with the same weights.
func TestTrainResume(t *testing.T) {
	o := quick()
	o["epochs"] = 6
	r := Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Seed: 11, Threads: 2, Given: o}
	want, whole := trained(t, r)

	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := mustOpen(t, r).Train(ctx, TrainOptions{Dir: dir, OnEpoch: func(e train.EpochInfo) {
		if e.Epoch == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res == nil || !res.Interrupted || res.Epochs != 3 || res.Test != nil {
		t.Fatalf("cancelled after epoch 3: %+v, %v", res, err)
	}
	_, err = mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: dir})
	testsets.Fails(t, err, dir+" holds a run already")
	if !settings.IsUsage(err) {
		t.Errorf("%v is not marked as the user's to mend", err)
	}
	config := testsets.Contents(t, dir, settings.ConfigFile)
	other := r
	other.Given = r.Given.Over(settings.Values{"hidden": 5})
	_, err = mustOpen(t, other).Train(t.Context(), TrainOptions{Dir: dir, Resume: true})
	testsets.Fails(t, err, "model.hidden was 16 and is 5 now")
	if testsets.Contents(t, dir, settings.ConfigFile) != config {
		t.Error("a refused resume changed config.yaml")
	}

	first := 0
	res, err = mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: dir, Resume: true, OnEpoch: func(e train.EpochInfo) { first = cmp.Or(first, e.Epoch) }})
	if err != nil {
		t.Fatal(err)
	}
	if first != 4 {
		t.Errorf("the resumed run began with epoch %d, want 4", first)
	}
	res.Run, res.Seconds = whole.Run, whole.Seconds
	if !reflect.DeepEqual(res, whole) {
		t.Errorf("resumed: %+v\nuninterrupted: %+v", res, whole)
	}
	for _, name := range []string{ModelFile, PredictionsFile, settings.ConfigFile} {
		if testsets.Contents(t, dir, name) != testsets.Contents(t, want, name) {
			t.Errorf("%s differs from that of an uninterrupted run", name)
		}
	}

	// With a constant learning rate a run can be resumed with more epochs, and config.yaml is updated.
	longer := r
	longer.Given = r.Given.Over(settings.Values{"epochs": 8})
	if res, err = mustOpen(t, longer).Train(t.Context(), TrainOptions{Dir: dir, Resume: true}); err != nil || res.Epochs != 8 {
		t.Errorf("8 epochs instead of 6: %+v, %v", res, err)
	}
	if got, err := settings.ReadConfig(dir); err != nil || got.Train.Epochs != 8 {
		t.Errorf("config.yaml has %d epochs, %v; want 8", got.Train.Epochs, err)
	}

	// Without anything to resume, the run starts from the beginning.
	fresh := filepath.Join(t.TempDir(), "fresh")
	if _, err := mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: fresh, Resume: true}); err != nil {
		t.Fatal(err)
	}
	if testsets.Contents(t, fresh, ModelFile) != testsets.Contents(t, want, ModelFile) {
		t.Error("a run that began with Resume has other weights")
	}
	_, err = mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: filepath.Join(fresh, settings.ConfigFile, "run")})
	testsets.Fails(t, err, "run folder: ")
	if !settings.IsUsage(err) {
		t.Errorf("%v is not marked as the user's to mend", err)
	}
}

// A loaded run has the settings and weights of the trained one, and so equal scores and
// predictions.
func TestLoad(t *testing.T) {
	path, early := foldSet(t, "SET", 20), false
	for _, r := range []Request{
		{Path: path, Model: "hyperdrop", Given: settings.Values{"fold": 2}},
		{Path: path, Model: "gcn", Given: settings.Values{"split": settings.SplitRandom}},
		{Path: path, Model: "hypercluster", Given: settings.Values{"edges": "directed"}},
		{Path: path, Model: "hyperdrop", Given: settings.Values{"conv": "egcn", "encode": true}},
	} {
		// With this learning rate the best epoch is not the last one.
		r.Seed, r.Threads, r.Given = 3, 2, quick().Over(settings.Values{"epochs": 8, "lr": 0.1}).Over(r.Given)
		s := mustOpen(t, r)
		dir := filepath.Join(t.TempDir(), "run")
		res, err := s.Train(t.Context(), TrainOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		early = early || res.BestEpoch < res.Epochs
		l, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := s.Settings
		want.Train.Threads = 0 // threads are not a setting of the run
		if !reflect.DeepEqual(l.Settings, want) {
			t.Errorf("%s: loaded %+v\nwant %+v", r.Model, l.Settings, want)
		}
		if e, err := l.Evaluate(t.Context(), source.PartTest); err != nil || !slices.Equal(e.Scores, res.Test) {
			t.Errorf("%s: test scores %v (%v), training had %v", r.Model, e, err, res.Test)
		}
		table, err := l.Predict(t.Context(), source.PartTest)
		if err != nil {
			t.Fatal(err)
		}
		got := testsets.CSVRows(t, table)
		if want := strings.Split(strings.TrimSpace(testsets.Contents(t, dir, PredictionsFile)), "\n")[1:]; !slices.Equal(got, want) {
			t.Errorf("%s: predictions %v, training had %v", r.Model, got, want)
		}
		params := 0
		for _, p := range l.Model.Params() {
			if !p.Buffer {
				params += p.Value.Size()
			}
		}
		if res.Params != params {
			t.Errorf("%s: %d parameters, want %d", r.Model, res.Params, params)
		}
	}
	if !early {
		t.Error("in every run the best epoch is the last one: that a run keeps the best is not tested")
	}
}

// The three parts of a random split are disjoint, cover the set, and depend only on the seed.
func TestRandomSplit(t *testing.T) {
	path := testsets.WriteSet(t, t.TempDir(), "SET", testsets.TUFiles(testsets.EdgeClass(t, 30)))
	split := func(seed uint64) [][]int {
		s := mustOpen(t, Request{Path: path, Model: "gcn", Seed: seed})
		if s.Settings.Split.Kind != settings.SplitRandom {
			t.Errorf("split %+v, want a random one where there are no folds", s.Settings.Split)
		}
		var out [][]int
		for _, part := range []string{source.PartTrain, source.PartValid, source.PartTest} {
			sub, err := s.Part(part)
			if err != nil {
				t.Fatal(err)
			}
			var ids []int
			for g := range sub.Graphs {
				ids = append(ids, sub.ID(source.Place{Graph: g}))
			}
			out = append(out, ids)
		}
		return out
	}
	parts := split(1)
	all := slices.Sorted(slices.Values(slices.Concat(parts...)))
	for i, id := range all {
		if i != id {
			t.Fatalf("the parts %v are not all graphs once", parts)
		}
	}
	if len(all) != 30 || len(parts[0]) != 24 || len(parts[1]) != 3 || len(parts[2]) != 3 {
		t.Errorf("parts of %d, %d and %d", len(parts[0]), len(parts[1]), len(parts[2]))
	}
	if !reflect.DeepEqual(split(1), parts) || reflect.DeepEqual(split(2), parts) {
		t.Error("the split is not a function of the seed")
	}
}

// EpochTimes returns the times of the epochs after the first.
func TestEpochTimes(t *testing.T) {
	s := mustOpen(t, Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Threads: 2, Given: quick()})
	times, err := s.EpochTimes(t.Context(), 3)
	if err != nil || len(times) != 3 || slices.Min(times) <= 0 {
		t.Errorf("times %v, %v; want 3 above 0", times, err)
	}
	if n := s.TrainGraphs(); n != 16 {
		t.Errorf("%d graphs to train on, want 16", n)
	}
	if _, err := s.EpochTimes(t.Context(), 0); !settings.IsUsage(err) {
		t.Errorf("no epochs: %v", err)
	}
}
