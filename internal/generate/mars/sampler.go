package mars

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Task is the problem that chains solve.
type Task struct {
	Editor     *Editor
	Scores     *score.Set
	Start      []*Molecule // chain i begins with molecule i modulo their number
	Thresholds []Thresholds
	Reference  []string // known molecules, for the novelty of successes
	// OnStep is called after each evaluation. It may be nil.
	OnStep func(Progress)
	// Checkpoint stores the run. If it is nil, nothing is stored.
	Checkpoint *Checkpoint
}

const (
	maxBest  = 100
	maxPaths = 4
)

// chain is the current molecule of a chain.
type chain struct {
	at     *Molecule
	values []float64
	target float64
}

// sampler is a run in progress.
type sampler struct {
	Config
	Task
	judge    *judge
	proposer *proposer
	learner  *learner // nil if proposals are uniform

	chains    []chain
	buffer    []example
	annealing annealing
	progress  progress
	step      int     // number of finished steps
	atoms     float64 // mean heavy atoms at the last evaluation
	loss      float64
	result    Result
	best      map[string]bool
	earlier   []score.Calls // calls before the checkpoint from which the run was resumed
}

// Run runs chains for all steps or until they stop improving. If ctx ends, it writes a checkpoint
// and returns an error.
func Run(ctx context.Context, t Task, c Config) (*Result, error) {
	s, err := newSampler(ctx, t, c)
	if err != nil {
		return nil, err
	}
	keep, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	for s.step < c.Steps && s.progress.Patience > 0 {
		begin := time.Now()
		err := s.runStep(ctx)
		s.result.Seconds.All += time.Since(begin).Seconds()
		if err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // the interrupted step changed nothing
				err = errors.Join(ctx.Err(), keep.save(s))
			}
			return nil, err
		}
		if err := keep.saveIfDue(s); err != nil {
			return nil, err
		}
	}
	if err := keep.save(s); err != nil {
		return nil, err
	}
	return s.finish(), nil
}

func newSampler(ctx context.Context, t Task, c Config) (*sampler, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(t.Start) == 0 {
		return nil, fmt.Errorf("mars: no molecule to begin with")
	}
	s := &sampler{Config: c, Task: t, progress: progress{Patience: c.Patience}, best: map[string]bool{}}
	var network *Network
	var err error
	if !c.Uniform {
		if network, err = NewNetwork(NetworkConfig{Edges: c.Edges, Arms: t.Editor.NumArms(), Wide: c.Wide, Seed: c.Seed}); err != nil {
			return nil, err
		}
		if s.learner, err = newLearner(network, c); err != nil {
			return nil, err
		}
	}
	s.proposer = newProposer(network, t.Editor.NumArms(), c.Threads)
	if s.judge, err = newJudge(ctx, t.Editor.toolkit, c.Threads, t.Scores.Names(), t.Thresholds, t.Reference); err != nil {
		return nil, err
	}
	return s, nil
}

// begin sets the chains to their start molecules.
func (s *sampler) begin(ctx context.Context) error {
	texts := lists.Map(s.Start, func(m *Molecule) string { return m.SMILES })
	values, err := s.Scores.Score(ctx, texts)
	if err != nil {
		return err
	}
	s.chains = make([]chain, s.Chains)
	for i := range s.chains {
		k := i % len(s.Start)
		s.chains[i] = chain{s.Start[k], values[k], s.Scores.Target(values[k])}
		s.addBest(s.chains[i])
	}
	s.result.Paths = make([][]Move, min(maxPaths, s.Chains))
	for i := range s.result.Paths {
		s.result.Paths[i] = []Move{{Step: -1, SMILES: s.chains[i].at.SMILES, Target: s.chains[i].target}}
	}
	return nil
}

// finish returns the result of the chains in their current state.
func (s *sampler) finish() *Result {
	r := s.result
	r.Steps, r.Stalled = s.step, s.step < s.Steps
	r.UniformDraws += int(s.proposer.uniform.Load())
	r.Calls = s.calls()
	var at []*Molecule
	for _, c := range s.chains {
		r.Final = append(r.Final, Scored{c.at.SMILES, c.values, c.target})
		at = append(at, c.at)
	}
	if s.learner != nil {
		r.DeadShare = s.learner.network.DeadShare(at)
	}
	return &r
}

// calls returns the calls of the scores, including those before the checkpoint.
func (s *sampler) calls() []score.Calls {
	out := s.Scores.Calls()
	for k := range s.earlier {
		out[k].Molecules += s.earlier[k].Molecules
		out[k].Failed += s.earlier[k].Failed
	}
	return out
}
