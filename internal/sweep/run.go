package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Options say where a sweep is stored and who receives progress reports.
type Options struct {
	Dir      string // folder; made if missing
	Resume   bool   // continue the sweep in Dir
	Parallel int    // concurrent trials, at least 1; they share the threads of the request
	Command  string // command that asked for the sweep, for the record; may be empty
	// OnEvent is called for each epoch and each end of a trial; calls do not overlap. It must not keep
	// the trial.
	OnEvent func(Event)
}

// Event is a progress report about a trial.
type Event struct {
	Trial  *Trial
	Done   int    // trials that have finished or are paused at a rung
	Trials int    // of the sweep
	Best   *Trial // best finished trial so far; nil for none
}

// Study is a sweep with its trials.
type Study struct {
	Config   Config
	Dir      string
	Data     string // name
	Score    string // validation score that compares trials
	Maximise bool   // a larger score is better
	Trials   []*Trial
	Winner   *Winner
}

// Winner is the best trial, with the scores of the test part.
type Winner struct {
	Trial   *Trial
	Result  *session.TrainResult
	Session *session.Session
}

// sweep is a running Study.
type sweep struct {
	Study
	options Options
	input   *session.Input
	rungs   []int
	epochs  int // of a trial, and of its warm-up
	warmup  int
	journal *journal

	mu   sync.Mutex // protects trials and journal
	idle *sync.Cond // signalled when a worker may find work
}

// Run searches. If the context ends, Resume can continue from the folder. Errors for which
// settings.IsUsage holds are caused by input and settings.
func Run(ctx context.Context, c Config, o Options) (*Study, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if o.Parallel < 1 {
		return nil, settings.Misuse("sweep: --parallel is %d, expected at least 1", o.Parallel)
	}
	s := &sweep{Study: Study{Config: c, Dir: o.Dir}, options: o}
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
	if err = errors.Join(err, s.journal.lines.Close()); err != nil {
		return nil, err
	}
	return &s.Study, nil
}

// read reads the data and resolves the settings shared by all trials.
func (s *sweep) read(ctx context.Context) (plan, error) {
	var err error
	r := s.Config.Request
	if s.input, err = session.Read(ctx, r); err != nil {
		return plan{}, err
	}
	base, err := session.OpenOn(ctx, r, s.input)
	if err != nil {
		return plan{}, err
	}
	if len(base.Graphs(source.PartValid)) == 0 {
		return plan{}, settings.Misuse("sweep: the split of %s has no validation part, on which trials are compared", base.Data.Name())
	}
	for _, values := range s.Config.Space.unread(&base.Settings) {
		r.Given = s.Config.Request.Given.Over(values)
		if _, err := session.OpenOn(ctx, r, s.input); err != nil {
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

// lock prevents other processes from writing to the folder.
func (s *sweep) lock() (release func(), err error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return nil, settings.Misuse("sweep: %w", err)
	}
	release, err = atomicfile.Lock(s.Dir)
	if err != nil {
		return nil, settings.Misuse("sweep: %w", err)
	}
	return release, nil
}

// open creates the journal, or reads an existing one.
func (s *sweep) open(p plan, now func() time.Time) error {
	path := filepath.Join(s.Dir, journalFile)
	_, err := os.Stat(path)
	begun := err == nil
	switch {
	case begun && !s.options.Resume:
		return settings.Misuse("sweep: %s holds a sweep already; choose another folder, remove it, or continue it with --resume", s.Dir)
	case !begun:
		if err := header(path, filepath.Base(s.Dir), s.Maximise, p); err != nil {
			return settings.Misuse("sweep: %w", err)
		}
	}
	was, trials, err := replay(s.Dir)
	if err != nil {
		return err
	}
	if err := was.same(p, s.Dir); err != nil {
		return err
	}
	lines, err := atomicfile.OpenLines(path, atomicfile.KeepAll) // cuts an incomplete last line
	if err != nil {
		return settings.Misuse("sweep: %w", err)
	}
	s.journal, s.Trials = &journal{lines, now}, trials
	for _, t := range s.Trials {
		if t.Run != "" {
			atomicfile.Clean(filepath.Join(s.Dir, t.Run)) // a kill may have left temporary files
		}
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

// finish ends the paused trials and scores the test part for the winner.
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
	opened, err := s.session(ctx, best)
	if err != nil {
		return err
	}
	res, err := opened.Train(ctx, session.TrainOptions{Dir: filepath.Join(s.Dir, best.Run), Resume: true, Command: s.options.Command})
	if err != nil {
		return err
	}
	s.Winner = &Winner{Trial: best, Result: res, Session: opened}
	return nil
}
