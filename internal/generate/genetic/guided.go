package genetic

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// guided makes a round of GA.
func (s *search) guided(ctx context.Context, l *line) ([]settled, error) {
	sorted := ranked(s.population())
	batch := min(max(int(batchShare*float64(len(s.pool.all))), leastBatch), mostBatch)
	want := max(leastPool, perCall*batch)
	if s.config.PerCall > 0 {
		want = s.config.PerCall * batch
	}
	children, err := s.breed(ctx, breeding{want: want, tries: 2 * want, mutation: mutation, pick: s.picker(sorted), slots: slots(batch)})
	if err != nil || len(children) == 0 {
		return nil, err
	}
	began := time.Now()
	order, err := s.order(sorted, children, batch, l)
	s.time.Model += time.Since(began)
	if err != nil {
		return nil, err
	}
	return s.settle(ctx, order, batch)
}

// picker returns a function that draws parents of GA.
func (s *search) picker(sorted []*member) func(r *rand.Rand) *member {
	if s.crowd.saturated() && s.since == 0 {
		sorted = s.crowd.first(sorted)
	}
	best := sorted[:min(parents, len(sorted))]
	best = families(best, family)
	lists := s.specialists(sorted)
	return func(r *rand.Rand) *member {
		from := best
		if len(lists) > 0 && r.Float64() < special {
			from = lists[r.IntN(len(lists))]
		}
		n := math.Ceil(float64(len(from)) * math.Pow(10, -3*r.Float64()))
		return from[r.IntN(max(1, int(n)))]
	}
}

// order returns the children in the order in which they should be scored.
func (s *search) order(sorted []*member, children []child, batch int, l *line) ([]child, error) {
	model, err := s.learn(s.training(sorted))
	if err != nil {
		return nil, err
	}
	l.Kernel = model.Kernel
	of := lists.Map(children, func(c child) surrogate.Molecule {
		return surrogate.Molecule{Bits: surrogate.NewBits(c.Counts), Composition: c.Composition}
	})
	r := rng.Stream(s.config.Seed, "choice", s.round)
	bounds := s.bounds(model.Predict(of), math.Pow(10, -1+1.5*r.Float64()), len(s.pool.all[0].Values))
	if s.crowd.saturated() {
		for i, m := range of {
			share := s.crowd.share(m.Bits)
			for _, values := range bounds {
				values[i] *= share
			}
		}
	}
	return choose(r, children, bounds, slots(batch)), nil
}

// learn fits the Gaussian process to the totals and, if there are several parts, to the parts of
// the scores.
func (s *search) learn(train []*member) (*surrogate.Model, error) {
	var columns [][]float64
	if parts := len(train[0].Values); parts > 1 {
		columns = make([][]float64, parts)
	}
	var totals []float64
	for _, m := range train {
		for c := range columns {
			columns[c] = append(columns[c], m.Values[c])
		}
		totals = append(totals, m.Total)
	}
	kernel := s.kernel
	if s.round%refitRounds == 0 {
		kernel = surrogate.Kernel{}
	}
	return surrogate.Fit(s.config.Threads, lists.Map(train, func(m *member) surrogate.Molecule { return m.Molecule }), append(columns, totals), kernel)
}

// bounds returns the numbers by which children are chosen: the upper bounds of their totals, and
// the totals of the upper bounds of the parts. If the score has one part, it returns only the
// first.
func (s *search) bounds(p *surrogate.Prediction, width float64, parts int) [][]float64 {
	upper := make([][]float64, len(p.Mean))
	for c := range upper {
		upper[c] = make([]float64, len(p.Mean[c]))
		for i := range upper[c] {
			upper[c][i] = p.Mean[c][i] + width*p.Deviation(c, i)
		}
	}
	if parts == 1 {
		return upper
	}
	total := upper[parts]
	combined, of := make([]float64, len(total)), make([]float64, parts)
	for i := range combined {
		for c := range of {
			of[c] = upper[c][i]
		}
		combined[i] = s.Objective.Bound(of)
	}
	return [][]float64{total, combined}
}

// slots returns the number of molecules of a batch that are chosen among the children of one parent
// each. If all were chosen among all children, the children of one parent could fill the batch.
func slots(batch int) int { return int(local * float64(batch)) }

// training returns the members that the model learns from: the best, and some others.
func (s *search) training(sorted []*member) []*member {
	n := min(trainBest, len(sorted))
	train := slices.Clone(sorted[:n])
	rest := sorted[n:]
	if s.since > 0 {
		rest = slices.Concat(rest, s.pool.all[:s.since])
	}
	r := rng.Stream(s.config.Seed, "training", s.round)
	for _, i := range r.Perm(len(rest))[:min(trainRandom, len(rest))] {
		train = append(train, rest[i])
	}
	return train
}

// choose orders children: first the best of each slot, with the slots in random order and the
// bounds in turn, then all others, by the bounds in turn.
func choose(r *rand.Rand, children []child, bounds [][]float64, slots int) (order []child) {
	taken := make([]bool, len(children))
	take := func(i int) {
		taken[i] = true
		order = append(order, children[i])
	}
	ordered := lists.Map(bounds, descending)
	for _, slot := range r.Perm(slots) {
		list := ordered[slot%len(ordered)]
		if at := slices.IndexFunc(list, func(i int) bool { return children[i].slot == slot }); at >= 0 {
			take(list[at])
		}
	}
	for at := make([]int, len(ordered)); len(order) < len(children); {
		for k, list := range ordered {
			for at[k] < len(list) && taken[list[at[k]]] {
				at[k]++
			}
			if at[k] < len(list) {
				take(list[at[k]])
			}
		}
	}
	return order
}

// descending returns the indices of numbers in descending order of the numbers. Equal numbers keep
// their order.
func descending(of []float64) []int {
	at := lists.Range[int](len(of))
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(of[b], of[a]) })
	return at
}
