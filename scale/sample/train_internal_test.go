package sample

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/train"
)

// opened returns a training of an example.
func opened(t *testing.T, x *example, model string, threads int, s settings.Sampling, given settings.Values) *Training {
	t.Helper()
	given = settings.Values{"hidden": 8, "epochs": 4}.Over(given)
	if model != "mlp-edge" {
		given["layers"] = 2
	}
	tr, err := Open(t.Context(), Options{Store: x.store, Sampling: s, Request: session.Request{Model: model, Seed: 3, Threads: threads, Given: given}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func weights(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A training that is stopped within an epoch and resumed with another number of threads ends with
// the same bytes as an uninterrupted training.
func TestResumeIsExact(t *testing.T) {
	for _, name := range visit.Models() {
		t.Run(name, func(t *testing.T) {
			x := newExample(t, shape{nodes: 80, edges: 600, directed: true, blocks: 100, parts: 3}, 1)
			s := settings.Sampling{Batch: 32, Neighbours: []int{4}}
			whole := t.TempDir()
			want, err := opened(t, x, name, 1, s, nil).Train(t.Context(), session.TrainOptions{Dir: whole})
			if err != nil {
				t.Fatal(err)
			}
			if want.Epochs != 4 || want.Valid == nil || want.Test == nil {
				t.Fatalf("%+v", want)
			}
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			_, err = opened(t, x, name, 1, s, nil).Train(ctx, session.TrainOptions{Dir: dir, OnStep: func(i train.StepInfo) {
				if i.Step == 23 {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v", err)
			}
			again := opened(t, x, name, 2, s, nil)
			if _, err := again.Train(t.Context(), session.TrainOptions{Dir: dir, Resume: true}); err != nil {
				t.Fatal(err)
			}
			if weights(t, dir) != weights(t, whole) {
				t.Error("the weights of the resumed training differ")
			}
			_, err = opened(t, x, name, 1, settings.Sampling{Batch: 31, Neighbours: []int{4}}, nil).Train(t.Context(), session.TrainOptions{Dir: dir, Resume: true})
			if !settings.IsUsage(err) || !strings.Contains(err.Error(), "sampling.batch was 32 and is 31 now") {
				t.Errorf("another batch: error %v", err)
			}
		})
	}
}

// ehgnn can use the run folder like any other, but cannot continue its training.
func TestRunIsTheCores(t *testing.T) {
	for _, number := range []bool{false, true} {
		x := newExample(t, shape{nodes: 60, edges: 400, directed: true, number: number, blocks: 100, parts: 3}, 1)
		dir := t.TempDir()
		if _, err := opened(t, x, "ehgnn-joint-edge", 1, settings.Sampling{Batch: 64}, nil).Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		s, err := session.Load(t.Context(), dir, source.LoadOptions{Data: filepath.Dir(x.store.Dir)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Predict(t.Context(), source.PartAll); err != nil {
			t.Fatal(err)
		}
		if _, err := session.ReadRun(dir); !settings.IsUsage(err) || !strings.Contains(err.Error(), "ehgnn-scale train") {
			t.Errorf("training again: error %v", err)
		}
		r, sampling, err := session.ReadSampled(dir)
		if err != nil || sampling.Batch != 64 || r.Model != "ehgnn-joint-edge" || r.Path != x.store.Dir {
			t.Errorf("%+v, %+v, error %v", r, sampling, err)
		}
	}
}

// A setting that does not apply to training on samples is an error with its name.
func TestRefused(t *testing.T) {
	x := newExample(t, shape{nodes: 40, edges: 200, blocks: 100, parts: 3}, 1)
	unlabelled := *x.store
	unlabelled.Manifest.Labels = false
	for _, c := range []struct {
		store *store.Store
		r     session.Request
		s     settings.Sampling
		want  string
	}{
		{x.store, session.Request{Model: "ehgnn-roles"}, settings.Sampling{}, "ehgnn-roles"},
		{x.store, session.Request{Task: "edge-regression"}, settings.Sampling{}, "edge-classification"},
		{x.store, session.Request{Given: settings.Values{"encode": true}}, settings.Sampling{}, "--encode"},
		{x.store, session.Request{}, settings.Sampling{Neighbours: []int{1, 2}}, "--neighbours has 2 numbers"},
		{x.store, session.Request{}, settings.Sampling{Neighbours: []int{0}}, "--neighbours has 0"},
		{&unlabelled, session.Request{}, settings.Sampling{}, "no labels"},
	} {
		_, err := Open(t.Context(), Options{Store: c.store, Request: c.r, Sampling: c.s})
		if !settings.IsUsage(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one of usage with %q", err, c.want)
		}
	}
}

// A changed file of an index is an error, and the index of another store is not used.
func TestDamagedIndex(t *testing.T) {
	x := newExample(t, shape{nodes: 40, edges: 200, blocks: 100, parts: 3}, 1)
	dir := filepath.Join(t.TempDir(), "index")
	open := func(checksum string) error {
		i, err := OpenIndex(t.Context(), x.store, &x.store.Manifest, checksum, dir, nil)
		if err == nil {
			i.Close()
		}
		return err
	}
	if err := open("a"); err != nil {
		t.Fatal(err)
	}
	if err := open("b"); !settings.IsUsage(err) || !strings.Contains(err.Error(), "another store") {
		t.Errorf("of another store: error %v", err)
	}
	for _, name := range []string{edgesFile, nodesFile, startsFile, endsFile, seedsFile} {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := open("a"); !settings.IsUsage(err) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := open("a"); err != nil {
		t.Error(err)
	}
}
