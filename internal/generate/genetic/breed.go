package genetic

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// breeding has the settings of the children of a round.
type breeding struct {
	want, tries int
	pick        func(r *rand.Rand) *member
	mutation    float64
	// slots is the number of parents that are drawn as first parents. Each is the first parent of
	// equally many children. 0 draws both parents of every child.
	slots int
}

// child is a child of an operator, with the slot of its first parent.
type child struct {
	*operator.Child
	slot int
}

// breed makes children on all threads. It returns the first that are valid, new and distinct, up to
// the wanted number.
func (s *search) breed(ctx context.Context, b breeding) ([]child, error) {
	began := time.Now()
	defer func() { s.time.Breed += time.Since(began) }()
	var out []child
	seen := map[string]bool{}
	for tried := 0; tried < b.tries && len(out) < b.want; {
		numbers := make([]int, min(b.tries-tried, b.want-len(out)+(b.want-len(out))/8+1))
		for i := range numbers {
			numbers[i] = tried + i
		}
		tried += len(numbers)
		made, err := par.Map(ctx, s.config.Threads, numbers, func(number int) child {
			r := rng.Stream(s.config.Seed, "child", s.round, number)
			slot := -1
			if b.slots > 0 {
				slot = number % b.slots
			}
			first := slot >= 0
			c, err := s.Maker.Breed(r, func() *operator.Molecule {
				if first {
					first = false
					return b.pick(rng.Stream(s.config.Seed, "parent", s.round, slot)).graph
				}
				return b.pick(r).graph
			}, b.mutation)
			if err != nil { // a molecule that the toolkit cannot handle is no child
				c = nil
			}
			return child{c, slot}
		})
		if err != nil {
			return nil, err
		}
		s.time.Children += len(made)
		for _, c := range made {
			if c.Child != nil && len(out) < b.want && !s.pool.has(c.SMILES) && !seen[c.SMILES] {
				seen[c.SMILES] = true
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// settle parses children, in order, until n are new. Several children may then be the same
// molecule.
func (s *search) settle(ctx context.Context, children []child, n int) (out []settled, err error) {
	seen := map[string]bool{}
	for len(children) > 0 && len(out) < n {
		some := children[:min(n-len(out), len(children))]
		children = children[len(some):]
		read, err := par.Map(ctx, s.config.Threads, some, func(c child) settled {
			m, err := s.Maker.Settle(c.SMILES)
			return settled{m, c.Choices, err}
		})
		if err != nil {
			return nil, err
		}
		for _, r := range read {
			if r.err == nil && !s.pool.has(r.graph.SMILES) && !seen[r.graph.SMILES] {
				seen[r.graph.SMILES] = true
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// proportional returns a function that draws members with probability proportional to their scores.
func proportional(of []*member) func(r *rand.Rand) *member {
	sums := make([]float64, len(of))
	sum := 0.0
	for i, m := range of {
		sum += max(m.Total, 0) + 1e-10
		sums[i] = sum
	}
	return func(r *rand.Rand) *member {
		at := r.Float64() * sum
		lo, hi := 0, len(sums)-1
		for lo < hi {
			if mid := (lo + hi) / 2; sums[mid] < at {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return of[lo]
	}
}

// survivors returns the best molecules so far, which survive every generation. After a fresh start
// these are the best since then and the best of all before.
func (s *search) survivors() []*member {
	of := ranked(s.pool.all[s.fresh:])
	if s.fresh > 0 {
		before := ranked(s.pool.all[:s.fresh])
		of = ranked(append(of, before[:min(freshParents, len(before))]...))
	}
	return of[:min(population, len(of))]
}

// jensen makes a round of the graph GA.
func (s *search) jensen(ctx context.Context) ([]settled, error) {
	best := s.survivors()
	children, err := s.breed(ctx, breeding{want: offspring, tries: offspring, pick: proportional(best)})
	if err != nil {
		return nil, err
	}
	return s.settle(ctx, children, offspring)
}
