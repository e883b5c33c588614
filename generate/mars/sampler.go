package mars

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/generate/score"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Config says how chains are run. NewConfig has the settings of the published code.
type Config struct {
	Chains int    `json:"chains"`
	Steps  int    `json:"steps"`
	Seed   uint64 `json:"seed"`
	// Edges and Wide are those of NetworkConfig.
	Edges string `json:"edges"`
	Wide  int    `json:"wide,omitempty"`
	// Uniform proposes every edit with the same chance, and learns nothing.
	Uniform bool `json:"uniform,omitempty"`

	Buffer     int     `json:"buffer"`      // examples; with more than twice as many, so many are kept
	Batches    int     `json:"batches"`     // minibatches in a step at most
	BatchAtoms int     `json:"batch_atoms"` // of a minibatch, about
	Rate       float64 `json:"lr"`
	EdgeRate   float64 `json:"edge_lr"`          // of the representation of edges
	Cosine     bool    `json:"cosine,omitempty"` // EdgeRate warms up for a twentieth of all updates and falls along a cosine
	Clip       float64 `json:"clip"`             // largest norm of the gradients, 0 for any

	EvaluateEvery int `json:"evaluate_every"` // steps
	Patience      int `json:"patience"`       // evaluations without progress before the chains end

	// Threads is the number to use, 0 for all; results do not depend on it.
	Threads int `json:"-"`
}

// NewConfig is 1,000 chains of 1,000 steps.
func NewConfig() Config {
	return Config{Chains: 1000, Steps: 1000, Edges: EdgesMLP, Buffer: 50000, Batches: 25, BatchAtoms: 128 * 20,
		Rate: 3e-4, EdgeRate: 3e-4, Clip: 5, EvaluateEvery: 1, Patience: 100}
}

// Validate says which setting is out of range.
func (c Config) Validate() error {
	for _, s := range []struct {
		name         string
		value, least int
	}{{"chains", c.Chains, 1}, {"steps", c.Steps, 1}, {"buffer", c.Buffer, 1}, {"batches", c.Batches, 0}, {"batch atoms", c.BatchAtoms, 1},
		{"steps between evaluations", c.EvaluateEvery, 1}, {"patience", c.Patience, 1}} {
		if s.value < s.least {
			return fmt.Errorf("mars: %s: %d, expected at least %d", s.name, s.value, s.least)
		}
	}
	if !(c.Rate > 0) || !(c.EdgeRate > 0) || !(c.Clip >= 0) {
		return fmt.Errorf("mars: learning rates %v and %v, clip %v, expected numbers above 0", c.Rate, c.EdgeRate, c.Clip)
	}
	return nil
}

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

// Scored is a molecule with its values, in the order of score.Set.Names.
type Scored struct {
	SMILES string    `json:"smiles"`
	Values []float64 `json:"values"`
	Target float64   `json:"target"`
}

// Progress is an evaluation.
type Progress struct {
	Step        int          `json:"step"` // from 0
	Temperature float64      `json:"temperature"`
	Mean        float64      `json:"mean"`  // of the target
	Atoms       float64      `json:"atoms"` // on the mean
	Invalid     float64      `json:"invalid"`
	Accepted    float64      `json:"accepted"` // share of chains that moved
	Improved    float64      `json:"improved"`
	Buffer      int          `json:"buffer"`
	Loss        float64      `json:"loss"` // mean of the step before, 0 where nothing was learned
	Sets        []Evaluation `json:"sets"`
}

// Move is a step of a chain that changed its molecule.
type Move struct {
	Step   int     `json:"step"`
	SMILES string  `json:"smiles"` // after it
	Target float64 `json:"target"`
	// Arm is what was added; empty where a bond was cut.
	Arm string `json:"arm,omitempty"`
}

// Seconds is where the time of a run went.
type Seconds struct {
	Propose  float64 `json:"propose"` // the network, and edits with it
	Score    float64 `json:"score"`
	Evaluate float64 `json:"evaluate"`
	Learn    float64 `json:"learn"`
	All      float64 `json:"all"`
}

// Result is what chains came to.
type Result struct {
	Steps   int        `json:"steps"`
	Stalled bool       `json:"stalled"` // they ended early
	History []Progress `json:"history"`
	Final   []Scored   `json:"final"` // of all chains, in their order
	// Best are the distinct molecules of the largest target, then of the largest mean without
	// clips, that any chain was at, at most 100.
	Best  []Scored `json:"best"`
	Paths [][]Move `json:"paths"` // of the first chains
	// Calls of each score; UniformDraws of a proposal whose weights said nothing.
	Calls        []score.Calls `json:"calls"`
	UniformDraws int           `json:"uniform_draws"`
	Examples     int           `json:"examples"` // of improvements, all together
	// DeadShare is Network.DeadShare at the end; 0 without a network.
	DeadShare float64 `json:"dead_share"`
	Seconds   Seconds `json:"seconds"`
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
			if ctx.Err() != nil { // the step left nothing behind
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
	texts := make([]string, len(s.Start))
	for i, m := range s.Start {
		texts[i] = m.SMILES
	}
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

// proposal is what a step makes of a chain.
type proposal struct {
	draws
	accept float64 // a uniform number
	edit   edit
	to     chain
	valid  bool
}

// one is a step. Until everything that can fail is done, the sampler stays as it is; what
// remains is learning, which is not interrupted.
func (s *sampler) one(ctx context.Context) error {
	begin := time.Now()
	lap := func(to *float64) {
		now := time.Now()
		*to += now.Sub(begin).Seconds()
		begin = now
	}
	next, err := s.propose(ctx)
	lap(&s.result.Seconds.Propose)
	if err != nil {
		return err
	}
	err = s.score(ctx, next)
	lap(&s.result.Seconds.Score)
	if err != nil {
		return err
	}
	annealing := s.annealing
	p := Progress{Step: s.step, Temperature: annealing.next(), Loss: s.loss}
	chains, examples := s.accept(next, &p)
	evaluated := s.step%s.EvaluateEvery == 0
	if evaluated {
		p.Sets, err = s.judge.evaluate(ctx, chains)
	}
	lap(&s.result.Seconds.Evaluate)
	if err != nil {
		return err
	}
	s.keep(chains, next)
	s.annealing = annealing
	s.buffer = s.trimmed(append(s.buffer, examples...))
	s.result.Examples += len(examples)
	p.Buffer = len(s.buffer)
	if evaluated {
		for _, c := range chains {
			p.Mean += c.target / float64(len(chains))
			p.Atoms += float64(c.at.heavy) / float64(len(chains))
		}
		s.atoms = p.Atoms
		s.progress.advance(s.Patience, p.Sets, p.Mean)
		s.result.History = append(s.result.History, p)
	}
	err = s.learn(context.WithoutCancel(ctx))
	lap(&s.result.Seconds.Learn)
	s.step++
	if evaluated && s.OnStep != nil {
		s.OnStep(p)
	}
	return err
}

// propose draws an edit of every chain and makes it.
func (s *sampler) propose(ctx context.Context) ([]proposal, error) {
	next, of, draw := make([]proposal, len(s.chains)), make([]*Molecule, len(s.chains)), make([]draws, len(s.chains))
	for i, c := range s.chains {
		r := rng.Stream(s.Seed, "mars", "step", s.step, i)
		draw[i] = draws{act: r.Float64(), edge: r.Float64(), atom: r.Float64(), arm: r.Float64()}
		next[i] = proposal{draws: draw[i], accept: r.Float64()}
		of[i] = c.at
	}
	var mu sync.Mutex
	var failed error
	err := s.proposer.propose(ctx, of, draw, func(i int, e edit) {
		var to *Molecule
		var err error
		if e.add {
			to, err = s.Editor.Add(of[i], int(e.at), int(e.arm))
		} else {
			to, err = s.Editor.Delete(of[i], int(e.at))
		}
		next[i].edit, next[i].to.at, next[i].valid = e, to, err == nil
		if err != nil && !errors.Is(err, ErrInvalid) {
			mu.Lock()
			defer mu.Unlock()
			failed = fmt.Errorf("mars: an edit of %s: %w", of[i].SMILES, err)
		}
	})
	return next, cmp.Or(err, failed)
}

// score gives the proposed molecules their values.
func (s *sampler) score(ctx context.Context, next []proposal) error {
	var texts []string
	var of []int
	for i, p := range next {
		if p.valid {
			texts, of = append(texts, p.to.at.SMILES), append(of, i)
		}
	}
	values, err := s.Scores.Score(ctx, texts)
	if err != nil {
		return err
	}
	for k, i := range of {
		next[i].to.values, next[i].to.target = values[k], s.Scores.Target(values[k])
	}
	return nil
}

// smallest is what a target is taken for at least where it is divided by.
const smallest = 1e-6

// accept says where the chains go, and which edits were improvements. An edit that is not valid
// leaves its chain where it is.
func (s *sampler) accept(next []proposal, p *Progress) (chains []chain, examples []example) {
	chains = slices.Clone(s.chains)
	one := 1 / float64(len(chains))
	for i, n := range next {
		c := &chains[i]
		switch {
		case !n.valid:
			p.Invalid += one
			continue
		case n.to.target > c.target:
			p.Improved += one
			examples = append(examples, example{c.at, n.edit})
		}
		chance := math.Pow(min(1, n.to.target/max(c.target, smallest)), 1/p.Temperature)
		if n.accept < chance {
			p.Accepted += one
			*c = n.to
		}
	}
	return chains, examples
}

// keep moves the chains and remembers the best molecules and the first paths.
func (s *sampler) keep(chains []chain, next []proposal) {
	for i, c := range chains {
		if c.at == s.chains[i].at {
			continue
		}
		s.praise(c)
		if i < len(s.result.Paths) {
			m := Move{Step: s.step, SMILES: c.at.SMILES, Target: c.target}
			if e := next[i].edit; e.add {
				m.Arm = s.Editor.Arm(int(e.arm)).SMILES
			}
			s.result.Paths[i] = append(s.result.Paths[i], m)
		}
	}
	s.chains = chains
}

// praise puts a molecule among the best, if it is one.
func (s *sampler) praise(c chain) {
	if s.best[c.at.SMILES] {
		return
	}
	of := Scored{c.at.SMILES, c.values, c.target}
	at, _ := slices.BinarySearchFunc(s.result.Best, of, s.compare)
	if at == maxBest {
		return
	}
	s.best[of.SMILES] = true
	if len(s.result.Best) == maxBest {
		delete(s.best, s.result.Best[maxBest-1].SMILES)
		s.result.Best = s.result.Best[:maxBest-1]
	}
	s.result.Best = slices.Insert(s.result.Best, at, of)
}

// compare orders molecules from the best on.
func (s *sampler) compare(a, b Scored) int {
	return cmp.Or(cmp.Compare(b.Target, a.Target), cmp.Compare(s.Scores.Mean(b.Values), s.Scores.Mean(a.Values)), cmp.Compare(a.SMILES, b.SMILES))
}

// trimmed leaves a random half of a buffer that has grown to more than twice its size.
func (s *sampler) trimmed(buffer []example) []example {
	if len(buffer) <= 2*s.Buffer {
		return buffer
	}
	r := rng.Stream(s.Seed, "mars", "buffer", s.step)
	for i := range s.Buffer {
		j := i + r.IntN(len(buffer)-i)
		buffer[i], buffer[j] = buffer[j], buffer[i]
	}
	return slices.Clone(buffer[:s.Buffer])
}

// learn makes one pass over the shuffled buffer, of so many minibatches at most.
func (s *sampler) learn(ctx context.Context) error {
	if s.learner == nil || len(s.buffer) == 0 {
		return nil
	}
	size := max(1, int(float64(s.BatchAtoms)/max(s.atoms, 1)))
	order := make([]int32, len(s.buffer))
	for i := range order {
		order[i] = int32(i)
	}
	r := rng.Stream(s.Seed, "mars", "minibatches", s.step)
	batch := make([]example, 0, size)
	sum, batches := 0.0, 0
	for i := range order {
		j := i + r.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
		if batch = append(batch, s.buffer[order[i]]); len(batch) < size && i < len(order)-1 {
			continue
		}
		if batches == s.Batches {
			break
		}
		loss, err := s.learner.step(ctx, batch)
		if err != nil {
			return err
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("mars: the loss is %v in step %d", loss, s.step)
		}
		sum, batches, batch = sum+loss, batches+1, batch[:0]
	}
	if batches > 0 {
		s.loss = sum / float64(batches)
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

// annealing is the temperature, which falls by a twentieth every sixth step.
type annealing struct {
	Falls int `json:"falls"`
	Count int `json:"count"` // of steps since
}

// coldest is the lowest temperature.
const coldest = 0.01

// next is the temperature of the next step: 1 for five steps, then 0.95^k for six steps each.
func (a *annealing) next() float64 {
	if a.Count == 5 {
		a.Falls, a.Count = a.Falls+1, 0
	} else {
		a.Count++
	}
	return max(math.Pow(0.95, float64(a.Falls)), coldest)
}
