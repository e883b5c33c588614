package genetic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/proposal"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Progress is the progress of a search.
type Progress struct {
	Calls        int
	Best, Mean10 float64 // the best score, and the mean of the best 10
}

// Result is the result of a search.
type Result struct {
	// All are the molecules in the order of their calls.
	All []Scored
	// Ended says why the search ended before its budget was used. It is empty if it did not.
	Ended    string
	Children int // number of children made in this process
	// Breed, Model and Objective are the times for making children, for the model and for scores.
	Breed, Model, Objective time.Duration
}

// search is a search in progress.
type search struct {
	Task
	config  Config
	pool    pool
	crowd   crowd
	round   int
	used    int // number of molecules of the start list used so far
	empty   int // number of rounds in a row without a new molecule
	fresh   int // number of calls when molecules of the start list were last added
	kernel  surrogate.Kernel
	since   int  // number of calls when the phase with a separate population began, 0 for none
	begin   bool // whether a separate population begins in the next round
	peak    float64
	peaked  int               // number of calls when the mean of the population's best last rose
	reached int               // number of members of the crowd; an increase is progress, too
	network *proposal.Network // predicts the chances of bonds; nil if all are equal
	time    Result
}

// Run searches until the budget is used, or until the start list is used up and no child is new. If
// ctx ends, it returns an error, and the journal has the rounds so far.
func Run(ctx context.Context, t Task, c Config) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &search{Task: t, config: c, pool: pool{by: map[string]*member{}}}
	j, lines, err := openJournal(t.Journal)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if err := s.replay(ctx, lines); err != nil {
		return nil, err
	}
	for len(s.pool.all) < c.Calls {
		if err := s.propose(ctx); err != nil {
			return nil, err
		}
		l, graphs, err := s.next(ctx)
		if errors.Is(err, errEnd) {
			s.time.Ended = err.Error()
			break
		}
		if err != nil {
			return nil, err
		}
		if err := j.append(l); err != nil {
			return nil, err
		}
		if err := s.enter(l, graphs); err != nil {
			return nil, err
		}
		s.tell()
	}
	for _, m := range s.pool.all {
		s.time.All = append(s.time.All, m.Scored)
	}
	if len(s.time.All) > c.Calls { // the journal is that of a larger budget
		s.time.All = s.time.All[:c.Calls]
	}
	return &s.time, nil
}

// errEnd says that a search finds no more molecules.
var errEnd = errors.New("no new molecule was found, and the list of start molecules is at its end")

// next makes a round and returns its scored molecules.
func (s *search) next(ctx context.Context) (line, []settled, error) {
	l := line{Round: s.round, Used: s.used, Kernel: s.kernel}
	var graphs []settled
	var err error
	switch {
	case s.round == 0 || s.config.Search == Random:
		graphs, err = s.take(ctx, s.config.Start, &l.Used)
	case s.begin:
		graphs, err = s.take(ctx, s.config.Fresh, &l.Used)
	case s.empty >= emptyRounds:
		if graphs, err = s.take(ctx, s.config.Start, &l.Used); err == nil && len(graphs) == 0 {
			err = errEnd
		}
	case s.config.Search == GraphGA:
		graphs, err = s.jensen(ctx)
	default:
		graphs, err = s.guided(ctx, &l)
	}
	if err != nil {
		return l, nil, err
	}
	if len(graphs) == 0 && s.config.Search == Random || len(graphs) == 0 && s.round == 0 {
		return l, nil, errEnd
	}
	graphs = graphs[:min(len(graphs), s.config.Calls-len(s.pool.all))]
	for _, g := range graphs {
		l.SMILES = append(l.SMILES, g.graph.SMILES)
		if s.learns() {
			l.Choices = append(l.Choices, lists.Filter(g.choices, func(c operator.Choice) bool { return s.pool.has(c.Parent) }))
		}
	}
	if len(graphs) > 0 {
		began := time.Now()
		if l.Values, err = s.Objective.Score(ctx, l.SMILES); err != nil {
			return l, nil, err
		}
		s.time.Objective += time.Since(began)
	}
	return l, graphs, nil
}

// parts returns the number of parts of a score, from the first molecule.
func (s *search) parts(l line) int {
	if len(s.pool.all) > 0 {
		return len(s.pool.all[0].Values)
	}
	return len(l.Values[0])
}

// enter adds the molecules of a round to the pool and counts the round.
func (s *search) enter(l line, graphs []settled) error {
	for i, g := range graphs {
		total := s.Objective.Combine(l.Values[i])
		if math.IsNaN(total) || math.IsInf(total, 0) {
			return fmt.Errorf("genetic: the score of %s is %v", l.SMILES[i], total)
		}
		m := &member{Scored: Scored{SMILES: l.SMILES[i], Values: l.Values[i], Total: total, Start: l.Used > s.used}, graph: g.graph, Molecule: surrogate.Molecule{Bits: surrogate.NewBits(g.graph.Counts), Composition: g.graph.Composition}}
		if l.Choices != nil {
			m.choices = l.Choices[i]
		}
		s.pool.add(m)
		s.crowd.add(m)
	}
	if l.Used > s.used && l.Round > 0 {
		s.fresh = len(s.pool.all) - len(graphs)
	}
	s.round, s.used, s.kernel = l.Round+1, l.Used, l.Kernel
	s.empty++
	if len(graphs) > 0 {
		s.empty = 0
	}
	if s.begin && len(graphs) == 0 { // the rest of the start list has no valid molecule
		s.since = 0
	}
	s.begin = false
	if s.config.Stagnation > 0 && s.config.Search == GA {
		s.watch()
	}
	return nil
}

func (s *search) tell() {
	if s.OnRound == nil {
		return
	}
	sorted := ranked(s.pool.all)
	s.OnRound(Progress{Calls: len(s.pool.all), Best: sorted[0].Total, Mean10: meanBest(sorted, 10)})
}

// settled is a molecule that can be scored, or the reason why it cannot.
type settled struct {
	graph   *operator.Molecule
	choices []operator.Choice
	err     error
}

func (s *search) known(smiles string) settled {
	m, err := s.Maker.Known(smiles)
	return settled{graph: m, err: err}
}

// take returns the next n new molecules of the start list and adds the number of entries that it
// read to used.
func (s *search) take(ctx context.Context, n int, used *int) (out []settled, err error) {
	seen := map[string]bool{}
	for len(out) < n && *used < len(s.Start) {
		some := s.Start[*used:min(*used+n-len(out), len(s.Start))]
		*used += len(some)
		read, err := par.Map(ctx, s.config.Threads, some, func(text string) settled {
			m, err := s.Maker.Read(text)
			return settled{graph: m, err: err}
		})
		if err != nil {
			return nil, err
		}
		for _, r := range read {
			if r.err == nil && r.graph.Charges <= s.Maker.Charges && !s.pool.has(r.graph.SMILES) && !seen[r.graph.SMILES] {
				seen[r.graph.SMILES] = true
				out = append(out, r)
			}
		}
	}
	return out, nil
}
