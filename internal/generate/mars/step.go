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

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// proposal is the proposed edit of a chain in a step.
type proposal struct {
	accept float64 // a uniform number
	edit   edit
	to     chain
	valid  bool
}

// runStep makes one step. The state of the sampler does not change until all work that can be
// interrupted is done. Learning and the evaluation then run in parallel. Learning needs only the
// size of the molecules from the evaluation.
func (s *sampler) runStep(ctx context.Context) error {
	begin := time.Now()
	lap := func(to *float64) {
		now := time.Now()
		*to += now.Sub(begin).Seconds()
		begin = now
	}
	next, scored := s.propose(ctx)
	lap(&s.result.Seconds.Propose)
	err := scored()
	lap(&s.result.Seconds.Score)
	if err != nil {
		return err
	}
	annealing := s.annealing
	p := Progress{Step: s.step, Temperature: annealing.next(), Loss: s.loss}
	chains, examples := s.accept(next, &p)
	s.keep(chains, next)
	s.annealing = annealing
	s.buffer = s.trimmed(append(s.buffer, examples...))
	s.result.Examples += len(examples)
	p.Buffer = len(s.buffer)
	ctx = context.WithoutCancel(ctx)
	evaluated := s.step%s.EvaluateEvery == 0
	var wg sync.WaitGroup
	var failed error
	if evaluated {
		for _, c := range chains {
			p.Mean += c.target / float64(len(chains))
			p.Atoms += float64(c.at.heavy) / float64(len(chains))
		}
		s.atoms = p.Atoms
		wg.Go(func() {
			begin := time.Now()
			p.Sets, failed = s.judge.evaluate(ctx, chains)
			s.result.Seconds.Evaluate += time.Since(begin).Seconds()
		})
	}
	err = s.learn(ctx)
	lap(&s.result.Seconds.Learn)
	wg.Wait()
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	s.step++
	if evaluated {
		s.progress.advance(s.Patience, p.Sets, p.Mean)
		s.result.History = append(s.result.History, p)
		if s.OnStep != nil {
			s.OnStep(p)
		}
	}
	return nil
}

// propose draws and makes an edit of every chain. Results are scored while others are drawn, so
// only the last scores are waited for. scored waits for them.
func (s *sampler) propose(ctx context.Context) (next []proposal, scored func() error) {
	next = make([]proposal, len(s.chains))
	of, draw, broken := make([]*Molecule, len(s.chains)), make([]draws, len(s.chains)), make([]error, len(s.chains))
	for i, c := range s.chains {
		r := rng.Stream(s.Seed, "mars", "step", s.step, i)
		draw[i] = draws{act: r.Float64(), edge: r.Float64(), atom: r.Float64(), arm: r.Float64()}
		next[i] = proposal{accept: r.Float64()}
		of[i] = c.at
	}
	return next, s.proposer.propose(ctx, of, draw, func(i int, e edit) {
		var to *Molecule
		var err error
		if e.add {
			to, err = s.Editor.Add(of[i], int(e.at), int(e.arm))
		} else {
			to, err = s.Editor.Delete(of[i], int(e.at))
		}
		next[i].edit, next[i].to.at, next[i].valid = e, to, err == nil
		if err != nil && !errors.Is(err, ErrInvalid) {
			broken[i] = fmt.Errorf("mars: an edit of %s: %w", of[i].SMILES, err)
		}
	}, func(ids []int32) error {
		for _, i := range ids {
			if broken[i] != nil {
				return broken[i]
			}
		}
		return s.score(ctx, next, ids)
	})
}

// score computes the values of the proposed molecules of some chains.
func (s *sampler) score(ctx context.Context, next []proposal, ids []int32) error {
	var texts []string
	var of []int32
	for _, i := range ids {
		if next[i].valid {
			texts, of = append(texts, next[i].to.at.SMILES), append(of, i)
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

// smallest is the lower bound of a target in a division.
const smallest = 1e-6

// accept returns the next state of the chains and the edits that were improvements. If an edit is
// invalid, its chain does not change.
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

// keep sets the state of the chains and stores the best molecules and the first paths.
func (s *sampler) keep(chains []chain, next []proposal) {
	for i, c := range chains {
		if c.at == s.chains[i].at {
			continue
		}
		s.addBest(c)
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

// addBest adds a molecule to the best molecules, if it is among them.
func (s *sampler) addBest(c chain) {
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

// compare orders molecules, best first.
func (s *sampler) compare(a, b Scored) int {
	return cmp.Or(cmp.Compare(b.Target, a.Target), cmp.Compare(s.Scores.Mean(b.Values), s.Scores.Mean(a.Values)), cmp.Compare(a.SMILES, b.SMILES))
}

// trimmed returns the buffer, or a random Config.Buffer of its examples if it has more than twice
// as many.
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

// learn makes one pass over the shuffled buffer, with a limited number of minibatches.
func (s *sampler) learn(ctx context.Context) error {
	if s.learner == nil || len(s.buffer) == 0 {
		return nil
	}
	size := max(1, int(float64(s.BatchAtoms)/max(s.atoms, 1)))
	order := lists.Range[int32](len(s.buffer))
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
