package task

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withoutSeconds are results without what may differ between equal runs.
func withoutSeconds(results []FoldResult) []FoldResult {
	out := slices.Clone(results)
	for i := range out {
		out[i].Seconds = 0
	}
	return out
}

// Folds trains every fold of every seed once, in order, whatever the number of
// threads, and sums up as the paper does.
func TestFolds(t *testing.T) {
	r := FoldsRequest{Request: Request{Path: foldSet(t, "MUTAG", 20), Model: "hyperdrop", Threads: 1, Overrides: quick()}, Seeds: []uint64{7, 3}}
	var calls []int
	r.OnFold = func(done, total int, _ FoldResult) {
		if total != 20 {
			t.Errorf("%d folds in all, want 20", total)
		}
		calls = append(calls, done)
	}
	res, err := Folds(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) != 20 || !slices.IsSorted(calls) || calls[19] != 20 {
		t.Errorf("progress %v", calls)
	}
	var perSeed [2]float64
	for i, f := range res.Results {
		if f.Seed != r.Seeds[i/10] || f.Fold != i%10+1 || f.Epochs != 2 || f.BestEpoch < 1 || f.Seconds <= 0 {
			t.Errorf("result %d is %+v", i, f)
		}
		// Two graphs are tested: none, one or both are right.
		if f.Accuracy != 0 && f.Accuracy != 50 && f.Accuracy != 100 {
			t.Errorf("accuracy %v of two graphs", f.Accuracy)
		}
		perSeed[i/10] += f.Accuracy / 10
	}
	mean := (perSeed[0] + perSeed[1]) / 2
	std := math.Abs(perSeed[0]-perSeed[1]) / math.Sqrt2
	if math.Abs(res.Mean-mean) > 1e-9 || math.Abs(res.Std-std) > 1e-9 || res.StdOver != "seeds" || res.Runs != 20 {
		t.Errorf("%v ± %v over %s, of %d; want %v ± %v over seeds, of 20", res.Mean, res.Std, res.StdOver, res.Runs, mean, std)
	}
	if res.Paper == nil || *res.Paper != 84 || *res.PaperStd != 0.69 || res.Dataset != "MUTAG" || res.Model != "hyperdrop" || res.Seconds <= 0 {
		t.Errorf("result %+v", res)
	}

	r.Threads, r.OnFold = 3, nil
	again, err := Folds(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(withoutSeconds(again.Results), withoutSeconds(res.Results)) {
		t.Errorf("3 threads: %+v\n1 thread: %+v", again.Results, res.Results)
	}

	// With one seed the deviation is over folds. A fold does not depend on the others.
	r.Seeds, r.Folds = []uint64{3}, []int{9, 2}
	some, err := Folds(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := []FoldResult{res.Results[11], res.Results[18]}
	if !slices.Equal(withoutSeconds(some.Results), withoutSeconds(want)) || some.StdOver != "folds" || some.Runs != 2 {
		t.Errorf("folds 9 and 2 of seed 3 alone: %+v\nwant %+v", some, want)
	}
}

// A run that is cancelled goes on in its folder: finished folds are not trained
// again, those of other settings do not count.
func TestFoldsResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folds")
	r := FoldsRequest{Request: Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Threads: 2, Overrides: quick()}, Seeds: []uint64{1}, Dir: dir}
	ctx, cancel := context.WithCancel(t.Context())
	var kept []FoldResult
	r.OnFold = func(done, _ int, f FoldResult) {
		kept = append(kept, f)
		if done == 3 {
			cancel()
		}
	}
	if res, err := Folds(ctx, r); !errors.Is(err, context.Canceled) || res != nil {
		t.Fatalf("cancelled: %v, %v", res, err)
	}
	if len(kept) < 3 || len(kept) > 4 {
		t.Fatalf("%d folds were finished, want 3, or 4 with the one under way", len(kept))
	}
	file := filepath.Join(dir, foldsFile)
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\n") != len(kept) {
		t.Fatalf("%s has\n%s(%v)\nwant %d lines", file, text, err, len(kept))
	}
	// A kill may tear the last line: that fold did not finish.
	if err := os.WriteFile(file, text[:len(text)-10], 0o644); err != nil {
		t.Fatal(err)
	}
	torn := kept[len(kept)-1]
	kept = kept[:len(kept)-1]
	var fresh []FoldResult
	r.OnFold = func(_, _ int, f FoldResult) { fresh = append(fresh, f) }
	res, err := Folds(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Results) != 10 || len(fresh) != 10-len(kept) {
		t.Fatalf("%d results, of which %d are new; want 10 and %d", len(res.Results), len(fresh), 10-len(kept))
	}
	for _, f := range kept {
		if !slices.Contains(res.Results, f) { // with its seconds
			t.Errorf("fold %d was trained again", f.Fold)
		}
	}
	torn.Seconds = 0
	if !slices.Contains(withoutSeconds(fresh), torn) {
		t.Errorf("the torn fold %d gave another result: %+v, want %+v", torn.Fold, fresh, torn)
	}

	count := func(change func(*FoldsRequest)) int {
		fresh = nil
		q := r
		change(&q)
		if _, err := Folds(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		return len(fresh)
	}
	if n := count(func(*FoldsRequest) {}); n != 0 {
		t.Errorf("%d folds trained again", n)
	}
	if n := count(func(q *FoldsRequest) { q.Seeds = []uint64{1, 2} }); n != 10 {
		t.Errorf("a further seed trains %d folds, want 10", n)
	}
	if n := count(func(q *FoldsRequest) { q.Overrides.Hidden = ptr(5) }); n != 10 {
		t.Errorf("other settings train %d folds, want 10", n)
	}
	// Both kinds of results are in the folder now; each is found again.
	if n := count(func(*FoldsRequest) {}); n != 0 {
		t.Errorf("%d folds trained again after those of other settings", n)
	}
}

// Mistakes in the request are found before anything is trained.
func TestFoldsErrors(t *testing.T) {
	path := foldSet(t, "SET", 20)
	bare := writeSet(t, t.TempDir(), "BARE", tuFiles(edgeClass(t, 10)))
	tests := []struct {
		name   string
		change func(*FoldsRequest)
		want   string
	}{
		{"no seeds", func(r *FoldsRequest) { r.Seeds = nil }, "nothing to do: 0 seeds and 10 folds"},
		{"no folds", func(r *FoldsRequest) { r.Folds = []int{} }, "nothing to do: 1 seeds and 0 folds"},
		{"fold 0", func(r *FoldsRequest) { r.Folds = []int{1, 0} }, "there is no fold 0, expected 1 to 10"},
		{"fold 11", func(r *FoldsRequest) { r.Folds = []int{11} }, "there is no fold 11, expected 1 to 10"},
		{"another task", func(r *FoldsRequest) { r.Model = "hypercluster" }, "model hypercluster is for edge-reconstruction"},
		{"unknown model", func(r *FoldsRequest) { r.Model = "hyperdorp" }, `did you mean "hyperdrop"?`},
		{"no data", func(r *FoldsRequest) { r.Path += "x" }, "no such file or directory"},
		{"data without folds", func(r *FoldsRequest) { r.Path = bare }, "the set has no fixed folds (BARE)"},
		{"bad settings", func(r *FoldsRequest) { r.Overrides.LR = ptr(-1.0) }, "LR is -1"},
	}
	for _, test := range tests {
		r := FoldsRequest{Request: Request{Path: path, Model: "hyperdrop"}, Seeds: []uint64{1},
			OnFold: func(int, int, FoldResult) { t.Errorf("%s: a fold was trained", test.name) }}
		test.change(&r)
		_, err := Folds(t.Context(), r)
		fails(t, err, test.want)
		if !IsUsage(err) {
			t.Errorf("%s: not marked as the user's to mend", test.name)
		}
	}
	// A failure of the work is none of usage, and ends all folds.
	r := FoldsRequest{Request: Request{Path: path, Model: "hyperdrop", Threads: 2, Overrides: Overrides{LR: ptr(1e30), Constant: ptr(true)}}, Seeds: []uint64{1}}
	_, err := Folds(t.Context(), r)
	fails(t, err, "task: seed 1, fold ")
	if IsUsage(err) {
		t.Errorf("%v is marked as the user's to mend", err)
	}
}
