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

// searches lists them.
var searches = []string{GA, GraphGA, Random}

// Config has the settings of a search.
type Config struct {
	Search  string
	Calls   int // budget of calls
	Seed    uint64
	Threads int // 0 for all processors; the molecules do not depend on it
	// Start is the number of molecules of the start list that are scored first.
	Start int
	// Stagnation is the number of calls without progress after which GA starts a separate
	// population; 0 for never.
	Stagnation int
	// Fresh is the number of molecules of the start list in a new separate population.
	Fresh int
	// Proposal is one of Proposals. Empty means Uniform.
	Proposal string `json:",omitempty"`
	// PerCall is the number of children that GA makes for each scored molecule. 0 means 5, and at
	// least 400 in a round.
	PerCall int `json:",omitempty"`
}

// NewConfig returns the settings that were chosen by measurement (docs/results/optimise.md).
func NewConfig() Config {
	return Config{Search: GA, Calls: 10000, Start: 120, Stagnation: 200, Fresh: 60}
}

// Validate returns an error for invalid settings.
func (c Config) Validate() error {
	switch {
	case !slices.Contains(searches, c.Search):
		return fmt.Errorf("genetic: the search is %q, expected one of %q", c.Search, searches)
	case c.Calls < 1:
		return fmt.Errorf("genetic: a budget of %d calls, expected at least 1", c.Calls)
	case c.Start < 1:
		return fmt.Errorf("genetic: %d molecules to start with, expected at least 1", c.Start)
	case c.Proposal != "" && !slices.Contains(Proposals(), c.Proposal):
		return fmt.Errorf("genetic: the proposal is %q, expected one of %q", c.Proposal, Proposals())
	case c.PerCall < 0:
		return fmt.Errorf("genetic: %d children for each molecule that is scored, expected at least 0", c.PerCall)
	case c.Stagnation < 0 || c.Fresh < 0:
		return fmt.Errorf("genetic: %d calls without progress and %d fresh molecules, expected at least 0", c.Stagnation, c.Fresh)
	}
	return nil
}

// Constants of the searches.
const (
	parents = 1000 // of GA: number of best molecules that can be parents

	mutation     = 0.2  // of GA: share of children by mutation only
	special      = 0.25 // of GA: share of parents that are drawn from the best by one part of the score
	local        = 0.5  // of GA: share of a batch that is chosen among the children of one parent each
	family       = 5    // of GA: largest number of members of a family among the first parents
	perCall      = 5    // of GA: children for each scored molecule
	leastPool    = 400  // of GA: smallest number of children in a round
	leastBatch   = 20   // of GA: smallest number of molecules scored in a round
	mostBatch    = 100
	batchShare   = 0.02 // of GA: molecules scored in a round, as a share of all molecules so far
	trainBest    = 700
	trainRandom  = 300
	refitRounds  = 10 // number of rounds after which the kernel is chosen again
	emptyRounds  = 30 // number of rounds without a new molecule after which molecules of the start list are added
	freshParents = 20 // number of best earlier molecules that stay parents after a fresh start

	population = 120 // of GraphGA
	offspring  = 70
)

// Task is the problem that a search solves.
type Task struct {
	Maker     *operator.Maker
	Objective Objective
	// Start are the molecules to begin with, tried in this order. Molecules that do not parse are
	// left out.
	Start []string
	// Journal is the file of the rounds, or empty.
	Journal string
	// OnRound is called after each round. It may be nil.
	OnRound func(Progress)
}
