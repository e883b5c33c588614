package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// search runs the trials.
func (s *sweep) search(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle.Broadcast()
	})()
	var wg sync.WaitGroup
	for range s.options.Parallel {
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

// next waits for work and starts a new trial if one is due. A job without a trial means the end.
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
	t := &Trial{Number: n, Settings: values, Value: math.NaN(), Run: runName(n), at: s.Config.Space.point(values)}
	if err := s.journal.trial(s.Config.Space, values, t.Run); err != nil {
		return nil, err
	}
	s.Trials = append(s.Trials, t)
	return t, nil
}

// errPaused ends a training at a rung, or by the median rule.
var errPaused = errors.New("the trial stops here")

// train trains a trial up to an epoch and records the result.
func (s *sweep) train(ctx context.Context, j job) error {
	t := j.trial
	opened, err := s.session(ctx, t)
	if err == nil {
		_, err = opened.CheckMemory("")
	}
	if err != nil {
		if settings.IsUsage(err) { // contradictory settings, or too little memory
			return s.end(t, Failed, math.NaN(), err)
		}
		return err
	}
	part, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.mu.Lock()
	pruned := s.belowMedian(t) // a kill may have prevented the record of this
	s.mu.Unlock()
	if pruned {
		return s.end(t, Pruned, s.best(t, len(t.Scores)), nil)
	}
	res, err := opened.Train(part, session.TrainOptions{Dir: filepath.Join(s.Dir, t.Run), Resume: s.options.Resume || len(t.Scores) > 0, Command: s.options.Command, HoldTest: true,
		OnEpoch: func(e train.EpochInfo) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if err := s.epoch(t, e); err != nil {
				stop(err)
				return
			}
			s.report(t)
			if pruned = s.belowMedian(t); pruned || e.Epoch >= j.until && e.Epoch < s.epochs {
				stop(errPaused)
			}
		}})
	diverged := (*train.DivergedError)(nil)
	switch cause := context.Cause(part); {
	case err == nil:
		v, ok := res.Valid.Get(s.Score)
		if s.Score == "loss" && opened.Task.Number { // of standardised numbers, like the scores of pruned trials
			v = s.best(t, len(t.Scores))
		}
		if !ok || math.IsNaN(v) {
			return s.end(t, Failed, math.NaN(), fmt.Errorf("there is no validation %s", s.Score))
		}
		return s.end(t, Complete, v, nil)
	case errors.As(err, &diverged):
		return s.end(t, Failed, math.NaN(), err)
	case errors.Is(cause, errPaused) && pruned:
		return s.end(t, Pruned, s.best(t, len(t.Scores)), nil)
	case errors.Is(cause, errPaused):
		return s.pause(t)
	case cause != nil:
		return cause
	}
	return fmt.Errorf("sweep: trial %d: %w", t.Number, err)
}

// session opens the session of a trial.
func (s *sweep) session(ctx context.Context, t *Trial) (*session.Session, error) {
	r := s.Config.Request
	r.Given = r.Given.Over(t.Settings)
	r.Threads = max(1, cmp.Or(r.Threads, runtime.NumCPU())/s.options.Parallel)
	return session.OpenOn(ctx, r, s.input)
}

// pause pauses a trial at its rung.
func (s *sweep) pause(t *Trial) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.busy = false
	s.idle.Broadcast()
	s.report(t)
	return s.journal.lines.Sync()
}

// end ends a trained trial; NaN means no score.
func (s *sweep) end(t *Trial, state State, value float64, failure error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.busy = false
	s.idle.Broadcast()
	err := s.record(t, state, value, failure)
	s.report(t)
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

func (s *sweep) report(t *Trial) {
	if s.options.OnEvent == nil {
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
	if busy > 0 && e.Done+busy >= e.Trials { // trials that continue from a rung were counted before
		e.Done = e.Trials - busy
	}
	s.options.OnEvent(e)
}
