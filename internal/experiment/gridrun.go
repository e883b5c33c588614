package experiment

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// jobsFile stores finished jobs, one JSON line each; underWay has a folder with the checkpoint of
// each running job.
const (
	jobsFile = "folds.jsonl"
	underWay = "jobs"
)

// jobInterval is the smallest time between two checkpoints of a job: most folds take less and write
// none.
const jobInterval = 30 * time.Second

// run trains the pending jobs and writes the tables.
func (g *Grid) run(ctx context.Context) error {
	started := time.Now()
	dir := g.request.Dir
	done, err := readJobs(dir)
	if err != nil {
		return err
	}
	var jobs []*job
	for i, row := range g.cells {
		for k, c := range row {
			c.adopt(done[c.key], g.Seeds)
			if g.follows(c) {
				continue
			}
			for _, j := range c.pending(g.Seeds) {
				jobs = append(jobs, &job{Job: j, cell: c, order: [3]int{slices.Index(g.Seeds, j.Seed), k, i}})
			}
		}
	}
	for _, j := range jobs {
		j.cell.column.left++
	}
	for _, c := range g.columns {
		c.release()
	}
	s := &scheduler{grid: g, jobs: jobs}
	if dir != "" {
		log, unlock, err := openLines(dir, jobsFile)
		if err != nil {
			return err
		}
		defer unlock()
		s.log = log
		if err := g.forgetKept(); err != nil {
			return err
		}
	}
	if len(jobs) > 0 {
		err = s.run(ctx)
	}
	if dir != "" {
		os.Remove(filepath.Join(dir, underWay)) // fails if a job is to be continued there
	}
	g.Seconds = time.Since(started).Seconds()
	if failed := g.failures(); err == nil && len(failed) > 0 {
		err = &GridError{failed}
	}
	if dir != "" && (len(jobs) == 0 || s.ended > 0) {
		err = errors.Join(err, g.writeFiles(dir))
	}
	return err
}

// adopt uses results of an earlier run, one for each requested seed and fold.
func (c *cell) adopt(results []JobResult, seeds []uint64) {
	for _, seed := range seeds {
		for _, fold := range c.folds {
			at := slices.IndexFunc(results, func(r JobResult) bool { return r.Seed == seed && r.Fold == fold })
			if at >= 0 {
				r := results[at]
				r.Row, r.Dataset = c.row.Name, c.column.Name // another grid may use other names
				c.results = append(c.results, r)
			}
		}
	}
	c.kept = len(c.results)
}

// release frees data that no job needs any more.
func (c *column) release() {
	if c.left == 0 {
		c.data, c.memory = nil, 0
	}
}

// readJobs returns the finished jobs of a folder by key.
func readJobs(dir string) (map[string][]JobResult, error) {
	out := map[string][]JobResult{}
	err := readLines(dir, jobsFile, func(r JobResult) {
		if r.Metric != "" { // otherwise it is from an earlier version with another format
			out[r.Key] = append(out[r.Key], r)
		}
	})
	return out, err
}

// readLines reads the values of a file of JSON lines; none if the folder or file does not exist. An incomplete last
// line is unfinished work and ignored.
func readLines[T any](dir, file string, use func(T)) error {
	if dir == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("experiment: %w", err)
	}
	for line := range bytes.Lines(text) {
		var v T
		if json.Unmarshal(line, &v) == nil {
			use(v)
		}
	}
	return nil
}

// openLines opens a file of finished work and locks it for this process.
func openLines(dir, file string) (log *atomicfile.Lines, release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, fmt.Errorf("experiment: %w", err)
	}
	unlock, err := atomicfile.Lock(dir)
	if held := (*atomicfile.HeldError)(nil); errors.As(err, &held) {
		return nil, nil, settings.Misuse("experiment: %v; wait for it or name another folder", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("experiment: %w", err)
	}
	log, err = atomicfile.OpenLines(filepath.Join(dir, file), atomicfile.KeepAll)
	if err != nil {
		unlock()
		return nil, nil, fmt.Errorf("experiment: %w", err)
	}
	return log, func() { log.Close(); unlock() }, nil
}

// job is a training to do.
type job struct {
	Job
	cell  *cell
	order [3]int // indices of seed, column and row in the request
	needs int64  // bytes, if more than the limit
}

// scheduler runs jobs, at most Grid.threads at a time, within the memory limit.
//
// Jobs are sorted by seed first, so that every cell has one number before any cell has two. Within
// a seed the largest job comes first, so that no large job runs alone at the end. A job that does
// not fit into memory with the running jobs waits, and smaller jobs run before it.
type scheduler struct {
	grid *Grid
	jobs []*job
	log  *atomicfile.Lines // nil stores nothing

	mu      sync.Mutex
	freed   *sync.Cond
	running int
	memory  int64 // of running jobs
	ended   int
	fatal   error // error of storing a result, which makes further jobs pointless
}

func (s *scheduler) run(ctx context.Context) error {
	s.freed = sync.NewCond(&s.mu)
	slices.SortStableFunc(s.jobs, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.order[0], b.order[0]), cmp.Compare(b.cell.work, a.cell.work),
			slices.Compare(a.order[:], b.order[:]), cmp.Compare(a.Fold, b.Fold))
	})
	// If there are fewer jobs than threads, a job gets several.
	each := max(1, s.grid.threads/max(len(s.jobs), 1))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.freed.Broadcast()
	})
	defer stop()
	all := par.Group{Stop: cancel}
	for range min(s.grid.threads, len(s.jobs)) {
		all.Go(func() {
			for {
				j := s.next(ctx)
				if j == nil {
					return
				}
				res, failure := s.do(ctx, j, each)
				if s.end(ctx, j, res, failure) != nil {
					cancel()
				}
			}
		})
	}
	all.Wait()
	if s.fatal != nil {
		return s.fatal
	}
	return context.Cause(ctx)
}

// next waits for a job that may start; nil if none is left.
func (s *scheduler) next(ctx context.Context) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil && len(s.jobs) > 0 {
		at := slices.IndexFunc(s.jobs, s.fits)
		if at < 0 && s.running == 0 {
			at = s.largest() // it can never fit, but others may when it has failed
			s.jobs[at].needs = s.grid.dataMemory() + s.jobs[at].cell.memory
		}
		if at >= 0 {
			j := s.jobs[at]
			s.jobs = slices.Delete(s.jobs, at, at+1)
			s.running++
			s.memory += j.cell.memory
			s.grid.notify(Event{Job: j.Job, Epochs: j.cell.settings.Train.Epochs, Grid: s.grid})
			return j
		}
		s.freed.Wait()
	}
	return nil
}

// largest is the job that needs the most memory.
func (s *scheduler) largest() int {
	at := 0
	for i, j := range s.jobs {
		if j.cell.memory > s.jobs[at].cell.memory {
			at = i
		}
	}
	return at
}

// fits reports whether a job may start in addition to the running jobs.
func (s *scheduler) fits(j *job) bool {
	limit := s.grid.request.MemoryLimit
	return limit <= 0 || s.grid.dataMemory()+s.memory+j.cell.memory <= limit
}

// do trains and tests.
func (s *scheduler) do(ctx context.Context, j *job, threads int) (res *JobResult, failure *JobFailure) {
	fail := func(err error) (*JobResult, *JobFailure) {
		return nil, &JobFailure{Job: j.Job, Error: err.Error()}
	}
	// A bug in one model must not end a grid that runs for days.
	defer func() {
		if v := recover(); v != nil {
			res, failure = nil, &JobFailure{Job: j.Job, Error: fmt.Sprintf("panic: %v", v), Stack: string(debug.Stack())}
		}
	}()
	if j.needs > 0 {
		return fail(fmt.Errorf("with the data of the table it takes about %s, and the memory limit is %s", memory.Text(j.needs), memory.Text(s.grid.request.MemoryLimit)))
	}
	opened, err := s.grid.open(ctx, j.cell, j.Job)
	if err != nil {
		return fail(err)
	}
	opened.Threads = threads
	epochs := opened.Settings.Train.Epochs
	fit, err := opened.Fit(ctx, session.FitOptions{Dir: s.underWay(j), Interval: jobInterval, OnEpoch: func(e train.EpochInfo) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.grid.notify(Event{Job: j.Job, Epoch: &e, Epochs: epochs, Grid: s.grid})
	}})
	if err != nil {
		return fail(err)
	}
	best, ok := fit.Best()
	if !ok {
		return fail(errors.New("no epoch has a validation score"))
	}
	test, err := opened.Evaluate(ctx, source.PartTest)
	if err != nil {
		return fail(err)
	}
	res = &JobResult{Job: j.Job, Metric: j.cell.column.protocol.Score, BestEpoch: fit.BestEpoch, Epochs: len(fit.History), Seconds: fit.Seconds, Key: j.cell.key}
	res.Test, _ = test.Scores.Get(res.Metric)
	res.Valid, _ = best.Valid.Get(res.Metric)
	res.ValidLoss, _ = best.Valid.Get("loss")
	if !j.cell.column.protocol.Lower {
		res.Test, res.Valid = 100*res.Test, 100*res.Valid
	}
	if math.IsNaN(res.Test) {
		return fail(fmt.Errorf("the %s of the test part could not be measured", task.ScoreTitle(res.Metric)))
	}
	for _, v := range []*float64{&res.Valid, &res.ValidLoss} {
		if math.IsNaN(*v) {
			*v = 0 // JSON can hold 0, and nothing uses the value
		}
	}
	return res, nil
}

// underWay is the folder from which a job continues if the grid is killed; empty if nothing is
// stored.
func (s *scheduler) underWay(j *job) string {
	if s.grid.request.Dir == "" {
		return ""
	}
	return j.cell.underWay(s.grid.request.Dir, j.Seed, j.Fold)
}

func (c *cell) underWay(dir string, seed uint64, fold int) string {
	return filepath.Join(dir, underWay, fmt.Sprintf("%s-%s-seed%d-fold%d", c.row.Name, c.key, seed, fold))
}

// forgetKept removes the checkpoints of finished jobs: a grid that is killed just after it stored a
// result leaves them.
func (g *Grid) forgetKept() error {
	for _, c := range slices.Concat(g.cells...) {
		for _, r := range c.results {
			if err := os.RemoveAll(c.underWay(g.request.Dir, r.Seed, r.Fold)); err != nil {
				return fmt.Errorf("experiment: %w", err)
			}
		}
	}
	return nil
}

// end records the result of a job.
func (s *scheduler) end(ctx context.Context, j *job, res *JobResult, failure *JobFailure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.memory -= j.cell.memory
	s.freed.Broadcast()
	if failure != nil && ctx.Err() != nil {
		return nil // it was interrupted
	}
	s.ended++
	c := j.cell
	if c.column.left--; c.column.left == 0 {
		c.column.release()
	}
	for _, c := range s.grid.alike(c) {
		if res != nil {
			r := *res
			r.Row = c.row.Name
			c.results = append(c.results, r)
			slices.SortFunc(c.results, func(a, b JobResult) int {
				return cmp.Or(slices.Index(s.grid.Seeds, a.Seed)-slices.Index(s.grid.Seeds, b.Seed), slices.Index(c.folds, a.Fold)-slices.Index(c.folds, b.Fold))
			})
		} else {
			f := *failure
			f.Row = c.row.Name
			c.failures = append(c.failures, f)
		}
	}
	if res != nil && s.log != nil {
		if err := errors.Join(s.log.Append(res), s.log.Sync()); err != nil {
			s.fatal = cmp.Or(s.fatal, fmt.Errorf("experiment: %w", err))
			return s.fatal
		}
	}
	if dir := s.underWay(j); dir != "" {
		if err := os.RemoveAll(dir); err != nil {
			s.fatal = cmp.Or(s.fatal, fmt.Errorf("experiment: %w", err))
			return s.fatal
		}
	}
	s.grid.notify(Event{Job: j.Job, Result: res, Failure: failure, Grid: s.grid})
	return nil
}

func (g *Grid) notify(e Event) {
	if g.request.OnEvent != nil {
		g.request.OnEvent(e)
	}
}
