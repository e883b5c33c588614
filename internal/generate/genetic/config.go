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

// Config says how a search goes.
type Config struct {
	Search  string
	Calls   int // budget
	Seed    uint64
	Threads int // 0 for all; the molecules do not depend on it
	// Start is how many molecules of the start list are scored at first.
	Start int
	// Stagnation is after how many calls without progress GA begins a population of its own, 0 for never.
	Stagnation int
	// Fresh is how many molecules of the start list it begins with.
	Fresh int
	// Proposal is one of Proposals, "" for Uniform.
	Proposal string `json:",omitempty"`
	// PerCall is how many children GA makes for each molecule that is scored, 0 for 5 and at least 400 in a round.
	PerCall int `json:",omitempty"`
}

// NewConfig has the constants that were chosen by measurement (docs/results/optimise.md).
func NewConfig() Config {
	return Config{Search: GA, Calls: 10000, Start: 120, Stagnation: 200, Fresh: 60}
}

// Validate says what is wrong.
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
	parents = 1000 // of GA: the best molecules that can be parents

	mutation     = 0.2  // of GA: share of children by mutation alone
	special      = 0.25 // of GA: share of parents that are drawn from the best by one part of the score
	local        = 0.5  // of GA: share of a batch that is chosen among the children of a parent each
	family       = 5    // of GA: members of a family among the first parents
	perCall      = 5    // of GA: children for each molecule that is scored
	leastPool    = 400  // of GA: children of a round
	leastBatch   = 20   // of GA: molecules that are scored in a round
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
