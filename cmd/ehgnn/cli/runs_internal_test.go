package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A run folder is read once. It is read again if its files have changed or another one is requested.
func TestRuns(t *testing.T) {
	train := func(seed string) string {
		dir := filepath.Join(t.TempDir(), "run")
		if err := TrainWithoutReport(t.Context(), "../../../testdata/sets/payments", "--model", "mlp-edge", "--epochs", "1", "--hidden", "4", "--seed", seed, "--out", dir); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	a, b := train("1"), train("2")
	var k runs
	load := func(dir string) (seed uint64, first bool) {
		before := k.run
		r, err := k.load(dir)
		if err != nil {
			t.Fatal(err)
		}
		return r.Settings.Train.Seed, r != before
	}
	for i, want := range []struct {
		dir   string
		seed  uint64
		first bool
	}{{a, 1, true}, {a, 1, false}, {b, 2, true}, {a, 1, true}} {
		if seed, first := load(want.dir); seed != want.seed || first != want.first {
			t.Errorf("step %d: the run of seed %d, read: %t", i, seed, first)
		}
	}
	if err := os.RemoveAll(a); err != nil {
		t.Fatal(err)
	}
	if _, err := k.load(a); err == nil {
		t.Error("a run that is no more is not missed")
	}
	if err := os.Rename(b, a); err != nil {
		t.Fatal(err)
	}
	if seed, _ := load(a); seed != 2 {
		t.Errorf("the run of seed %d is kept where that of seed 2 is now", seed)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(a, "config.yaml"), later, later); err != nil {
		t.Fatal(err)
	}
	if _, first := load(a); !first {
		t.Error("a changed config.yaml is not read again")
	}
}
