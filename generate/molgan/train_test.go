package molgan

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// quick are settings of a training that takes a second.
func quick() Config {
	c := Default()
	c.GMPool, c.EHGNN = true, true
	c.Iterations, c.Interval, c.Samples, c.Batch, c.Every = 24, 8, 60, 6, 3
	return c
}

func trainToy(t *testing.T, ctx context.Context, c Config, o Options) (*Result, error) {
	t.Helper()
	d := chains(small, newRand(t), 60)
	if o.Judge == nil {
		o.Judge = &Judge{Toolkit: toy{}, Space: small, Threads: o.Threads}
	}
	return Train(ctx, d, all32(50), c, o)
}

// sameRun compares two results bit by bit, but for times and calls of the toolkit.
func sameRun(t *testing.T, what string, got, want *Result) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "Generator", "Seconds", "Measuring", "Calls")); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
	for i, p := range want.Generator.Params() {
		if !slices.Equal(p.Value.Data(), got.Generator.Params()[i].Value.Data()) {
			t.Errorf("%s: %s differs", what, p.Name)
		}
	}
}

// Neither threads nor an interruption change a bit, wherever it comes.
func TestTrainResumes(t *testing.T) {
	want, err := trainToy(t, t.Context(), quick(), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(want.Points); n != 4 || want.Diverged != 0 || want.Last().Iteration != 24 || want.Calls == 0 {
		t.Fatalf("%d points, %+v", n, want)
	}
	got, err := trainToy(t, t.Context(), quick(), Options{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "three threads", got, want)
	for _, stop := range []int{1, 8, 11} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := trainToy(t, ctx, quick(), Options{Threads: 1, Dir: dir, OnIteration: func(done int, _ float64) {
			if done == stop {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that of the context", err)
		}
		begun := 0
		got, err := trainToy(t, t.Context(), quick(), Options{Threads: 2, Dir: dir, Resume: true, OnIteration: func(done int, _ float64) {
			if begun == 0 {
				begun = done
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if begun != stop+1 {
			t.Errorf("it goes on at iteration %d, want %d", begun, stop+1)
		}
		sameRun(t, "resumed", got, want)
	}
}

// A longer training begins as a shorter one, and goes on from it.
func TestTrainLonger(t *testing.T) {
	c, dir := quick(), t.TempDir()
	c.Iterations = 8
	if _, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	want, err := trainToy(t, t.Context(), quick(), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := trainToy(t, t.Context(), quick(), Options{Threads: 1, Dir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "longer", got, want)
}

// A checkpoint of other settings, and a damaged one, are refused.
func TestTrainRefuses(t *testing.T) {
	dir := t.TempDir()
	c := quick()
	c.Iterations = 1
	if _, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	other := c
	other.LR = 1e-4
	_, err := trainToy(t, t.Context(), other, Options{Threads: 1, Dir: dir, Resume: true})
	if err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(dir, checkpointFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-3] ^= 0x40
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir, Resume: true})
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	for want, change := range map[string]func(*Config){
		"rgcn is":              func(c *Config) { c.RGCN = "none" },
		"discretise is":        func(c *Config) { c.Mode = "hard" },
		"reward has \"logp\"":  func(c *Config) { c.Reward = []string{"logp"} },
		"lambda is NaN":        func(c *Config) { c.Lambda = math.NaN() },
		"batch is 0":           func(c *Config) { c.Batch = 0 },
		"at least a batch of ": func(c *Config) { c.Batch = 100 },
	} {
		c := quick()
		change(&c)
		if _, err := trainToy(t, t.Context(), c, Options{Threads: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A loss that is not finite ends the training: the last checkpoint stays, and the generator is
// that of the last measurement.
func TestTrainDiverges(t *testing.T) {
	c, dir := quick(), t.TempDir()
	c.Penalty = 1e38
	got, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got.Diverged == 0 || got.Last().Iteration >= got.Diverged {
		t.Fatalf("diverged %d, last %+v", got.Diverged, got.Last())
	}
	for _, p := range got.Generator.Params() {
		if !finite(p.Value.Data()...) {
			t.Errorf("%s is not finite", p.Name)
		}
	}
	again, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "resumed", again, got)
}

// Rates that fall to 0 are part of what a checkpoint belongs to, and change the numbers.
func TestTrainDecay(t *testing.T) {
	c := quick()
	plain, err := trainToy(t, t.Context(), c, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.Decay = true
	decayed, err := trainToy(t, t.Context(), c, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Last().Distance == decayed.Last().Distance {
		t.Error("decay changes nothing")
	}
}
