package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/train"
)

// seriesFile stores the results of a series, one JSON line each.
const seriesFile = "trainings.jsonl"

// series runs trainings with results of type R, at most one for each thread at a time, and stores
// each result at once, so that a killed series continues. A running training continues from its
// checkpoint. series is for experiments that are not a grid of models by data sets.
type series[R any] struct {
	dir   string // stores results and checkpoints; empty stores nothing
	calls *call
	stage string // name in progress reports
	done  map[string]R
	log   *atomicfile.Lines
	close func()

	diverged []string // names of trainings that diverged but have a result

	mu            sync.Mutex
	ended, epochs int // epochs of the stage: finished, and all
}

// training is one training of a series.
type training[R any] struct {
	// what describes everything that the result depends on, as plain data.
	what   any
	name   string // name in progress reports
	epochs int    // at most
	do     func(ctx context.Context, w work) (R, error)
}

// work is the environment of a training of a series.
type work struct {
	threads    int
	checkpoint *train.Checkpoint // nil for no checkpoints
	onEpoch    func(train.EpochInfo)
}

// seriesLine is a line of seriesFile.
type seriesLine[R any] struct {
	Key    string `json:"key"`
	Result R      `json:"result"`
}

// openSeries opens the folder of a series; call finish at the end.
func openSeries[R any](c *call, dir string) (*series[R], error) {
	s := &series[R]{dir: dir, calls: c, done: map[string]R{}, close: func() {}}
	if dir == "" {
		return s, nil
	}
	err := readLines(dir, seriesFile, func(l seriesLine[R]) { s.done[l.Key] = l.Result })
	if err != nil {
		return nil, err
	}
	s.log, s.close, err = openLines(dir, seriesFile)
	return s, err
}

// seriesRun runs an experiment that makes a request from its options and runs a series of trainings
// in its folder (runs/NAME by default) or in the folder of --trainings. The document's files are
// written to the folder.
func seriesRun[Q, R any](name string, request func(context.Context, *call) (Q, error), document func(context.Context, *call, Q, *series[R]) (*report.Document, error)) func(context.Context, *call) (*report.Document, error) {
	return func(ctx context.Context, c *call) (*report.Document, error) {
		q, err := request(ctx, c)
		if err != nil {
			return nil, err
		}
		dir := c.outOr(name)
		kept, _ := c.Options["trainings"].(string)
		s, err := openSeries[R](c, cmp.Or(kept, dir))
		if err != nil {
			return nil, err
		}
		defer s.finish()
		d, err := document(ctx, c, q, s)
		if err != nil {
			return nil, err
		}
		return s.write(d, dir)
	}
}

// finish removes files that only a running series needs.
func (s *series[R]) finish() {
	if s.dir != "" {
		os.Remove(filepath.Join(s.dir, underWay)) // fails if a training is to be continued there
	}
	s.close()
}

// key identifies a training.
func (t training[R]) key() (string, error) {
	text, err := json.Marshal(t.what)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), err
}

// run does trainings and returns their results in order. If the context ends and a folder stores
// the results, the error is an Interrupted.
func (s *series[R]) run(ctx context.Context, stage string, list []training[R]) ([]R, error) {
	out := make([]R, len(list))
	keys := make([]string, len(list))
	var todo []int
	s.stage, s.ended, s.epochs = stage, 0, 0
	for i, t := range list {
		var err error
		if keys[i], err = t.key(); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		if r, ok := s.done[keys[i]]; ok {
			out[i] = r
			continue
		}
		todo = append(todo, i)
		s.epochs += t.epochs
	}
	threads := max(s.calls.Threads, 1)
	each := max(1, threads/max(len(todo), 1))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(threads, len(todo)) {
		wg.Go(func() {
			for i := range next {
				r, err := s.one(ctx, list[i], keys[i], each)
				if err != nil {
					cancel(err)
					return
				}
				out[i] = r
			}
		})
	}
send:
	for _, i := range todo {
		select {
		case next <- i:
		case <-ctx.Done():
			break send
		}
	}
	close(next)
	wg.Wait()
	err := context.Cause(ctx)
	if err != nil && errors.Is(err, context.Canceled) && s.dir != "" {
		err = &Interrupted{Dir: s.dir, Err: err}
	}
	for i, r := range out {
		if e, ok := any(r).(interface{ diverged() bool }); ok && e.diverged() && !slices.Contains(s.diverged, list[i].name) {
			s.diverged = append(s.diverged, list[i].name)
		}
	}
	return out, err
}

// write writes the files of the experiment. A remark below the table lists the trainings that diverged.
func (s *series[R]) write(d *report.Document, dir string) (*report.Document, error) {
	if len(s.diverged) > 0 {
		d.Remarks = append(d.Remarks, "Diverged, and counted with the weights of the best epoch before: "+strings.Join(s.diverged, "; ")+".")
	}
	return d, d.WriteFiles(dir)
}

// one does a training and stores its result.
func (s *series[R]) one(ctx context.Context, t training[R], key string, threads int) (R, error) {
	w := work{threads: threads}
	if s.dir != "" {
		w.checkpoint = &train.Checkpoint{Dir: filepath.Join(s.dir, underWay, key), Resume: true, Interval: jobInterval, Identity: key}
	}
	before := 0
	w.onEpoch = func(e train.EpochInfo) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended += e.Epoch - before
		before = e.Epoch
		s.notify(fmt.Sprintf("%s, loss %.4f", t.name, e.TrainLoss))
	}
	r, err := t.do(ctx, w)
	if err != nil {
		return r, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended += t.epochs - before // epochs that early stopping saved
	s.notify(t.name + " has ended")
	s.done[key] = r
	if s.dir == "" {
		return r, nil
	}
	err = errors.Join(s.log.Append(seriesLine[R]{key, r}), s.log.Sync(), os.RemoveAll(w.checkpoint.Dir))
	if err != nil {
		err = fmt.Errorf("experiment: %w", err)
	}
	return r, err
}

func (s *series[R]) notify(text string) {
	if s.calls.OnStage != nil {
		s.calls.OnStage(s.stage, s.ended, max(s.epochs, 1), text)
	}
}
