package genetic

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// crowd are the members that share the best score. Once they are several, the score says no more of
// what is better, as where all parts have reached their limits; what counts then is that molecules differ.
type crowd struct {
	best     float64
	size     int
	distinct []*member // no two of them as alike as crowded
}

const (
	tie       = 1e-9
	saturated = 10  // members with the best score
	crowded   = 0.4 // similarity from which on molecules count less
	lessMost  = 0.1 // share of its score that a molecule loses which equals one of the crowd
)

func (c *crowd) add(m *member) {
	if m.Total > c.best+tie || c.size == 0 {
		*c = crowd{best: m.Total}
	}
	if m.Total < c.best-tie {
		return
	}
	c.size++
	if c.nearest(m.Bits) < crowded {
		c.distinct = append(c.distinct, m)
	}
}

func (c *crowd) saturated() bool { return c.size >= saturated }

// nearest is the similarity to the most similar of the distinct members.
func (c *crowd) nearest(of surrogate.Bits) (most float64) {
	for _, d := range c.distinct {
		most = max(most, surrogate.Similarity(of, d.Bits))
	}
	return most
}

// share is the part of its score that counts for a molecule: less for one that resembles the crowd.
func (c *crowd) share(of surrogate.Bits) float64 {
	return 1 - lessMost*max(0, c.nearest(of)-crowded)/(1-crowded)
}

// first puts the distinct members, the latest first, before the others of a list.
func (c *crowd) first(sorted []*member) []*member {
	out := slices.Clone(c.distinct)
	slices.Reverse(out)
	has := make(map[*member]bool, len(out))
	for _, m := range out {
		has[m] = true
	}
	return append(out, lists.Filter(sorted, func(m *member) bool { return !has[m] })...)
}
