package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// graphs writes a small set of graphs whose class depends on their size.
func graphs(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `{"directed":false,"multigraph":false,"graph":{"label":"%d"},"nodes":[{"id":0,"size":%d},{"id":1,"size":2}],"edges":[{"source":0,"target":1}]}`+"\n", i/7%2, i)
	}
	path := filepath.Join(t.TempDir(), "graphs.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func config(t *testing.T, path, sampler, pruner string) Config {
	return Config{Request: session.Request{Path: path, Model: "hyperdrop", Seed: 1, Threads: 2, Given: settings.Values{"epochs": 9, "constant-lr": true, "layers": 1}},
		Space: space(t, "lr=log:1e-4..1e-1", "hidden=2..8", "conv=gcn,gin"), Sampler: sampler, Pruner: pruner, Trials: 7}
}

// outcome is the result of a sweep, as text.
func outcome(t *testing.T, s *Study) string {
	t.Helper()
	dir := s.Dir
	s.Dir = ""
	defer func() { s.Dir = dir }()
	text, err := json.Marshal(s.value())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Random search without pruning gives the same result with any number of workers. TPE and ASHA give
// the same result with one worker.
func TestRunRepeats(t *testing.T) {
	path := graphs(t)
	for _, test := range []struct {
		sampler, pruner string
		workers         []int
	}{
		{SamplerRandom, PrunerNone, []int{1, 4}}, {SamplerTPE, PrunerASHA, []int{1, 1}}, {SamplerTPE, PrunerMedian, []int{1, 1}},
	} {
		var first string
		for k, workers := range test.workers {
			s, err := Run(t.Context(), config(t, path, test.sampler, test.pruner), Options{Dir: filepath.Join(t.TempDir(), "s"), Parallel: workers})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Trials) != 7 || s.Winner.Result.Test == nil {
				t.Fatalf("%d trials, test scores %v", len(s.Trials), s.Winner.Result.Test)
			}
			for _, o := range s.Trials {
				if tested := exists(filepath.Join(s.Dir, o.Run, "predictions.csv")); tested != (o == s.Winner.Trial) {
					t.Errorf("trial %d of which %d is the winner: the test part is predicted: %v", o.Number, s.Winner.Trial.Number, tested)
				}
			}
			if got := outcome(t, s); k == 0 {
				first = got
			} else if got != first {
				t.Errorf("%s and %s with %d workers find\n%s\nbefore it was\n%s", test.sampler, test.pruner, workers, got, first)
			}
		}
	}
}

// In a regression the loss of each trial is that of its best epoch, on standardised numbers.
func TestRunOfNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graphs.jsonl")
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `{"directed":false,"multigraph":false,"graph":{"label":%d},"nodes":[{"id":0,"size":%d},{"id":1,"size":2}],"edges":[{"source":0,"target":1}]}`+"\n", 1000*i, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	c := config(t, path, SamplerRandom, PrunerNone)
	c.Trials, c.Request.Task = 2, "graph-regression"
	s, err := Run(t.Context(), c, Options{Dir: filepath.Join(t.TempDir(), "s"), Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range s.Trials {
		if best := s.best(o, len(o.Scores)); o.State != Complete || o.Value != best || best > 10 {
			t.Errorf("trial %d is %s with loss %v, want %v", o.Number, o.State, o.Value, best)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A sweep that is interrupted at any epoch resumes and ends with the same result.
func TestRunResumes(t *testing.T) {
	path := graphs(t)
	between := 3 // number of events between two stops
	if testing.Short() {
		between = 8
	}
	for _, pruner := range Pruners() {
		c := config(t, path, SamplerRandom, pruner)
		whole, err := Run(t.Context(), c, Options{Dir: filepath.Join(t.TempDir(), "s"), Parallel: 1})
		if err != nil {
			t.Fatal(err)
		}
		dir, stops := filepath.Join(t.TempDir(), "s"), 0
		for at := 1; ; at += between {
			ctx, stop := context.WithCancel(t.Context())
			events := 0
			// The folders of trials that a killed process leaves.
			runs, err := filepath.Glob(filepath.Join(dir, "*", "config.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range runs {
				for _, name := range []string{".lock", ".model.safetensors.tmp-ABCDEFGHIJ"} {
					if err := os.WriteFile(filepath.Join(filepath.Dir(run), name), nil, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			s, err := Run(ctx, c, Options{Dir: dir, Parallel: 1, Resume: stops > 0, OnEvent: func(Event) {
				if events++; events == at {
					stop()
				}
			}})
			stop()
			if err == nil {
				for _, run := range runs {
					for _, name := range []string{".lock", ".model.safetensors.tmp-ABCDEFGHIJ"} {
						if _, err := os.Lstat(filepath.Join(filepath.Dir(run), name)); err == nil {
							t.Errorf("%s of %s is left", name, run)
						}
					}
				}
				if got, want := outcome(t, s), outcome(t, whole); got != want {
					t.Errorf("%s, interrupted %d times:\n%s\nwant\n%s", pruner, stops, got, want)
				}
				break
			}
			if stops++; !errors.Is(err, context.Canceled) || stops > 60 {
				t.Fatalf("stop %d: %v", stops, err)
			}
		}
		if stops < 2 {
			t.Errorf("%s: interrupted %d times", pruner, stops)
		}
	}
}

// A trial whose settings contradict each other fails, and the others continue. A sweep can be
// resumed with more trials, but not with other settings.
func TestRunFailures(t *testing.T) {
	path := graphs(t)
	c := config(t, path, SamplerRandom, PrunerNone)
	c.Space, c.Trials, c.Request.Seed = space(t, "optimizer=adam,sgd", "lr=1e-3,1e30"), 6, 3
	dir := filepath.Join(t.TempDir(), "s")
	s, err := Run(t.Context(), c, Options{Dir: dir, Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	if n := s.count(Failed); n == 0 || n == 6 || s.Trials[s.Winner.Trial.Number].State != Complete {
		t.Errorf("%d of 6 trials failed", n)
	}
	for _, brief := range []bool{true, false} {
		d, err := s.Document(brief)
		if err != nil || !strings.Contains(d.Text(), "Failed: ") {
			t.Errorf("%v, %v", d, err)
		}
	}
	c.Trials = 8
	more, err := Run(t.Context(), c, Options{Dir: dir, Parallel: 1, Resume: true})
	if err != nil || len(more.Trials) != 8 {
		t.Fatalf("two trials more: %v", err)
	}
	for i, o := range s.Trials {
		if !reflect.DeepEqual(o.Settings, more.Trials[i].Settings) || o.State != more.Trials[i].State {
			t.Errorf("trial %d was %v and is %v", i, o, more.Trials[i])
		}
	}
	refused := func(want string, c Config, o Options) {
		t.Helper()
		if _, err := Run(t.Context(), c, o); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error of usage with %q", err, want)
		}
	}
	refused("holds a sweep already", c, Options{Dir: dir, Parallel: 1})
	other := c
	other.Request.Seed = 2
	refused("seed was 3 and is 2 now", other, Options{Dir: dir, Parallel: 1, Resume: true})
	other = c
	other.Trials = 3
	refused("expected at least as many", other, Options{Dir: dir, Parallel: 1, Resume: true})
	other = c
	other.Space = space(t, "lr=1e-3,1e-2")
	refused("space was", other, Options{Dir: dir, Parallel: 1, Resume: true})
	fresh := Options{Dir: filepath.Join(t.TempDir(), "s"), Parallel: 1}
	other = c
	other.Space = space(t, "heads=1,2")
	refused("--heads does not apply to model hyperdrop", other, fresh)
	other.Space = space(t, "label-context=on,off")
	refused("--label-context does not apply", other, fresh)
	other.Space = space(t, "hidden=2..4", "layers=1..2")
	refused("layers is both searched and given", other, fresh)
	other.Space = space(t, "epochs=2..4")
	other.Request.Given, other.Pruner = nil, PrunerASHA
	refused("--space epochs needs --pruner none", other, fresh)
	other = c
	other.Trials = 0
	refused("--trials is 0", other, fresh)
	refused("--parallel is 0", c, Options{Dir: fresh.Dir})
	if exists(fresh.Dir) {
		t.Error("a sweep that was refused has left a folder")
	}
	other = c
	other.Space = space(t, "lr=1e29,1e30")
	if _, err := Run(t.Context(), other, fresh); err == nil || settings.IsUsage(err) || !strings.Contains(err.Error(), "no trial has a score; trial 0: ") {
		t.Errorf("all trials fail: %v", err)
	}
}
