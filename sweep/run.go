package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/task"
	"github.com/ehgnn/ehgnn/train"
)

// Options say where a sweep is kept, and who is told about it.
type Options struct {
	Dir      string // folder; made where there is none
	Resume   bool   // go on with the sweep in Dir
	Parallel int    // trials at a time, at least 1; they share the threads of the request
	Command  string // by which the sweep was asked for, for the record; may be empty
	// OnEvent is told of each epoch and each end of a trial; calls do not overlap. It must not
	// keep the trial.
	OnEvent func(Event)
}

// Event is something that has happened to a trial.
type Event struct {
	Trial  *Trial
	Done   int    // trials that have ended or wait at a rung
	Trials int    // of the sweep
	Best   *Trial // so far, of those that have ended; nil for none
}

// Study is a sweep with its trials.
type Study struct {
	Config   Config
	Dir      string
	Data     string // name
	Score    string // validation score by which trials are compared
	Maximise bool   // larger is better
	Trials   []*Trial
	Winner   *Winner
}

// Winner is the best trial, with the scores of the test part.
type Winner struct {
	Trial   *Trial
	Result  *task.TrainResult
	Session *task.Session
}

// sweep is a Study under way.
type sweep struct {
	Study
	Options
	dir     string
	input   *task.Input
	rungs   []int
	epochs  int // of a trial, and those of its warm-up
	warmup  int
	journal *journal

	mu   sync.Mutex // over trials and journal
	idle *sync.Cond // signalled when a worker may find something to do
}

// Run searches. When the context ends, the folder has what Resume goes on from. Errors for
// which task.IsUsage holds are due to input and settings.
func Run(ctx context.Context, c Config, o Options) (*Study, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if o.Parallel < 1 {
		return nil, task.Misuse("sweep: --parallel is %d, expected at least 1", o.Parallel)
	}
	s := &sweep{Study: Study{Config: c, Dir: o.Dir}, Options: o, dir: o.Dir}
	s.idle = sync.NewCond(&s.mu)
	p, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	release, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.open(p, time.Now); err != nil {
		return nil, err
	}
	err = s.search(ctx)
	if err == nil {
		err = s.finish(ctx)
	}
	return &s.Study, errors.Join(err, s.journal.lines.Close())
}

// read reads the data and resolves what all trials share.
func (s *sweep) read(ctx context.Context) (plan, error) {
	var err error
	r := s.Config.Request
	if s.input, err = task.Read(ctx, r); err != nil {
		return plan{}, err
	}
	base, err := task.OpenOn(ctx, r, s.input)
	if err != nil {
		return plan{}, err
	}
	if len(base.Graphs(task.PartValid)) == 0 {
		return plan{}, task.Misuse("sweep: the split of %s has no validation part, on which trials are compared", base.Data.Name())
	}
	for _, values := range s.Config.Space.unread(&base.Settings) {
		r.Given = s.Config.Request.Given.Over(values)
		if _, err := task.OpenOn(ctx, r, s.input); err != nil {
			return plan{}, err
		}
	}
	t := base.Settings.Train
	s.Data, s.Score, s.Maximise = base.Data.Name(), cmp.Or(t.Monitor.Metric, "loss"), t.Monitor.Maximize
	s.epochs, s.warmup, s.rungs = t.Epochs, t.Schedule.WarmupEpochs, []int{math.MaxInt}
	if s.Config.Pruner == PrunerASHA {
		s.rungs = rungs(s.epochs, s.warmup)
	}
	return s.Config.plan(base)
}

// lock makes this process the only one that writes to the folder.
func (s *sweep) lock() (release func(), err error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, task.Misuse("sweep: %w", err)
	}
	release, err = atomicfile.Lock(s.dir)
	if err != nil {
		return nil, task.Misuse("sweep: %w", err)
	}
	return release, nil
}

// open begins the journal, or reads the one that is there.
func (s *sweep) open(p plan, now func() time.Time) error {
	path := filepath.Join(s.dir, journalFile)
	_, err := os.Stat(path)
	begun := err == nil
	switch {
	case begun && !s.Resume:
		return task.Misuse("sweep: %s holds a sweep already; choose another folder, remove it, or continue it with --resume", s.dir)
	case !begun:
		if err := header(path, filepath.Base(s.dir), s.Maximise, p); err != nil {
			return task.Misuse("sweep: %w", err)
		}
	}
	was, trials, err := replay(s.dir)
	if err != nil {
		return err
	}
	if err := was.same(p, s.dir); err != nil {
		return err
	}
	lines, err := atomicfile.OpenLines(path, atomicfile.KeepAll) // cuts a torn last line
	if err != nil {
		return task.Misuse("sweep: %w", err)
	}
	s.journal, s.Trials = &journal{lines, now}, trials
	for _, t := range s.Trials {
		if t.State != Running {
			continue
		}
		if err := s.catchUp(t); err != nil {
			return err
		}
	}
	if p.Trials != was.Trials {
		return s.journal.attr(planAttr, p)
	}
	return nil
}

// search does the trials.
func (s *sweep) search(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle.Broadcast()
	})()
	var wg sync.WaitGroup
	for range s.Parallel {
		wg.Go(func() {
			for {
				j, err := s.next(ctx)
				if err == nil && j.trial == nil {
					return
				}
				if err == nil {
					err = s.train(ctx, j)
				}
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// next waits for something to do, and begins a trial where that is due; a job without a trial
// is the end.
func (s *sweep) next(ctx context.Context) (job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if ctx.Err() != nil {
			return job{}, context.Cause(ctx)
		}
		j, fresh, wait := s.pick()
		switch {
		case fresh:
			t, err := s.begin()
			if err != nil {
				return job{}, err
			}
			j.trial = t
		case wait:
			s.idle.Wait()
			continue
		}
		if j.trial != nil {
			j.trial.busy = true
		}
		return j, nil
	}
}

// begin creates the next trial.
func (s *sweep) begin() (*Trial, error) {
	n := len(s.Trials)
	var past []observation
	for _, t := range s.Trials {
		o := observation{at: t.at, score: t.Value, ended: t.State == Complete, epoch: len(t.Scores)}
		if !o.ended {
			o.score = s.best(t, len(t.Scores))
		}
		if !s.Maximise {
			o.score = -o.score
		}
		if !t.busy && t.State != Failed && !math.IsNaN(o.score) {
			past = append(past, o)
		}
	}
	values := s.Config.Space.draw(s.Config.Sampler, s.Config.Request.Seed, n, past)
	t := &Trial{Number: n, Settings: values, Value: math.NaN(), Run: runName(n), Begun: time.Now(), at: s.Config.Space.point(values)}
	if err := s.journal.trial(s.Config.Space, values, t.Run); err != nil {
		return nil, err
	}
	s.Trials = append(s.Trials, t)
	return t, nil
}

// errPaused ends a training at a rung or by the median rule.
var errPaused = errors.New("the trial stops here")

// train trains a trial up to an epoch and records what came of it.
func (s *sweep) train(ctx context.Context, j job) error {
	t := j.trial
	session, err := s.session(ctx, t)
	if err == nil {
		_, err = session.Foresee("")
	}
	if err != nil {
		if task.IsUsage(err) { // settings that do not go together, or need too much memory
			return s.end(t, Failed, math.NaN(), err)
		}
		return err
	}
	part, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.mu.Lock()
	pruned := s.hopeless(t) // a kill may have come before that was recorded
	s.mu.Unlock()
	if pruned {
		return s.end(t, Pruned, s.best(t, len(t.Scores)), nil)
	}
	res, err := session.Train(part, task.TrainOptions{Dir: filepath.Join(s.dir, t.Run), Resume: s.Resume || len(t.Scores) > 0, Command: s.Command, HoldTest: true,
		OnEpoch: func(e train.EpochInfo) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if err := s.epoch(t, e); err != nil {
				stop(err)
				return
			}
			s.tell(t)
			if pruned = s.hopeless(t); pruned || e.Epoch >= j.until && e.Epoch < s.epochs {
				stop(errPaused)
			}
		}})
	diverged := (*train.DivergedError)(nil)
	switch cause := context.Cause(part); {
	case err == nil:
		v, ok := res.Valid.Get(s.Score)
		if !ok || math.IsNaN(v) {
			return s.end(t, Failed, math.NaN(), fmt.Errorf("there is no validation %s", s.Score))
		}
		return s.end(t, Complete, v, nil)
	case errors.As(err, &diverged):
		return s.end(t, Failed, math.NaN(), err)
	case errors.Is(cause, errPaused) && pruned:
		return s.end(t, Pruned, s.best(t, len(t.Scores)), nil)
	case errors.Is(cause, errPaused):
		return s.free(t)
	case cause != nil:
		return cause
	}
	return fmt.Errorf("sweep: trial %d: %w", t.Number, err)
}

// session opens a trial.
func (s *sweep) session(ctx context.Context, t *Trial) (*task.Session, error) {
	r := s.Config.Request
	r.Given = r.Given.Over(t.Settings)
	r.Threads = max(1, cmp.Or(r.Threads, runtime.NumCPU())/s.Parallel)
	return task.OpenOn(ctx, r, s.input)
}

// free lets a trial wait at its rung.
func (s *sweep) free(t *Trial) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.busy = false
	s.idle.Broadcast()
	s.tell(t)
	return s.journal.lines.Sync()
}

// end ends a trial that was trained; a NaN is no score.
func (s *sweep) end(t *Trial, state State, value float64, failure error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.busy = false
	s.idle.Broadcast()
	err := s.record(t, state, value, failure)
	s.tell(t)
	return err
}

// record writes the end of a trial.
func (s *sweep) record(t *Trial, state State, value float64, failure error) error {
	t.State, t.Value = state, value
	attrs := []attr{{"epochs", len(t.Scores)}}
	if failure != nil {
		t.Error = failure.Error()
		attrs = append(attrs, attr{errorAttr, t.Error})
	}
	var kept *float64
	if !math.IsNaN(value) {
		kept = &t.Value
	}
	return s.journal.end(t.Number, state, kept, attrs)
}

func (s *sweep) tell(t *Trial) {
	if s.OnEvent == nil {
		return
	}
	e := Event{Trial: t, Trials: s.Config.Trials, Best: s.Best()}
	busy := 0
	for _, o := range s.Trials {
		switch {
		case o.busy:
			busy++
		case o.State != Running || len(o.Scores) > 0:
			e.Done++
		}
	}
	if busy > 0 && e.Done+busy >= e.Trials { // those that go on from a rung came to it before
		e.Done = e.Trials - busy
	}
	s.OnEvent(e)
}

// Best is the trial with the best score of those that were trained to their end, the first of
// equals; nil for none.
func (s *Study) Best() (best *Trial) {
	for _, t := range s.Trials {
		if t.State == Complete && (best == nil || s.better(t.Value, best.Value)) {
			best = t
		}
	}
	return best
}

// finish ends the trials that still wait, and scores the test part for the winner.
func (s *sweep) finish(ctx context.Context) error {
	for _, t := range s.Trials {
		if t.State == Running {
			if err := s.record(t, Pruned, s.best(t, len(t.Scores)), nil); err != nil {
				return err
			}
		}
	}
	best := s.Best()
	if best == nil {
		for _, t := range s.Trials {
			if t.Error != "" {
				return fmt.Errorf("sweep: no trial has a score; trial %d: %s", t.Number, t.Error)
			}
		}
		return errors.New("sweep: no trial has a score")
	}
	session, err := s.session(ctx, best)
	if err != nil {
		return err
	}
	res, err := session.Train(ctx, task.TrainOptions{Dir: filepath.Join(s.dir, best.Run), Resume: true, Command: s.Command})
	if err != nil {
		return err
	}
	s.Winner = &Winner{Trial: best, Result: res, Session: session}
	return nil
}
