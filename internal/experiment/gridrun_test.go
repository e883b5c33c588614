package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// A cancelled run continues in its folder: finished jobs are not trained again, and jobs with other
// settings do not count.
func TestGridResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folds")
	r := oneCell(foldSet(t, "SET", 20), "hyperdrop", 2, 1)
	r.Dir = dir
	ctx, cancel := context.WithCancel(t.Context())
	var kept []JobResult
	r.OnEvent = func(e Event) {
		if e.Failure != nil {
			t.Errorf("%+v", e.Failure)
		}
		if e.Result == nil {
			return
		}
		kept = append(kept, *e.Result)
		if len(kept) == 3 {
			cancel()
		}
	}
	g, err := runGrid(ctx, r)
	if !errors.Is(err, context.Canceled) || g == nil || g.Done() != len(kept) {
		t.Fatalf("cancelled: %v", err)
	}
	if len(kept) < 3 || len(kept) > 4 {
		t.Fatalf("%d folds were finished, want 3, or 4 with the one under way", len(kept))
	}
	if c := g.Table().Rows[0].Cells[0]; c.Runs != 0 || c.State != strconv.Itoa(len(kept))+"/10" {
		t.Errorf("the cell of a run that was cancelled: %+v", c)
	}
	file := filepath.Join(dir, jobsFile)
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\n") != len(kept) {
		t.Fatalf("%s has\n%s(%v)\nwant %d lines", file, text, err, len(kept))
	}
	// A killed process may leave half of the last line. The job of that line did not finish.
	if err := os.WriteFile(file, text[:len(text)-10], 0o644); err != nil {
		t.Fatal(err)
	}
	torn := kept[len(kept)-1]
	kept = kept[:len(kept)-1]
	var fresh []JobResult
	r.OnEvent = func(e Event) {
		if e.Result != nil {
			fresh = append(fresh, *e.Result)
		}
	}
	g = mustRun(t, r)
	results := g.gridCells()[0].Folds
	if len(results) != 10 || len(fresh) != 10-len(kept) {
		t.Fatalf("%d results, of which %d are new; want 10 and %d", len(results), len(fresh), 10-len(kept))
	}
	for _, f := range kept {
		if !slices.Contains(results, f) { // results include seconds
			t.Errorf("fold %d was trained again", f.Fold)
		}
	}
	for _, f := range fresh {
		if f.Job == torn.Job {
			same(t, "the job whose line was torn", f, torn, ignoreSeconds)
		}
	}

	count := func(change func(*gridRequest)) int {
		fresh = nil
		q := r
		change(&q)
		mustRun(t, q)
		return len(fresh)
	}
	if n := count(func(*gridRequest) {}); n != 0 {
		t.Errorf("%d folds trained again", n)
	}
	if n := count(func(q *gridRequest) { q.Seeds = []uint64{1, 2} }); n != 10 {
		t.Errorf("a further seed trains %d folds, want 10", n)
	}
	if n := count(func(q *gridRequest) { q.Overrides = q.Overrides.Over(settings.Values{"hidden": 5}) }); n != 10 {
		t.Errorf("other settings train %d folds, want 10", n)
	}
	// The folder now has results of both kinds, and each is found.
	if n := count(func(*gridRequest) {}); n != 0 {
		t.Errorf("%d folds trained again after those of other settings", n)
	}
}

// An interrupted job continues from its checkpoint and ends like a job that was not interrupted.
func TestGridCheckpoint(t *testing.T) {
	dir := t.TempDir()
	r := oneCell(foldSet(t, "SET", 20), "hyperdrop", 1, 1)
	r.Folds, r.Overrides["epochs"] = []int{3}, 6
	whole := mustRun(t, r).gridCells()[0].Folds
	r.Dir = dir
	ctx, cancel := context.WithCancel(t.Context())
	r.OnEvent = func(e Event) {
		if e.Epoch != nil && e.Epoch.Epoch == 4 {
			cancel()
		}
	}
	if _, err := runGrid(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, underWay)); err != nil || len(left) != 1 {
		t.Fatalf("jobs under way: %v, %v", left, err)
	}
	var epochs []int
	r.OnEvent = func(e Event) {
		if e.Epoch != nil {
			epochs = append(epochs, e.Epoch.Epoch)
		}
	}
	same(t, "results", mustRun(t, r).gridCells()[0].Folds, whole, ignoreSeconds)
	same(t, "epochs after the fourth", epochs, []int{5, 6})
	if _, err := os.Stat(filepath.Join(dir, underWay)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoints of finished jobs: %v", err)
	}
}

// A grid that was killed just after its last job was recorded leaves the checkpoint of that job and
// its lock. The next call trains nothing and removes both.
func TestGridLeftovers(t *testing.T) {
	dir := t.TempDir()
	r := oneCell(foldSet(t, "SET", 20), "gcn", 1, 1)
	r.Dir, r.Folds = dir, []int{3}
	cell := mustRun(t, r).cells[0][0]
	if err := os.MkdirAll(cell.underWay(dir, cell.results[0].Seed, 3), 0o755); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, ".lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if g := mustRun(t, r); g.cells[0][0].kept != 1 {
		t.Errorf("%d jobs kept, want 1", g.cells[0][0].kept)
	}
	for _, left := range []string{lock, filepath.Join(dir, underWay)} {
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", left, err)
		}
	}
}

// Two runs cannot write to one folder.
func TestGridLock(t *testing.T) {
	dir := t.TempDir()
	_, release, err := openLines(dir, jobsFile)
	if err != nil {
		t.Fatal(err)
	}
	r := oneCell(foldSet(t, "SET", 20), "gcn", 1, 1)
	r.Dir, r.Folds = dir, []int{1}
	_, err = runGrid(t.Context(), r)
	if err == nil {
		t.Skip("no locks here")
	}
	fails(t, err, dir+" is being written to by process ")
	release()
	mustRun(t, r)
}

// A job that fails does not stop the others. Its cell says so and is not considered for bold type,
// the error names it, and the next run tries it again.
func TestGridFailure(t *testing.T) {
	dir := t.TempDir()
	r := twoByTwo(t, dir)
	r.Rows[1].Overrides = settings.Values{"lr": 1e30, "epochs": 3}
	var failed []JobFailure
	r.OnEvent = func(e Event) {
		if e.Failure != nil {
			failed = append(failed, *e.Failure)
		}
	}
	for range 2 {
		failed = nil
		g, err := runGrid(t.Context(), r)
		var e *GridError
		if !errors.As(err, &e) || len(e.Failures) != 4 || len(failed) != 4 || settings.IsUsage(err) {
			t.Fatalf("error %v, failures %v", err, failed)
		}
		fails(t, err, "hyperdrop on ")
		fails(t, err, "(and 3 more that failed)")
		table := g.Table()
		for k := range table.Columns {
			good, bad := table.Rows[0].Cells[k], table.Rows[1].Cells[k]
			if good.Runs != 2 || bad.Runs != 0 || bad.State != "failed (0/2)" || !strings.Contains(bad.Note, " is NaN at step ") && !strings.Contains(bad.Note, "Inf at step ") {
				t.Errorf("%s: %+v and %+v", table.Columns[k].Title, good, bad)
			}
			if best := table.Best(); !best[0][k] || best[1][k] {
				t.Errorf("best %v", best)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "table.md"))
		if err != nil || strings.Count(string(text), "failed (0/2)") != 4 || strings.Count(string(text), "- Failed: hyperdrop on ") != 4 {
			t.Errorf("table.md (%v):\n%s", err, text)
		}
	}
}

// Jobs that run at once stay within the memory limit. A job that does not fit alone fails, and the
// others do not.
func TestGridMemory(t *testing.T) {
	r := twoByTwo(t, "")
	r.Threads = 4
	r.Rows[1].Overrides = settings.Values{"hidden": 256} // these jobs are by far the largest
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	small, large := g.cells[0][1].memory, g.cells[1][1].memory
	if small >= large || g.dataMemory() <= 0 {
		t.Fatalf("estimates %d and %d, data %d", small, large, g.dataMemory())
	}
	running := map[Job]bool{}
	most := 0
	run := func(limit int64) (*Grid, error) {
		most = 0
		r.MemoryLimit = limit
		r.OnEvent = func(e Event) {
			if e.Ended() {
				delete(running, e.Job)
			} else {
				running[e.Job] = true
			}
			most = max(most, len(running))
			used := e.Grid.dataMemory()
			for j := range running {
				i, k := 0, 0
				if j.Row == "hyperdrop" {
					i = 1
				}
				if j.Dataset == "PROTEINS" {
					k = 1
				}
				used += e.Grid.cells[i][k].memory
			}
			if e.Failure == nil && used > limit && limit > 0 {
				t.Errorf("%d bytes are in use, limit %d", used, limit)
			}
		}
		return runGrid(t.Context(), r)
	}
	if _, err := run(0); err != nil || most != 4 {
		t.Errorf("without a limit %d jobs at a time (%v), want 4", most, err)
	}
	if _, err := run(g.dataMemory() + large + 1); err != nil || most >= 4 {
		t.Errorf("with room for one large job %d jobs at a time (%v)", most, err)
	}
	// The large jobs do not fit, and the jobs of the other row do.
	limit := g.dataMemory() + (small+g.cells[1][0].memory)/2
	if g.cells[1][0].memory <= limit-g.dataMemory() {
		t.Fatalf("estimates %v do not tell the rows apart", []int64{small, g.cells[1][0].memory, large})
	}
	var e *GridError
	res, err := func() (*Grid, error) {
		r.MemoryLimit, r.OnEvent = limit, nil
		return runGrid(t.Context(), r)
	}()
	if !errors.As(err, &e) || len(e.Failures) != 4 || res.Done() != 4 || !strings.Contains(e.Error(), "and the memory limit is ") {
		t.Errorf("%d done, error %v", res.Done(), err)
	}
	for _, f := range e.Failures {
		if f.Row != "hyperdrop" {
			t.Errorf("failed: %+v", f)
		}
	}
}

// If a model panics, its job fails, with the stack in the error.
func TestGridPanic(t *testing.T) {
	r := twoByTwo(t, "")
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduler{grid: g}
	bad := &job{Job: Job{Row: "gcn", Dataset: "MUTAG", Seed: 1, Fold: 1}, cell: g.cells[0][0]}
	g.columns[0].data = nil // without data, training reads a nil pointer
	if res, failure := s.do(t.Context(), bad, 1); res != nil || failure == nil || !strings.HasPrefix(failure.Error, "panic: ") || !strings.Contains(failure.Stack, "gridrun.go") {
		t.Errorf("%v, %+v", res, failure)
	}
}
