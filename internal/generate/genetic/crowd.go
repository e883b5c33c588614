package genetic

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// crowd has the members that share the best score. If there are several, for example because all
// parts have reached their limits, the score does not tell which is better. Then different
// molecules are preferred.
type crowd struct {
	best     float64
	size     int
	distinct []*member // no two of them have a similarity of crowded or more
}

const (
	tie       = 1e-9
	saturated = 10  // number of members with the best score from which it applies
	crowded   = 0.4 // similarity from which molecules count less
	lessMost  = 0.1 // share of the score that a molecule equal to one of the crowd loses
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

// nearest returns the similarity to the most similar of the distinct members.
func (c *crowd) nearest(of surrogate.Bits) (most float64) {
	for _, d := range c.distinct {
		most = max(most, surrogate.Similarity(of, d.Bits))
	}
	return most
}

// share returns the share of its score that counts for a molecule. It is less if the molecule
// resembles the crowd.
func (c *crowd) share(of surrogate.Bits) float64 {
	return 1 - lessMost*max(0, c.nearest(of)-crowded)/(1-crowded)
}

// first moves the distinct members, latest first, to the front of a list.
func (c *crowd) first(sorted []*member) []*member {
	out := slices.Clone(c.distinct)
	slices.Reverse(out)
	has := make(map[*member]bool, len(out))
	for _, m := range out {
		has[m] = true
	}
	return append(out, lists.Filter(sorted, func(m *member) bool { return !has[m] })...)
}
