package genetic

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// guided is a round of GA.
func (s *search) guided(ctx context.Context, l *line) ([]settled, error) {
	l.Island = s.round % s.config.Islands
	sorted := ranked(s.here(l.Island))
	batch := min(max(int(batchShare*float64(len(s.pool.all))), leastBatch), mostBatch)
	want := max(leastPool, perCall*batch)
	children, err := s.breed(ctx, breeding{want: want, tries: 2 * want, mutation: mutation, pick: s.picker(sorted), slots: s.slots(batch)})
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

// here are the members that an island knows: its own, and all until the last merge.
func (s *search) here(island int) (out []*member) {
	merged := len(s.pool.all) / s.config.Merge * s.config.Merge
	for _, m := range s.population() {
		if s.config.Islands == 1 || m.Call <= merged || m.island == island || m.Call <= s.config.Start {
			out = append(out, m)
		}
	}
	return out
}

// picker draws parents of GA.
func (s *search) picker(sorted []*member) func(r *rand.Rand) *member {
	if s.crowd.saturated() && s.since == 0 {
		sorted = s.crowd.first(sorted)
	}
	best := sorted[:min(parents, len(sorted))]
	if s.config.Niche > 0 && rng.Stream(s.config.Seed, "niche", s.round).Float64() < s.config.Niche {
		best = niches(best, s.config.NicheSize)
	}
	inProportion := proportional(best[:min(population, len(best))])
	var lists [][]*member
	if s.config.Specialists > 0 {
		lists = s.specialists(sorted)
	}
	return func(r *rand.Rand) *member {
		if s.config.Proportional > 0 && r.Float64() < s.config.Proportional {
			return inProportion(r)
		}
		from := best
		if len(lists) > 0 && r.Float64() < s.config.Specialists {
			from = lists[r.IntN(len(lists))]
		}
		n := math.Ceil(float64(len(from)) * math.Pow(10, -3*r.Float64()))
		return from[r.IntN(max(1, int(n)))]
	}
}

// order lists children, the one to be scored first first.
func (s *search) order(sorted []*member, children []child, batch int, l *line) ([]child, error) {
	train := s.training(sorted)
	bits := make([]surrogate.Bits, len(train))
	parts := len(train[0].Values)
	if parts == 1 {
		parts = 0
	}
	columns := make([][]float64, parts+1)
	for i, m := range train {
		bits[i] = m.bits
		for c := range parts {
			columns[c] = append(columns[c], m.Values[c])
		}
		columns[parts] = append(columns[parts], m.Total)
	}
	noise := s.noise
	if s.round%refitRounds < s.config.Islands {
		noise = 0
	}
	model, err := surrogate.Fit(s.config.Threads, bits, columns, noise)
	if err != nil {
		return nil, err
	}
	l.Noise = model.Noise
	of := make([]surrogate.Bits, len(children))
	for i, c := range children {
		of[i] = surrogate.NewBits(c.Counts)
	}
	p := model.Predict(of)
	r := rng.Stream(s.config.Seed, "choice", s.round)
	bound := math.Pow(10, -1+1.5*r.Float64())
	shares := make([]float64, len(children))
	for i := range shares {
		shares[i] = 1
		if s.crowd.saturated() {
			shares[i] = s.crowd.share(of[i])
		}
	}
	return s.alternate(r, p, bound, parts, batch, children, shares), nil
}

// slots is how many of a batch are chosen among the children of one parent each.
func (s *search) slots(batch int) int { return int(s.config.Local * float64(batch)) }

// training are the members that the model learns: the best, and some others.
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

// alternate takes children in turn by two bounds: the upper bound of the total, and the total of the upper
// bounds of the parts. A score of one part has the first alone.
func (s *search) alternate(r *rand.Rand, p *surrogate.Prediction, bound float64, parts, batch int, children []child, shares []float64) []child {
	n := len(children)
	bounds := []func(i int) float64{func(i int) float64 { return shares[i] * (p.Mean[parts][i] + bound*p.Deviation(parts, i)) }}
	if parts > 0 {
		of := make([]float64, parts)
		bounds = append(bounds, func(i int) float64 {
			for c := range of {
				of[c] = p.Mean[c][i] + bound*p.Deviation(c, i)
			}
			return shares[i] * s.Objective.Bound(of)
		})
	}
	var order []child
	taken := make([]bool, n)
	take := func(i int) {
		taken[i] = true
		order = append(order, children[i])
	}
	for _, i := range r.Perm(n)[:min(n, int(s.config.Unguided*float64(batch)))] {
		take(i)
	}
	if n := s.slots(batch); n > 0 {
		for _, slot := range r.Perm(n) {
			best, most := -1, math.Inf(-1)
			for i, c := range children {
				if c.slot == slot && !taken[i] {
					if v := bounds[slot%len(bounds)](i); v > most {
						best, most = i, v
					}
				}
			}
			if best >= 0 {
				take(best)
			}
		}
	}
	if s.config.Spread {
		for len(order) < min(n, batch) {
			best, most := -1, math.Inf(-1)
			for i := range n {
				if !taken[i] {
					if v := bounds[len(order)%len(bounds)](i); v > most {
						best, most = i, v
					}
				}
			}
			take(best)
			p.Know(best)
		}
	}
	lists := make([][]int, len(bounds))
	for k, b := range bounds {
		values := make([]float64, n)
		for i := range n {
			values[i] = b(i)
		}
		lists[k] = descending(values)
	}
	for at := make([]int, len(lists)); len(order) < n; {
		for k, list := range lists {
			for at[k] < n && taken[list[at[k]]] {
				at[k]++
			}
			if at[k] < n {
				take(list[at[k]])
			}
		}
	}
	return order
}

// descending lists the indices of numbers from the largest on, the first first of equal ones.
func descending(of []float64) []int {
	at := make([]int, len(of))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(of[b], of[a]) })
	return at
}
