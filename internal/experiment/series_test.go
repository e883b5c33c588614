package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/train"
)

// numbered are trainings whose result is their number. did counts the finished ones.
func numbered(n int, did *atomic.Int32) []training[int] {
	var list []training[int]
	for i := range n {
		list = append(list, training[int]{what: map[string]int{"number": i}, name: "one", epochs: 2, do: func(_ context.Context, w work) (int, error) {
			did.Add(1)
			w.onEpoch(train.EpochInfo{Epoch: 1})
			return i, nil
		}})
	}
	return list
}

// runNumbered runs them in a folder and returns the results and the number of trainings that ran.
func runNumbered(t *testing.T, dir string, n int) (results []int, did int32) {
	t.Helper()
	var count atomic.Int32
	last := 0
	s, err := openSeries[int](&call{Env: Env{Threads: 3, OnStage: func(_ string, done, _ int, _ string) { last = done }}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.finish()
	if results, err = s.run(t.Context(), "stage", numbered(n, &count)); err != nil {
		t.Fatal(err)
	}
	if want := 2 * int(count.Load()); last != want {
		t.Errorf("progress ends at %d of %d epochs", last, want)
	}
	return results, count.Load()
}

// Results are in the order of the trainings. Results in the folder are not computed again.
func TestSeries(t *testing.T) {
	if got, did := runNumbered(t, "", 5); !slices.Equal(got, []int{0, 1, 2, 3, 4}) || did != 5 {
		t.Errorf("results %v, %d trainings", got, did)
	}
	dir := t.TempDir()
	if _, did := runNumbered(t, dir, 3); did != 3 {
		t.Errorf("%d trainings, want 3", did)
	}
	if got, did := runNumbered(t, dir, 5); !slices.Equal(got, []int{0, 1, 2, 3, 4}) || did != 2 {
		t.Errorf("results %v, %d trainings, want 2 more", got, did)
	}
	// A process that is killed while it writes leaves half a line.
	path := filepath.Join(dir, seriesFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-4], 0o644); err != nil {
		t.Fatal(err)
	}
	if got, did := runNumbered(t, dir, 5); !slices.Equal(got, []int{0, 1, 2, 3, 4}) || did != 1 {
		t.Errorf("after a torn line: results %v, %d trainings, want 1", got, did)
	}
	if _, did := runNumbered(t, dir, 5); did != 0 {
		t.Errorf("%d trainings of which all are kept", did)
	}
}

// An error ends the series. Finished results stay, and the folder is unlocked.
func TestSeriesFails(t *testing.T) {
	dir := t.TempDir()
	var count atomic.Int32
	list := numbered(4, &count)
	list[1].do = func(context.Context, work) (int, error) { return 0, errors.New("no luck") }
	s, err := openSeries[int](&call{Env: Env{Threads: 1}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openSeries[int](&call{}, dir); err == nil || !strings.Contains(err.Error(), "wait for it or name another folder") {
		t.Errorf("a folder in use: %v", err)
	}
	_, err = s.run(t.Context(), "stage", list)
	s.finish()
	if fails(t, err, "no luck"); count.Load() != 1 {
		t.Errorf("%d trainings before the failure, want 1", count.Load())
	}
	if _, did := runNumbered(t, dir, 4); did != 3 {
		t.Errorf("%d trainings after a failure, want 3", did)
	}
}
