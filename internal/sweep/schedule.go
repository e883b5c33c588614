package sweep

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Names of pruners.
const (
	PrunerASHA   = "asha"
	PrunerMedian = "median"
	PrunerNone   = "none"
)

// Pruners lists the names of pruners, default first.
func Pruners() []string { return []string{PrunerASHA, PrunerMedian, PrunerNone} }

const (
	// reduction is the factor between rungs. 1/reduction of the trials at a rung continue.
	reduction = 3
	// deepest is the largest number of rungs below the last epoch.
	deepest = 3
	// leastEnded is how many trials of a sweep are trained to the end, if it has so many. Programs such
	// as Optuna compute the importance of settings only from finished trials, which needs this many.
	leastEnded = 3
	// peers is how many trials must have finished before the median rule ends one.
	peers = 5
)

// rungs returns the epochs at which ASHA pauses a trial; the last one is its end. There is no rung
// before the end of the learning rate warm-up, because scores mean little there.
func rungs(epochs, warmup int) []int {
	out := []int{epochs}
	for at := epochs / reduction; len(out) <= deepest && at >= max(warmup, 1); at /= reduction {
		out = append(out, at)
	}
	slices.Reverse(out)
	return out
}

// job is the task of a worker: to train a trial up to an epoch.
type job struct {
	trial *Trial
	until int
}

// pick decides what a free worker does. First it continues a trial interrupted by a kill. Next it
// promotes the best trial of a rung, highest rung first (Li et al., "A System for Massively
// Parallel Hyperparameter Tuning", MLSys 2020, algorithm 2). Next it starts a new trial. Otherwise
// it waits while other workers are busy, because their results may allow a promotion.
func (s *sweep) pick() (j job, fresh, wait bool) {
	busy := false
	for _, t := range s.Trials {
		if t.State != Running {
			continue
		}
		if t.busy {
			busy = true
			continue
		}
		last := len(s.rungs) - 1
		if k, at := slices.BinarySearch(s.rungs, len(t.Scores)); !at || k == last {
			return job{t, s.rungs[min(k, last)]}, false, false
		}
	}
	all := len(s.Trials) >= s.Config.Trials
	for k := len(s.rungs) - 2; k >= 0; k-- {
		if t := s.promotable(k, all && !busy); t != nil {
			return job{t, s.rungs[k+1]}, false, false
		}
	}
	if !all {
		return job{nil, s.rungs[0]}, true, false
	}
	return job{}, false, busy
}

// promotable is the best trial that is paused at a rung and belongs to the best share of all trials
// that reached it; nil for none. At the end of a sweep, at least leastEnded trials of a rung
// continue.
func (s *sweep) promotable(k int, end bool) *Trial {
	at := s.rungs[k]
	here := lists.Filter(s.Trials, func(t *Trial) bool { return t.State != Failed && (len(t.Scores) >= at || t.State == Complete) })
	slices.SortStableFunc(here, func(a, b *Trial) int {
		x, y := s.best(a, at), s.best(b, at)
		switch {
		case s.better(x, y):
			return -1
		case s.better(y, x):
			return 1
		}
		return cmp.Compare(a.Number, b.Number)
	})
	n := len(here) / reduction
	if end {
		n = max(n, min(leastEnded, len(here)))
	}
	for _, t := range here[:n] {
		if t.State == Running && !t.busy && len(t.Scores) == at {
			return t
		}
	}
	return nil
}

// belowMedian is the median rule (Golovin et al., "Google Vizier", KDD 2017, in Optuna's form): it
// reports whether the best score of a trial is worse than the median of the best scores of others
// up to the same epoch.
func (s *sweep) belowMedian(t *Trial) bool {
	epoch := len(t.Scores)
	if s.Config.Pruner != PrunerMedian || epoch < rungs(s.epochs, s.warmup)[0] || epoch >= s.epochs {
		return false
	}
	var others []float64
	for _, o := range s.Trials {
		if v := s.best(o, epoch); o.State == Complete && !math.IsNaN(v) {
			others = append(others, v)
		}
	}
	if len(others) < peers {
		return false
	}
	slices.Sort(others)
	n := len(others)
	return s.better((others[(n-1)/2]+others[n/2])/2, s.best(t, epoch))
}
