package task

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// FoldsRequest asks for the paper's protocol on one data set: a fresh model per
// fold and seed, selection by validation loss, one look at the test fold.
type FoldsRequest struct {
	Request
	Seeds []uint64 // runs; the paper has ten
	Folds []int    // 1 to 10; nil for all
	// Dir keeps finished folds, so that a run that was killed goes on where it
	// was; empty keeps nothing.
	Dir string
	// OnFold reports each finished fold; calls do not overlap.
	OnFold func(done, total int, f FoldResult)
}

// FoldResult is one trained fold.
type FoldResult struct {
	Seed      uint64  `json:"seed"`
	Fold      int     `json:"fold"`
	Accuracy  float64 `json:"accuracy"` // on the test fold, in percent
	Valid     float64 `json:"valid_accuracy"`
	ValidLoss float64 `json:"valid_loss"`
	BestEpoch int     `json:"best_epoch"`
	Epochs    int     `json:"epochs"`
	Seconds   float64 `json:"seconds"`
	// Key identifies settings and data, so that a folder of other results is not
	// mixed in.
	Key string `json:"key"`
}

// FoldsResult is the outcome beside the paper's number.
type FoldsResult struct {
	Dataset string `json:"dataset"`
	Model   string `json:"model"`
	// Mean and Std are over seeds of the mean over folds, as the paper reports;
	// with one seed Std is over the folds, and StdOver says which.
	report.Cell
	StdOver   string       `json:"std_over"`
	Selection string       `json:"selection"`
	Seeds     []uint64     `json:"seeds"`
	Results   []FoldResult `json:"results"`
	Settings  Settings     `json:"settings"`
}

const foldsFile = "folds.jsonl"

// Folds runs the protocol, folds side by side, one thread each: with as many
// independent runs as there are, that wastes nothing. Every fold that finishes
// is kept at once.
func Folds(ctx context.Context, r FoldsRequest) (*FoldsResult, error) {
	started := time.Now()
	t, spec, err := choose(r.Task, r.Model)
	if err != nil {
		return nil, usageError{err}
	}
	if t.Name != graphClassification.Name {
		return nil, misuse("task: folds: model %s is for %s, expected one for %s", spec.Name, t.Name, graphClassification.Name)
	}
	parts, err := openNamed(r.Path, r.Set, r.Format, r.Edges)
	if err != nil {
		return nil, usageError{err}
	}
	folds := r.Folds
	if folds == nil {
		folds = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	}
	for _, fold := range folds {
		if fold < 1 || fold > 10 {
			return nil, misuse("task: folds: there is no fold %d, expected 1 to 10", fold)
		}
	}
	threads := max(r.Threads, 1)
	// All sessions are made first: they are small, and a mistake in the settings
	// must not show up after an hour.
	var jobs []*foldJob
	for _, seed := range r.Seeds {
		for _, fold := range folds {
			q := r.Request
			q.Seed, q.Fold, q.Split, q.Threads = seed, fold, SplitFold, 1
			s, err := open(ctx, q, t, spec, parts)
			if err != nil {
				return nil, usageError{err}
			}
			jobs = append(jobs, &foldJob{session: s, seed: seed, fold: fold})
		}
	}
	if len(jobs) == 0 {
		return nil, misuse("task: folds: nothing to do: %d seeds and %d folds", len(r.Seeds), len(folds))
	}
	first := jobs[0].session.Settings
	if first.Data.Targets != nil {
		return nil, misuse("task: folds: %s has several labels a graph, expected one class", first.Data.Name)
	}
	key := first.key()
	done, err := readFolds(r.Dir, key)
	if err != nil {
		return nil, err
	}
	results, err := runFolds(ctx, r, jobs, done, key, threads)
	if err != nil {
		return nil, err
	}
	out := summarise(results, r.Seeds)
	out.Dataset, out.Model, out.Settings = first.Data.Name, spec.Name, first
	out.Seconds = time.Since(started).Seconds()
	if p, ok := Paper(spec.Name, first.Data.Name); ok {
		out.Cell = out.Cell.WithPaper(p.Mean, p.Std)
	}
	return out, nil
}

type foldJob struct {
	session *Session
	seed    uint64
	fold    int
}

// key identifies what decides a fold's result besides seed and fold.
func (s Settings) key() string {
	s.Split.Fold, s.Split.Seed, s.Model.Seed, s.Train.Seed, s.Data.Path = 0, 0, 0, 0, ""
	return digest(mustJSON(s))
}

// readFolds returns the finished folds of a folder that have the same key.
func readFolds(dir, key string) ([]FoldResult, error) {
	if dir == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, foldsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("task: folds: %w", err)
	}
	var out []FoldResult
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var f FoldResult
		// A torn last line is a fold that did not finish.
		if json.Unmarshal(lines.Bytes(), &f) == nil && f.Key == key {
			out = append(out, f)
		}
	}
	return out, lines.Err()
}

func runFolds(ctx context.Context, r FoldsRequest, jobs []*foldJob, results []FoldResult, key string, threads int) ([]FoldResult, error) {
	var log *atomicfile.Lines
	if r.Dir != "" {
		if err := os.MkdirAll(r.Dir, 0o755); err != nil {
			return nil, fmt.Errorf("task: folds: %w", err)
		}
		var err error
		if log, err = atomicfile.OpenLines(filepath.Join(r.Dir, foldsFile), atomicfile.KeepAll); err != nil {
			return nil, fmt.Errorf("task: folds: %w", err)
		}
		defer log.Close()
	}
	total := len(jobs)
	jobs = slices.DeleteFunc(jobs, func(j *foldJob) bool {
		return slices.ContainsFunc(results, func(f FoldResult) bool { return f.Seed == j.seed && f.Fold == j.fold })
	})
	results = slices.DeleteFunc(results, func(f FoldResult) bool {
		return !slices.Contains(r.Seeds, f.Seed) || r.Folds != nil && !slices.Contains(r.Folds, f.Fold)
	})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	next := make(chan *foldJob)
	var wg sync.WaitGroup
	for range min(threads, len(jobs)) {
		wg.Go(func() {
			for j := range next {
				f, err := j.run(ctx, key)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				results = append(results, *f)
				if log != nil {
					if err := errors.Join(log.Append(f), log.Sync()); err != nil {
						cancel(err)
					}
				}
				if r.OnFold != nil {
					r.OnFold(len(results), total, *f)
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		select {
		case next <- j:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(results, func(a, b FoldResult) int {
		if a.Seed != b.Seed {
			return slices.Index(r.Seeds, a.Seed) - slices.Index(r.Seeds, b.Seed)
		}
		return a.Fold - b.Fold
	})
	return results, nil
}

func (j *foldJob) run(ctx context.Context, key string) (*FoldResult, error) {
	s := j.session
	training, valid := s.subsets[PartTrain].graphs, s.subsets[PartValid].graphs
	res, err := train.Fit(ctx, s.problem(), training, valid, s.config(), train.Options{})
	if err != nil {
		return nil, fmt.Errorf("task: seed %d, fold %d: %w", j.seed, j.fold, err)
	}
	test, err := s.Evaluate(ctx, PartTest)
	if err != nil {
		return nil, fmt.Errorf("task: seed %d, fold %d: %w", j.seed, j.fold, err)
	}
	f := &FoldResult{Seed: j.seed, Fold: j.fold, BestEpoch: res.BestEpoch, Epochs: len(res.History), Seconds: res.Seconds, Key: key}
	accuracy, _ := test.Scores.Get("accuracy")
	f.Accuracy = 100 * accuracy
	if best, ok := res.Best(); ok {
		v, _ := best.Valid.Get("accuracy")
		f.Valid = 100 * v
		f.ValidLoss, _ = best.Valid.Get("loss")
	}
	return f, nil
}

// summarise takes the mean over folds for each seed, and over those.
func summarise(results []FoldResult, seeds []uint64) *FoldsResult {
	out := &FoldsResult{Seeds: seeds, Results: results,
		Selection: "lowest validation loss, then one look at the test fold"}
	var perSeed, all []float64
	for _, seed := range seeds {
		var folds []float64
		for _, f := range results {
			if f.Seed == seed {
				folds = append(folds, f.Accuracy)
			}
		}
		mean, _ := report.MeanStd(folds)
		perSeed = append(perSeed, mean)
		all = append(all, folds...)
	}
	out.StdOver = "seeds"
	out.Cell = report.NewCell(perSeed)
	if len(seeds) == 1 {
		out.StdOver = "folds"
		out.Cell = report.NewCell(all)
	}
	out.Runs = len(all)
	return out
}
