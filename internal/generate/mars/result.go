package mars

import "github.com/ehgnn/ehgnn/internal/generate/score"

// Scored is a molecule with its values, in the order of score.Set.Names.
type Scored struct {
	SMILES string    `json:"smiles"`
	Values []float64 `json:"values"`
	Target float64   `json:"target"`
}

// Progress is an evaluation.
type Progress struct {
	Step        int          `json:"step"` // from 0
	Temperature float64      `json:"temperature"`
	Mean        float64      `json:"mean"`  // of the target
	Atoms       float64      `json:"atoms"` // on the mean
	Invalid     float64      `json:"invalid"`
	Accepted    float64      `json:"accepted"` // share of chains that moved
	Improved    float64      `json:"improved"`
	Buffer      int          `json:"buffer"`
	Loss        float64      `json:"loss"` // mean of the step before, 0 where nothing was learned
	Sets        []Evaluation `json:"sets"`
}

// Move is a step of a chain that changed its molecule.
type Move struct {
	Step   int     `json:"step"`
	SMILES string  `json:"smiles"` // after it
	Target float64 `json:"target"`
	// Arm is what was added; empty where a bond was cut.
	Arm string `json:"arm,omitempty"`
}

// Seconds is where the time of a run went, by the clock. Molecules are scored while others are
// proposed: Score is what is waited for after that. Evaluate goes by while the network learns.
type Seconds struct {
	Propose  float64 `json:"propose"` // the network, and edits with it
	Score    float64 `json:"score"`
	Evaluate float64 `json:"evaluate"`
	Learn    float64 `json:"learn"`
	All      float64 `json:"all"`
}

// Result is what chains came to.
type Result struct {
	Steps   int        `json:"steps"`
	Stalled bool       `json:"stalled"` // they ended early
	History []Progress `json:"history"`
	Final   []Scored   `json:"final"` // of all chains, in their order
	// Best are the distinct molecules of the largest target, then of the largest mean without
	// clips, that any chain was at, at most 100.
	Best  []Scored `json:"best"`
	Paths [][]Move `json:"paths"` // of the first chains
	// Calls of each score; UniformDraws of a proposal whose weights said nothing.
	Calls        []score.Calls `json:"calls"`
	UniformDraws int           `json:"uniform_draws"`
	Examples     int           `json:"examples"` // of improvements, all together
	// DeadShare is Network.DeadShare at the end; 0 without a network.
	DeadShare float64 `json:"dead_share"`
	Seconds   Seconds `json:"seconds"`
}
