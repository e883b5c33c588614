package genetic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/proposal"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Proposals are ways to choose the bond of a parent that GA cuts or changes: all bonds with the same chance, or by what
// is expected to be gained by it, which a network predicts that learns the choices of this search, or the process, which predicts
// the score of the side that is kept.
var Proposals = []string{Uniform, proposal.MLP, proposal.EHGNN, Gain}

// Names of proposals, beside those of the networks.
const (
	Uniform = "uniform"
	Gain    = "gain"
)

// leastExamples is how many choices a network learns from at least.
const leastExamples = 80

// chooser says what is gained by the ends of the bonds of molecules.
type chooser interface {
	gains(ctx context.Context, of []*operator.Molecule) ([][]float64, error)
}

// propose gives the parents of a round the chances of their bonds. What says them is learned anew every tenth
// round from all that is known, so that a search which goes on has the same.
func (s *search) propose(ctx context.Context) error {
	if s.config.Proposal == "" || s.config.Proposal == Uniform || s.config.Search != GA {
		return nil
	}
	if s.chooser == nil || s.round%refitRounds == 0 {
		for _, m := range s.pool.all {
			m.graph.Chances = nil
		}
		var err error
		if s.chooser, err = s.newChooser(ctx); err != nil {
			return err
		}
	}
	if s.chooser == nil {
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
	gains, err := s.chooser.gains(ctx, of)
	if err != nil {
		return err
	}
	for i, m := range of {
		m.Chances = chances(gains[i])
	}
	return nil
}

// chances are exponentials of the gains of a molecule, less their mean and over their deviation; those without
// a number have the mean.
func chances(gains []float64) []float64 {
	n, mean, deviation := 0.0, 0.0, 0.0
	for _, g := range gains {
		if !math.IsNaN(g) {
			n, mean = n+1, mean+g
		}
	}
	mean /= max(n, 1)
	for _, g := range gains {
		if !math.IsNaN(g) {
			deviation += (g - mean) * (g - mean) / n
		}
	}
	return lists.Map(gains, func(g float64) float64 {
		if math.IsNaN(g) {
			return 1
		}
		return math.Exp((g - mean) / (math.Sqrt(deviation) + 1e-9))
	})
}

// newChooser learns from the molecules so far, nil where they are too few.
func (s *search) newChooser(ctx context.Context) (chooser, error) {
	if s.config.Proposal == Gain {
		if len(s.pool.all) == 0 {
			return nil, nil
		}
		model, err := s.learn(s.training(ranked(s.population())))
		return &sides{s, model}, err
	}
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
	return learned{n}, n.Fit(ctx, examples, rng.Stream(s.config.Seed, "proposal", s.round))
}

// learned is a network as a chooser.
type learned struct{ *proposal.Network }

func (l learned) gains(ctx context.Context, of []*operator.Molecule) ([][]float64, error) {
	return l.Predict(ctx, of)
}

// sides says what the process predicts for the side that is kept.
type sides struct {
	*search
	model *surrogate.Model
}

func (s *sides) gains(ctx context.Context, of []*operator.Molecule) ([][]float64, error) {
	parts, err := par.Map(ctx, s.config.Threads, of, func(m *operator.Molecule) []surrogate.Bits {
		return lists.Map(s.Maker.Sides(m), surrogate.NewBits)
	})
	if err != nil {
		return nil, err
	}
	predicted := s.model.Predict(slices.Concat(parts...)).Mean
	totals := predicted[len(predicted)-1]
	return lists.Map(parts, func(of []surrogate.Bits) []float64 {
		gains := totals[:len(of)]
		totals = totals[len(of):]
		return lists.Map(lists.Range[int](len(of)), func(i int) float64 {
			if len(of[i]) == 0 {
				return math.NaN()
			}
			return gains[i]
		})
	}), nil
}

// learns reports whether a network learns the choices of this search.
func (s *search) learns() bool {
	return s.config.Search == GA && (s.config.Proposal == proposal.MLP || s.config.Proposal == proposal.EHGNN)
}

// checkChoices says what is wrong with the choices of a line of the journal.
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
