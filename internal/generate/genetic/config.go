package genetic

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/generate/operator"
)

// Names of searches.
const (
	GA      = "ga"
	GraphGA = "graph-ga"
	Random  = "random"
)

// Searches lists them.
var Searches = []string{GA, GraphGA, Random}

// Config says how a search goes.
type Config struct {
	Search  string
	Calls   int // budget
	Seed    uint64
	Threads int // 0 for all; the molecules do not depend on it
	// Start is how many molecules of the start list are scored at first.
	Start int
	// Unguided is the share of each batch of GA that is drawn from the children without the model.
	Unguided float64
	// Local is the share of each batch of GA that is chosen among the children of one parent each.
	Local float64
	// Specialists is the share of parents of GA that are drawn from the best by one part of the score.
	Specialists float64
	// Niche is the share of rounds whose parents are of several families, NicheSize how many of a family.
	Niche     float64
	NicheSize int
	// Islands is the number of populations of GA, each with a model of its own.
	Islands int
	// Merge is after how many calls the islands exchange their molecules.
	Merge int
	// Proportional is the share of parents of GA that are drawn in proportion to their scores.
	Proportional float64
	// Stagnation is after how many calls without progress GA begins anew, 0 for never.
	Stagnation int
	// Fresh is how many molecules of the start list a new population begins with.
	Fresh int
	// Spread makes the molecules of a batch differ, by the deviations that are left when those before are known.
	Spread bool
}

// NewConfig has the constants that were chosen by measurement (docs/results/optimise.md).
func NewConfig() Config {
	return Config{Search: GA, Calls: 10000, Start: 120, Islands: 1, Merge: 1000, Fresh: 60}
}

// Validate says what is wrong.
func (c Config) Validate() error {
	switch {
	case !slices.Contains(Searches, c.Search):
		return fmt.Errorf("genetic: the search %q is none of %v", c.Search, Searches)
	case c.Calls < 1:
		return fmt.Errorf("genetic: a budget of %d calls, expected at least 1", c.Calls)
	case c.Start < 1:
		return fmt.Errorf("genetic: %d molecules to start with, expected at least 1", c.Start)
	case !(c.Unguided >= 0 && c.Unguided <= 1) || !(c.Proportional >= 0 && c.Proportional <= 1):
		return fmt.Errorf("genetic: shares of %v and %v, expected 0 to 1", c.Unguided, c.Proportional)
	case c.Islands < 1 || c.Merge < 1:
		return fmt.Errorf("genetic: %d islands that merge after %d calls, expected at least 1", c.Islands, c.Merge)
	}
	return nil
}

// Constants of the searches.
const (
	parents = 1000 // of GA: the best molecules that can be parents

	mutation     = 0.2 // of GA: share of children by mutation alone
	perCall      = 5   // of GA: children for each molecule that is scored
	leastPool    = 400 // of GA: children of a round
	leastBatch   = 20  // of GA: molecules that are scored in a round
	mostBatch    = 100
	batchShare   = 0.02 // of the molecules so far
	trainBest    = 700
	trainRandom  = 300
	refitRounds  = 10 // rounds after which the noise is chosen again
	emptyRounds  = 30 // rounds without a new molecule after which fresh ones are taken from the start list
	freshParents = 20 // the best that stay beside them

	population = 120 // of GraphGA
	offspring  = 70
)

// Task is what a search works on.
type Task struct {
	Maker     *operator.Maker
	Objective Objective
	// Start are the molecules to begin with, best first tried; those that do not parse are left out.
	Start []string
	// Journal is the file of the rounds, "" for none.
	Journal string
	// OnRound, unless nil, is told of each round.
	OnRound func(Progress)
}
