package genetic

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/proposal"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Proposals returns the ways to choose the bond of a parent that GA cuts or changes: all bonds with
// equal probability, or by the gain that a network predicts. The network learns from the choices of
// this search.
func Proposals() []string { return []string{Uniform, proposal.MLP, proposal.EHGNN} }

// Uniform is the proposal without a network.
const Uniform = "uniform"

// leastExamples is the smallest number of choices that a network learns from.
const leastExamples = 80

// propose sets the chances of the bonds of a round's parents. It trains the network again every
// tenth round on all molecules so far, so that a resumed search has the same network.
func (s *search) propose(ctx context.Context) error {
	if !s.learns() {
		return nil
	}
	if s.network == nil || s.round%refitRounds == 0 {
		for _, m := range s.pool.all {
			m.graph.Chances = nil
		}
		var err error
		if s.network, err = s.learnChoices(ctx); err != nil {
			return err
		}
	}
	if s.network == nil {
		return nil
	}
	sorted := ranked(s.population())
	parents := lists.Map(sorted[:min(parents, len(sorted))], func(m *member) *operator.Molecule { return m.graph })
	for _, list := range s.specialists(sorted) {
		parents = append(parents, lists.Map(list, func(m *member) *operator.Molecule { return m.graph })...)
	}
	var of []*operator.Molecule
	seen := map[*operator.Molecule]bool{}
	for _, m := range parents {
		if m.Chances == nil && m.Ends() > 0 && !seen[m] {
			seen[m] = true
			of = append(of, m)
		}
	}
	gains, err := s.network.Predict(ctx, of)
	if err != nil {
		return err
	}
	for i, m := range of {
		m.Chances = chances(gains[i])
	}
	return nil
}

// chances returns the exponentials of the standardised gains of a molecule.
func chances(gains []float64) []float64 {
	mean, deviation := proposal.Standard(gains)
	return lists.Map(gains, func(g float64) float64 { return math.Exp((g - mean) / deviation) })
}

// learnChoices returns a network trained on the molecules so far, or nil if there are too few.
func (s *search) learnChoices(ctx context.Context) (*proposal.Network, error) {
	var examples []proposal.Example
	for _, m := range s.pool.all {
		for _, c := range m.choices {
			parent := s.pool.by[c.Parent]
			examples = append(examples, proposal.Example{Of: parent.graph, End: c.End, Gain: m.Total - parent.Total})
		}
	}
	if len(examples) < leastExamples {
		return nil, nil
	}
	n, err := proposal.New(s.config.Proposal, s.config.Seed, s.config.Threads)
	if err != nil {
		return nil, err
	}
	return n, n.Fit(ctx, examples, rng.Stream(s.config.Seed, "proposal", s.round))
}

// learns reports whether a network learns from the choices of this search.
func (s *search) learns() bool {
	return s.config.Search == GA && s.config.Proposal != "" && s.config.Proposal != Uniform
}

// checkChoices returns an error for invalid choices in a line of the journal.
func (s *search) checkChoices(l line) error {
	if want := len(l.SMILES); s.learns() && l.Choices != nil && len(l.Choices) != want {
		return fmt.Errorf("genetic: the journal has the choices of %d molecules in round %d, expected %d", len(l.Choices), l.Round, want)
	}
	for i, choices := range l.Choices {
		for _, c := range choices {
			if m := s.pool.by[c.Parent]; m == nil || c.End < 0 || c.End >= m.graph.Ends() {
				return fmt.Errorf("genetic: the journal has bond end %d of %q as a choice for %s, expected one of a molecule before it", c.End, c.Parent, l.SMILES[i])
			}
		}
	}
	return nil
}
