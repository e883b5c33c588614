package genetic

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Objective scores molecules.
type Objective interface {
	// Score returns the parts of the score of each molecule, the same number for each.
	Score(ctx context.Context, smiles []string) ([][]float64, error)
	// Combine combines parts into one finite number. Larger is better.
	Combine(parts []float64) float64
	// Bound is Combine for upper bounds of parts, which can be outside their ranges.
	Bound(parts []float64) float64
}

// Scored is a molecule and its score.
type Scored struct {
	SMILES string    `json:"smiles"`
	Values []float64 `json:"values"`
	Total  float64   `json:"total"`
	Call   int       `json:"call"`            // counted from 1
	Start  bool      `json:"start,omitempty"` // whether it is in the start list
}

// member is a molecule of the pool.
type member struct {
	Scored
	graph *operator.Molecule
	surrogate.Molecule
	// choices are the drawn bonds of its parents.
	choices []operator.Choice
}

// pool has all molecules so far, in the order of their calls.
type pool struct {
	all []*member
	by  map[string]*member
}

func (p *pool) has(smiles string) bool {
	_, ok := p.by[smiles]
	return ok
}

func (p *pool) add(m *member) {
	m.Call = len(p.all) + 1
	p.all = append(p.all, m)
	p.by[m.SMILES] = m
}

// ranked returns members by descending score. Of equal scores the earlier call comes first.
func ranked(of []*member) []*member {
	out := slices.Clone(of)
	slices.SortFunc(out, func(a, b *member) int {
		if c := cmp.Compare(b.Total, a.Total); c != 0 {
			return c
		}
		return cmp.Compare(a.Call, b.Call)
	})
	return out
}

// meanBest returns the mean score of the best n members.
func meanBest(sorted []*member, n int) float64 {
	n = min(n, len(sorted))
	if n == 0 {
		return math.NaN()
	}
	return lists.SumOf(sorted[:n], func(m *member) float64 { return m.Total }) / float64(n)
}
