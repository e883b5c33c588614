package mars

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Task is what chains are run for.
type Task struct {
	Editor     *Editor
	Scores     *score.Set
	Start      []*Molecule // chain i begins at number i modulo their number
	Thresholds []Thresholds
	Reference  []string // known molecules, by which successes are new or not
	// OnStep is told of each evaluation; nil for nobody.
	OnStep func(Progress)
	// Checkpoint keeps the run; nil for nothing.
	Checkpoint *Checkpoint
}

const (
	maxBest  = 100
	maxPaths = 4
)

// chain is a molecule on its way.
type chain struct {
	at     *Molecule
	values []float64
	target float64
}

// sampler is a run under way.
type sampler struct {
	Config
	Task
	judge    *judge
	proposer *proposer
	learner  *learner // nil for uniform proposals

	chains    []chain
	buffer    []example
	annealing annealing
	progress  progress
	step      int     // done
	atoms     float64 // mean heavy atoms at the last evaluation
	loss      float64
	result    Result
	best      map[string]bool
	earlier   []score.Calls // before the checkpoint that the run goes on from
}

// Run runs chains until their steps are done or they get no better. A context that ends is
// an error, after a checkpoint.
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
		err := s.one(ctx)
		s.result.Seconds.All += time.Since(begin).Seconds()
		if err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // the step was interrupted and left nothing behind
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

// begin puts the chains at their start.
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
		s.praise(s.chains[i])
	}
	s.result.Paths = make([][]Move, min(maxPaths, s.Chains))
	for i := range s.result.Paths {
		s.result.Paths[i] = []Move{{Step: -1, SMILES: s.chains[i].at.SMILES, Target: s.chains[i].target}}
	}
	return nil
}

// finish is the result of the chains as they are.
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

// calls are those of the scores, with those before the checkpoint.
func (s *sampler) calls() []score.Calls {
	out := s.Scores.Calls()
	for k := range s.earlier {
		out[k].Molecules += s.earlier[k].Molecules
		out[k].Failed += s.earlier[k].Failed
	}
	return out
}
