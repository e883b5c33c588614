package experiment

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/task"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// withoutSeconds are results without what may differ between equal runs.
func withoutSeconds(results []JobResult) []JobResult {
	out := slices.Clone(results)
	for i := range out {
		out[i].Seconds = 0
	}
	return out
}

// oneCell asks for a model on a set.
func oneCell(path, model string, threads int, seeds ...uint64) GridRequest {
	return GridRequest{Rows: []ModelRow{{Name: model}}, Columns: []DatasetColumn{{Path: path}}, Threads: threads, Overrides: quick(), Seeds: seeds}
}

func mustRun(t *testing.T, r GridRequest) *Grid {
	t.Helper()
	g, err := RunGrid(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A cell trains every fold of every seed once, in order, whatever the number of
// threads, and sums up as the paper does.
func TestGridCell(t *testing.T) {
	r := oneCell(foldSet(t, "MUTAG", 20), "hyperdrop", 1, 7, 3)
	var calls []int
	r.OnEvent = func(e Event) {
		if e.Grid.Total() != 20 {
			t.Errorf("%d jobs in all, want 20", e.Grid.Total())
		}
		if e.Ended() {
			calls = append(calls, e.Grid.Done())
		}
	}
	g := mustRun(t, r)
	if len(calls) != 20 || !slices.IsSorted(calls) || calls[19] != 20 {
		t.Errorf("progress %v", calls)
	}
	cell := g.Cells()[0]
	var perSeed [2]float64
	for i, f := range cell.Results {
		if f.Seed != r.Seeds[i/10] || f.Fold != i%10+1 || f.Epochs != 2 || f.BestEpoch < 1 || f.Seconds <= 0 || f.Metric != "accuracy" {
			t.Errorf("result %d is %+v", i, f)
		}
		// Two graphs are tested: none, one or both are right.
		if f.Test != 0 && f.Test != 50 && f.Test != 100 {
			t.Errorf("accuracy %v of two graphs", f.Test)
		}
		perSeed[i/10] += f.Test / 10
	}
	mean := (perSeed[0] + perSeed[1]) / 2
	std := math.Abs(perSeed[0]-perSeed[1]) / math.Sqrt2
	if math.Abs(cell.Mean-mean) > 1e-9 || math.Abs(cell.Std-std) > 1e-9 || cell.StdOver != "seeds" || cell.Runs != 2 || cell.Jobs != 20 {
		t.Errorf("%v ± %v over %s, of %d; want %v ± %v over seeds, of 2", cell.Mean, cell.Std, cell.StdOver, cell.Runs, mean, std)
	}
	if cell.Paper == nil || *cell.Paper != 84 || *cell.PaperStd != 0.69 || cell.Dataset != "MUTAG" || cell.Model != "hyperdrop" || g.Seconds <= 0 || cell.PPaper < 0 {
		t.Errorf("cell %+v", cell)
	}

	r.Threads, r.OnEvent = 3, nil
	if again := mustRun(t, r).Cells()[0]; !slices.Equal(withoutSeconds(again.Results), withoutSeconds(cell.Results)) {
		t.Errorf("3 threads: %+v\n1 thread: %+v", again.Results, cell.Results)
	}

	// With one seed the deviation is over folds. A fold does not depend on the
	// others, nor on how many threads it takes.
	r.Seeds, r.Folds, r.Threads = []uint64{3}, []int{9, 2}, 8
	some := mustRun(t, r).Cells()[0]
	want := []JobResult{cell.Results[18], cell.Results[11]}
	if !slices.Equal(withoutSeconds(some.Results), withoutSeconds(want)) || some.StdOver != "folds" || some.Runs != 2 || some.PPaper != -1 {
		t.Errorf("folds 9 and 2 of seed 3 alone: %+v\nwant %+v", some, want)
	}
}

// twoByTwo is a grid of two models on two sets, two folds each.
func twoByTwo(t *testing.T, dir string) GridRequest {
	return GridRequest{Name: "graph-classification", Title: "Test accuracy | in percent", Rows: []ModelRow{{Name: "gcn"}, {Name: "hyperdrop"}},
		Columns: []DatasetColumn{{Path: foldSet(t, "MUTAG", 20)}, {Path: foldSet(t, "PROTEINS", 30), Folds: []int{3, 5}}},
		Seeds:   []uint64{1}, Folds: []int{1, 2}, Overrides: quick().Over(task.Overrides{Epochs: new(1)}), Threads: 2, Dir: dir}
}

// Every cell of a grid is trained by its own settings and folds, largest first
// within a seed, and all files are written.
func TestGrid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	r := twoByTwo(t, dir)
	r.Threads, r.Seeds = 1, []uint64{1, 2}
	var started []Job
	r.OnEvent = func(e Event) {
		if !e.Ended() && e.Epoch == nil {
			started = append(started, e.Job)
		}
	}
	g := mustRun(t, r)
	if g.Done() != 16 || g.Total() != 16 || g.Failed() != 0 || g.Kept() != 0 || g.SecondsLeft() != 0 {
		t.Errorf("%d of %d done, %d failed, %d kept", g.Done(), g.Total(), g.Failed(), g.Kept())
	}
	if len(started) != 16 || started[0] != (Job{"hyperdrop", "PROTEINS", 1, 3}) || started[7].Seed != 1 || started[8].Seed != 2 || started[7].Row != "gcn" || started[7].Dataset != "MUTAG" {
		t.Errorf("order %v", started)
	}
	var names []string
	for _, c := range g.Cells() {
		names = append(names, c.Dataset+" "+c.Row)
		folds := []int{1, 2}
		if c.Dataset == "PROTEINS" {
			folds = []int{3, 5}
		}
		for i, f := range c.Results {
			if f.Row != c.Row || f.Dataset != c.Dataset || f.Fold != folds[i%2] || f.Seed != uint64(1+i/2) {
				t.Errorf("cell %s %s has %+v", c.Dataset, c.Row, f)
			}
		}
	}
	if strings.Join(names, ", ") != "MUTAG gcn, MUTAG hyperdrop, PROTEINS gcn, PROTEINS hyperdrop" {
		t.Errorf("cells %v", names)
	}
	for _, name := range []string{"table.md", "table.csv", "table.json", "table.html", "folds.csv", "folds.jsonl"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A cell is what it is alone.
	alone := r
	alone.Rows, alone.Columns, alone.Dir, alone.OnEvent = r.Rows[1:], r.Columns[1:], "", nil
	if one := mustRun(t, alone).Cells()[0]; !slices.Equal(withoutSeconds(one.Results), withoutSeconds(g.Cells()[3].Results)) {
		t.Errorf("alone %+v\nin the grid %+v", one.Results, g.Cells()[3].Results)
	}
	// The same jobs under other names and beside others are not trained again.
	renamed := r
	renamed.Rows = []ModelRow{{Name: "mine", Model: "hyperdrop"}, {Name: "mlp"}}
	renamed.OnEvent = nil
	if g := mustRun(t, renamed); g.Kept() != 8 || g.Done() != 16 || g.Cells()[0].Results[0].Row != "mine" {
		t.Errorf("%d of %d taken over", g.Kept(), g.Done())
	}
}

// The row chosen on validation has, on each data set, the test score of the row with
// the best validation score.
func TestGridChoose(t *testing.T) {
	r := twoByTwo(t, "")
	r.Choose = []string{"hyperdrop", "gcn"}
	g := mustRun(t, r)
	cells, table := g.Cells(), g.Table()
	if len(table.Rows) != 3 || table.Rows[2].Label != "chosen on validation" || len(cells) != 4 {
		t.Fatalf("%d rows, %d cells", len(table.Rows), len(cells))
	}
	choices := g.Choices()
	for k, c := range choices {
		var valid [2]float64
		for i := range valid {
			for _, j := range cells[2*k+i].Results {
				valid[i] += j.Valid / 2
			}
		}
		best := 0
		if valid[1] >= valid[0] { // of equals the first that Choose names
			best = 1
		}
		want := cells[2*k+best]
		if c.Dataset != want.Dataset || c.Row != want.Row || c.Valid != valid[best] || c.Test != want.Mean || table.Rows[2].Cells[k].Mean != want.Mean || table.Rows[2].Cells[k].Paper != nil {
			t.Errorf("chosen %+v of %v, want %s %v", c, valid, want.Row, want.Mean)
		}
		if !strings.Contains(g.Document().Markdown(), c.Dataset+" "+c.Row) {
			t.Error("the notes do not say what was chosen")
		}
	}
	if d := g.JSON(); len(choices) != 2 || !slices.Equal(d.Choices, choices) || len(d.Averages) != 3 || *d.Averages[2].Mean != (choices[0].Test+choices[1].Test)/2 {
		t.Errorf("choices %+v, averages %+v", choices, d.Averages)
	}
	r.Choose = []string{"gin"}
	_, err := RunGrid(t.Context(), r)
	fails(t, err, `"gin" cannot be chosen`)
	for _, none := range [][]string{nil, {}} {
		first := r
		first.Choose, first.ChooseFirst = none, true
		_, err = RunGrid(t.Context(), first)
		fails(t, err, "no rows are named to choose from")
	}
	// As long as a candidate is not done, nothing is chosen.
	r.Choose = []string{"gcn"}
	unfinished, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if c := unfinished.Table().Rows[2].Cells[0]; c.Runs != 0 || c.State != "-" || unfinished.Choices() != nil {
		t.Errorf("%+v", c)
	}
}

// The first row is chosen unless validation speaks against it by more than chance.
func TestGridChooseFirst(t *testing.T) {
	for _, test := range []struct {
		what          string
		first, second [][]float64 // by seed, then fold
		want          string
	}{
		{"no more than chance", [][]float64{{70, 72, 71}}, [][]float64{{71, 73, 72}}, "first"},
		{"more than chance", [][]float64{{70, 72, 71}}, [][]float64{{81, 83, 82}}, "second"},
		{"the first is best", [][]float64{{81, 83, 82}}, [][]float64{{70, 72, 71}}, "first"},
		{"equals", [][]float64{{70, 70, 70}}, [][]float64{{70, 70, 70}}, "first"},
		{"no test is possible", [][]float64{{70}}, [][]float64{{90}}, "first"},
		{"means of seeds tell more than their folds", [][]float64{{60, 82}, {61, 81}}, [][]float64{{62, 84}, {63, 83}}, "second"},
	} {
		g := &Grid{rows: []ModelRow{{Name: "second"}, {Name: "first"}}, columns: []*column{{}},
			request: GridRequest{Choose: []string{"first", "second"}, ChooseFirst: true}}
		for _, seeds := range [][][]float64{test.second, test.first} {
			c := &cell{folds: make([]int, len(seeds[0]))}
			for seed, folds := range seeds {
				for fold, valid := range folds {
					c.results = append(c.results, JobResult{Job: Job{Seed: uint64(seed), Fold: fold}, Valid: valid})
				}
			}
			g.cells = append(g.cells, []*cell{c})
		}
		for seed := range test.first {
			g.Seeds = append(g.Seeds, uint64(seed))
		}
		if i, _ := g.chosen(0); g.rows[i].Name != test.want {
			t.Errorf("%s: %s is chosen", test.what, g.rows[i].Name)
		}
	}
}

// What a row is wins over what a column sets, and that over the request.
func TestGridOverrides(t *testing.T) {
	r := twoByTwo(t, "")
	r.Overrides.Hidden, r.Overrides.Layers, r.Overrides.Dropout = new(8), new(2), new(0.25)
	r.Columns[0].Overrides = task.Overrides{Hidden: new(12), Layers: new(4)}
	r.Rows[0].Overrides = task.Overrides{Hidden: new(20)}
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2][2]int{{{20, 4}, {20, 2}}, {{12, 4}, {8, 2}}} {
		for k, w := range want {
			if m := g.cells[i][k].settings.Model; m.Hidden != w[0] || m.Layers != w[1] || m.Dropout != 0.25 {
				t.Errorf("cell %d %d: hidden %d, layers %d, dropout %v; want %v", i, k, m.Hidden, m.Layers, m.Dropout, w)
			}
		}
	}
}

// A run that is cancelled goes on in its folder: finished jobs are not trained
// again, those of other settings do not count.
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
	g, err := RunGrid(ctx, r)
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
	// A kill may tear the last line: that job did not finish.
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
	results := g.Cells()[0].Results
	if len(results) != 10 || len(fresh) != 10-len(kept) {
		t.Fatalf("%d results, of which %d are new; want 10 and %d", len(results), len(fresh), 10-len(kept))
	}
	for _, f := range kept {
		if !slices.Contains(results, f) { // with its seconds
			t.Errorf("fold %d was trained again", f.Fold)
		}
	}
	torn.Seconds = 0
	if !slices.Contains(withoutSeconds(fresh), torn) {
		t.Errorf("the torn fold %d gave another result: %+v, want %+v", torn.Fold, fresh, torn)
	}

	count := func(change func(*GridRequest)) int {
		fresh = nil
		q := r
		change(&q)
		mustRun(t, q)
		return len(fresh)
	}
	if n := count(func(*GridRequest) {}); n != 0 {
		t.Errorf("%d folds trained again", n)
	}
	if n := count(func(q *GridRequest) { q.Seeds = []uint64{1, 2} }); n != 10 {
		t.Errorf("a further seed trains %d folds, want 10", n)
	}
	if n := count(func(q *GridRequest) { q.Overrides.Hidden = new(5) }); n != 10 {
		t.Errorf("other settings train %d folds, want 10", n)
	}
	// Both kinds of results are in the folder now; each is found again.
	if n := count(func(*GridRequest) {}); n != 0 {
		t.Errorf("%d folds trained again after those of other settings", n)
	}
}

// A job that was interrupted goes on in the middle and ends as one that was not.
func TestGridCheckpoint(t *testing.T) {
	dir := t.TempDir()
	r := oneCell(foldSet(t, "SET", 20), "hyperdrop", 1, 1)
	r.Folds, r.Overrides.Epochs = []int{3}, new(6)
	whole := withoutSeconds(mustRun(t, r).Cells()[0].Results)
	r.Dir = dir
	ctx, cancel := context.WithCancel(t.Context())
	r.OnEvent = func(e Event) {
		if e.Epoch != nil && e.Epoch.Epoch == 4 {
			cancel()
		}
	}
	if _, err := RunGrid(ctx, r); !errors.Is(err, context.Canceled) {
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
	if have := withoutSeconds(mustRun(t, r).Cells()[0].Results); !slices.Equal(have, whole) {
		t.Errorf("%+v, want %+v", have, whole)
	}
	if !slices.Equal(epochs, []int{5, 6}) {
		t.Errorf("trained epochs %v after 4", epochs)
	}
	if _, err := os.Stat(filepath.Join(dir, underWay)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoints of finished jobs: %v", err)
	}
}

// Two runs do not write to one folder.
func TestGridLock(t *testing.T) {
	dir := t.TempDir()
	_, release, err := openJobs(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := oneCell(foldSet(t, "SET", 20), "gcn", 1, 1)
	r.Dir, r.Folds = dir, []int{1}
	_, err = RunGrid(t.Context(), r)
	if err == nil {
		t.Skip("no locks here")
	}
	fails(t, err, "another run writes to "+dir)
	release()
	mustRun(t, r)
}

// Mistakes in the request are found before anything is trained.
func TestGridErrors(t *testing.T) {
	path := foldSet(t, "SET", 20)
	unlabelled := tuFiles(t, "BARE", 10)
	delete(unlabelled, "BARE_graph_labels.txt")
	bare := unlabelled.write(t, "BARE")
	tests := []struct {
		name   string
		change func(*GridRequest)
		want   string
	}{
		{"no seeds", func(r *GridRequest) { r.Seeds = nil }, "nothing to do: 1 models, 1 data sets, 0 seeds"},
		{"no rows", func(r *GridRequest) { r.Rows = nil }, "nothing to do: 0 models"},
		{"seed twice", func(r *GridRequest) { r.Seeds = []uint64{4, 4} }, "seed 4 is there twice"},
		{"row twice", func(r *GridRequest) { r.Rows = append(r.Rows, r.Rows...) }, "model hyperdrop is there twice"},
		{"column twice", func(r *GridRequest) { r.Columns = append(r.Columns, r.Columns...) }, "data set SET is there twice"},
		{"fold 0", func(r *GridRequest) { r.Folds = []int{1, 0} }, "there is no fold 0, expected 1 to 10"},
		{"fold 11", func(r *GridRequest) { r.Columns[0].Folds = []int{11} }, "there is no fold 11, expected 1 to 10"},
		{"option that the row has", func(r *GridRequest) {
			r.Rows[0].Overrides.BatchSize, r.Overrides.BatchSize = new(32), new(64)
		}, "--batch-size does not apply to row hyperdrop, which is made of a setting of its own"},
		{"option of a row whose model alone reads it", func(r *GridRequest) {
			r.Rows = append(r.Rows, ModelRow{Name: "mlp"})
			r.Rows[0].Overrides.EdgeInit, r.Overrides.EdgeInit = new("endpoints"), new("given")
		}, "--edge-init does not apply to model mlp"},
		{"option that the column has", func(r *GridRequest) {
			r.Columns[0].Overrides.Layers, r.Overrides.Layers = new(2), new(4)
		}, "--layers does not apply here, where columns differ in it"},
		{"fold twice", func(r *GridRequest) { r.Folds = []int{2, 3, 2} }, "fold 2 is there twice"},
		{"another task", func(r *GridRequest) { r.Rows[0].Model = "hypercluster" }, "model hypercluster has no predictions for graph-classification"},
		{"unknown model", func(r *GridRequest) { r.Rows[0].Model = "hyperdorp" }, `did you mean "hyperdrop"?`},
		{"unknown model, with an option", func(r *GridRequest) {
			r.Rows[0].Model, r.Overrides.Ratio = "hyperdorp", new(0.5)
		}, `did you mean "hyperdrop"?`},
		{"no data", func(r *GridRequest) { r.Columns[0].Path += "x" }, "no such file or directory"},
		{"data without classes", func(r *GridRequest) { r.Columns[0].Path = bare }, "no protocol for BARE: expected a set of graphs with classes"},
		{"bad settings", func(r *GridRequest) { r.Overrides.LR = new(-1.0) }, "LR is -1"},
	}
	for _, test := range tests {
		r := GridRequest{Rows: []ModelRow{{Name: "hyperdrop"}}, Columns: []DatasetColumn{{Path: path}}, Seeds: []uint64{1},
			OnEvent: func(Event) { t.Errorf("%s: a job was started", test.name) }}
		test.change(&r)
		_, err := RunGrid(t.Context(), r)
		fails(t, err, test.want)
		if !task.IsUsage(err) {
			t.Errorf("%s: not marked as the user's to mend", test.name)
		}
	}
}

// A job that fails does not stop the others: its cell says so and takes no part in
// bold type, the error names it, and the next run tries it again.
func TestGridFailure(t *testing.T) {
	dir := t.TempDir()
	r := twoByTwo(t, dir)
	r.Rows[1].Overrides = task.Overrides{LR: new(1e30), Epochs: new(3)}
	var failed []JobFailure
	r.OnEvent = func(e Event) {
		if e.Failure != nil {
			failed = append(failed, *e.Failure)
		}
	}
	for range 2 {
		failed = nil
		g, err := RunGrid(t.Context(), r)
		var e *GridError
		if !errors.As(err, &e) || len(e.Failures) != 4 || len(failed) != 4 || task.IsUsage(err) {
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

// Jobs that run at a time stay within the memory limit; one that does not fit by
// itself fails, and only that.
func TestGridMemory(t *testing.T) {
	r := twoByTwo(t, "")
	r.Threads = 4
	r.Rows[1].Overrides.Hidden = new(256) // by far the larger jobs
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
		return RunGrid(t.Context(), r)
	}
	if _, err := run(0); err != nil || most != 4 {
		t.Errorf("without a limit %d jobs at a time (%v), want 4", most, err)
	}
	if _, err := run(g.dataMemory() + large + 1); err != nil || most >= 4 {
		t.Errorf("with room for one large job %d jobs at a time (%v)", most, err)
	}
	// The large jobs do not fit, those of the other row do.
	limit := g.dataMemory() + (small+g.cells[1][0].memory)/2
	if g.cells[1][0].memory <= limit-g.dataMemory() {
		t.Fatalf("estimates %v do not tell the rows apart", []int64{small, g.cells[1][0].memory, large})
	}
	var e *GridError
	res, err := func() (*Grid, error) {
		r.MemoryLimit, r.OnEvent = limit, nil
		return RunGrid(t.Context(), r)
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

// knownGrid is a grid whose results were not trained but written down.
func knownGrid(t *testing.T, dir string, r GridRequest) *Grid {
	t.Helper()
	r.Dir = dir
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	log, err := atomicfile.OpenLines(filepath.Join(dir, jobsFile), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g.cells {
		for k, c := range row {
			for n, j := range c.pending(g.Seeds) {
				// Apart by five points, the folds of a cell by two.
				score := 70 + float64(5*i+10*k) + float64(n%3) - 0.125*float64(n)
				if err := log.Append(JobResult{Job: j, Metric: "accuracy", Test: score, Valid: score + 1, ValidLoss: 0.5, BestEpoch: 40 + n, Epochs: 91 + n, Seconds: 12.5, Key: c.key}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	r.OnEvent = func(e Event) { t.Errorf("%v was started", e.Job) }
	return mustRun(t, r)
}

// The tables of known results, as files.
func TestGridFiles(t *testing.T) {
	dir := t.TempDir()
	r := twoByTwo(t, "")
	r.Folds, r.Columns[1].Folds = nil, nil
	r.Seeds = []uint64{1, 2, 3}
	r.Rows = append(r.Rows, ModelRow{Name: "mine", Title: "mine <b>&", Model: "mlp"})
	r.Notes = []string{"A note."}
	g := knownGrid(t, dir, r)
	for _, name := range []string{"table.md", "table.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "grid-"+name+".golden")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != string(text) {
			t.Errorf("%s differs (%v); if that is meant, run go test ./experiment -run TestGridFiles -update\n--- have\n%s", golden, err, text)
		}
	}

	f, err := os.Open(filepath.Join(dir, "folds.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+6*30 {
		t.Fatalf("folds.csv has %d rows (%v)", len(rows), err)
	}
	if want := "MUTAG,gcn,1,2,accuracy,70.875,71.875,0.5,41,92,12.5"; strings.Join(rows[2], ",") != want {
		t.Errorf("folds.csv has %v, want %s", rows[2], want)
	}

	text, err := os.ReadFile(filepath.Join(dir, "table.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc GridJSON
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Cells) != 6 || doc.Jobs != 180 || len(doc.Averages) != 3 || doc.Averages[2].Paper != nil || len(doc.Cells[1].Folds) != 30 || doc.Cells[1].Settings.Train.Epochs != 1 {
		t.Errorf("table.json is %.1000s", text)
	}
	first := g.Cells()[0]
	if c := doc.Cells[0]; *c.Mean != first.Mean || *c.Std != first.Std || *c.Paper != 69.5 || *c.Difference != first.Mean-69.5 || c.PBest == nil || c.PPaper == nil || c.StdOver != "seeds" || c.Runs != 3 {
		t.Errorf("cell %+v", c)
	}

	page, err := os.ReadFile(filepath.Join(dir, "table.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mine &lt;b&gt;&amp;", "<b>79.19 ± 1.15</b>", "84.00 ± 0.69", "A note."} {
		if !strings.Contains(string(page), want) {
			t.Errorf("table.html has no %q", want)
		}
	}
}

// A panic of a model is the failure of its job, with its stack.
func TestGridPanic(t *testing.T) {
	r := twoByTwo(t, "")
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduler{grid: g}
	bad := &job{Job: Job{Row: "gcn", Dataset: "MUTAG", Seed: 1, Fold: 1}, cell: g.cells[0][0]}
	g.columns[0].parts = nil // nothing to train on: a nil pointer
	if res, failure := s.do(t.Context(), bad, 1); res != nil || failure == nil || !strings.HasPrefix(failure.Error, "panic: ") || !strings.Contains(failure.Stack, "gridrun.go") {
		t.Errorf("%v, %+v", res, failure)
	}
}

// The kinds of data each find their protocol, and the notes say how it selects.
func TestProtocols(t *testing.T) {
	s := task.Settings{Split: task.Split{Kind: task.SplitFold}}
	if text := s.Selection(); text != "lowest validation loss, then one look at the test fold" {
		t.Error(text)
	}
	s.Split.Kind = task.SplitGiven
	s.Train.Monitor.Metric, s.Train.Monitor.Maximize = "roc_auc", true
	if text := s.Selection(); text != "highest validation ROC-AUC, then one look at the test part" {
		t.Error(text)
	}
	for _, p := range Protocols {
		if _, err := task.Find(p.Task); err != nil {
			t.Error(err)
		}
	}
}

// Every row of every experiment and preset exists, and settings of presets are
// below those of the user.
func TestExperiments(t *testing.T) {
	for _, e := range []gridExperiment{graphClassification, ablation} {
		all, err := e.selectRows([]string{RowsAll})
		if err != nil || len(all) != len(e.Rows)+len(e.Extra) {
			t.Fatalf("%s: %d rows (%v)", e.Name, len(all), err)
		}
		for _, row := range all {
			if spec, err := model.Find(cmp.Or(row.Model, row.Name)); err != nil || !slices.Contains(spec.Tasks, "graph-classification") {
				t.Errorf("%s: %v", row.Name, err)
			}
		}
		for _, p := range e.Presets {
			if _, err := e.selectRows(p.Rows); err != nil {
				t.Error(err)
			}
			if _, err := e.preset(p.Name); err != nil {
				t.Error(err)
			}
			for _, set := range append(slices.Clone(p.Sets), e.Sets...) {
				if paperColumn(set) < 0 {
					t.Errorf("%s, preset %s: no set %s", e.Name, p.Name, set)
				}
			}
			for set := range p.Folds {
				if !slices.Contains(p.Sets, set) {
					t.Errorf("%s, preset %s: folds of %s, which is not in it", e.Name, p.Name, set)
				}
			}
		}
	}
	if len(graphClassification.Rows) != 14 || len(graphClassification.Sets) != 10 {
		t.Errorf("table 3 has %d rows and %d sets", len(graphClassification.Rows), len(graphClassification.Sets))
	}
	_, err := graphClassification.selectRows([]string{"hyperdorp"})
	fails(t, err, `did you mean "hyperdrop"?`)
	_, err = graphClassification.preset("slow")
	fails(t, err, `unknown preset "slow", expected one of: quick, paper`)
	rows, err := graphClassification.selectRows([]string{"gat", "gcn", "gat", "hyperdrop-endpoints"})
	if err != nil || len(rows) != 3 || rows[2].Model != "hyperdrop" || *rows[2].Overrides.EdgeInit != "endpoints" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// Rows that come to the same settings on a data set, as of the ratio that HyperDrop has
// there anyway, are trained once, and fail together.
func TestGridAlike(t *testing.T) {
	rows, err := withRatios([]ModelRow{{Name: "hyperdrop"}}, []float64{0.65, 0.9})
	if err != nil {
		t.Fatal(err)
	}
	for name, lr := range map[string]float64{"trained": 1e-3, "failing": 1e30} {
		t.Run(name, func(t *testing.T) {
			r := twoByTwo(t, t.TempDir())
			r.Rows, r.Overrides = rows, r.Overrides.Over(task.Overrides{LR: &lr, Epochs: new(3)})
			r.Choose = []string{"hyperdrop-ratio-0.9", "hyperdrop"}
			var ended []Job
			r.OnEvent = func(e Event) {
				if e.Ended() {
					ended = append(ended, e.Job)
				}
			}
			g, err := RunGrid(t.Context(), r) // MUTAG has 0.9, PROTEINS 0.65
			if len(ended) != 8 || g.Done()+g.Failed() != 12 || g.Total() != 12 || g.SecondsLeft() != 0 {
				t.Fatalf("%d jobs, %d of %d results, %d failures, %g s left (%v)", len(ended), g.Done(), g.Total(), g.Failed(), g.SecondsLeft(), err)
			}
			if failed := name == "failing"; failed != (g.Failed() == 12) || failed != (err != nil) {
				t.Errorf("%d failures, %v", g.Failed(), err)
			}
			cells := g.Table().Rows
			for k, twin := range []int{2, 1} {
				own, other := cells[0].Cells[k], cells[twin].Cells[k]
				if own.Mean != other.Mean || own.Runs != other.Runs || own.Note != other.Note {
					t.Errorf("column %d: %+v and %+v", k, own, other)
				}
			}
			ended = nil
			if again, _ := RunGrid(t.Context(), r); name == "trained" && (len(ended) != 0 || again.Kept() != 12) {
				t.Errorf("%d jobs again, %d kept", len(ended), again.Kept())
			}
		})
	}
}

// Rows of models that read a ratio get one more for each; what is special in a row stays.
func TestWithRatios(t *testing.T) {
	rows, err := graphClassification.selectRows([]string{"gcn", "hyperdrop-gine", "topkpool"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := withRatios(rows, []float64{0.25, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range out {
		names = append(names, r.Name)
		if _, varied, found := strings.Cut(r.Name, "-ratio-"); found && (r.Overrides.Ratio == nil || fmt.Sprint(*r.Overrides.Ratio) != varied) {
			t.Errorf("%s has the ratio %v", r.Name, r.Overrides.Ratio)
		}
	}
	want := []string{"gcn", "hyperdrop-gine", "hyperdrop-gine-ratio-0.25", "hyperdrop-gine-ratio-0.5", "topkpool", "topkpool-ratio-0.25", "topkpool-ratio-0.5"}
	if !slices.Equal(names, want) {
		t.Errorf("rows %q, want %q", names, want)
	}
	if r := out[2]; r.Model != "hyperdrop" || *r.Overrides.Conv != "gine" || r.Title != "HyperDrop, tuned (GINE, batch 32), ratio 0.25" || rows[1].Overrides.Ratio != nil {
		t.Errorf("%+v", r)
	}
	if out, err := withRatios(rows, nil); err != nil || len(out) != 3 {
		t.Errorf("without ratios %d rows, %v", len(out), err)
	}
	_, err = withRatios(rows[:1], []float64{0.5})
	fails(t, err, "none of the models asked for has a ratio")
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 3 << 30: "3 GiB", 1 << 50: "1024 TiB"} {
		if have := FormatBytes(n); have != want {
			t.Errorf("%d is %s, want %s", n, have, want)
		}
	}
}

// GCN and GIN of the paper's table read bonds where there are molecules.
func TestMoleculeRows(t *testing.T) {
	rows, err := graphClassification.selectRows([]string{"gcn", "gin", "sagpool"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := plan(t.Context(), GridRequest{Rows: rows, Seeds: []uint64{1}, Overrides: quick(),
		Columns: []DatasetColumn{{Path: molecules(t, "ogbg_molbace", bonds)}, {Path: foldSet(t, "SET", 20)}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{"egcn", "gcn"}, {"gine", "gin"}, {"sagpool", "sagpool"}} {
		for k, c := range g.cells[i] {
			if c.settings.ModelName != want[k] || c.row.Name != rows[i].Name {
				t.Errorf("row %s on %s is %s, want %s", c.row.Name, c.column.Name, c.settings.ModelName, want[k])
			}
		}
	}
}

// The experiment by depth: a column for each, of data read once, in which every row
// has that many layers.
func TestNodeGrid(t *testing.T) {
	e := nodeClassification
	r := GridRequest{Name: e.Name, Rows: e.Rows, Columns: e.spread(DatasetColumn{Path: tinyNodes}, []int{2, 5}), Seeds: []uint64{1}, Threads: 2,
		Overrides: task.Overrides{Epochs: new(3), Constant: new(true)}}
	g := mustRun(t, r)
	if g.columns[0].Name != "tiny, 2 layers" || g.columns[1].Title != "tiny, 5 layers" || g.Done() != 8 {
		t.Fatalf("columns %+v, %d done", g.columns, g.Done())
	}
	for _, row := range g.cells {
		for k, c := range row {
			if c.settings.Model.Layers != []int{2, 5}[k] || c.column.protocol.Name != "nodes" {
				t.Errorf("%s: %+v", c.column.Name, c.settings.Model)
			}
		}
	}
	if g.Table().Average {
		t.Error("an average over depths")
	}
	if again, err := plan(t.Context(), r); err != nil || again.columns[0].parts != again.columns[1].parts {
		t.Errorf("the data are read twice (%v)", err)
	}
	if one := graphClassification.spread(DatasetColumn{Name: "x"}, nil); len(one) != 1 || one[0].Name != "x" || one[0].Overrides.Layers != nil {
		t.Errorf("an experiment without depths: %+v", one)
	}
}
