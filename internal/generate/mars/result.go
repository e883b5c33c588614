package mars

import "github.com/ehgnn/ehgnn/internal/generate/score"

// Scored is a molecule with its values, in the order of score.Set.Names.
type Scored struct {
	SMILES string    `json:"smiles"`
	Values []float64 `json:"values"`
	Target float64   `json:"target"`
}

// Progress has the numbers of an evaluation.
type Progress struct {
	Step        int          `json:"step"` // numbered from 0
	Temperature float64      `json:"temperature"`
	Mean        float64      `json:"mean"`  // mean of the target
	Atoms       float64      `json:"atoms"` // mean number of heavy atoms
	Invalid     float64      `json:"invalid"`
	Accepted    float64      `json:"accepted"` // share of chains that accepted an edit
	Improved    float64      `json:"improved"`
	Buffer      int          `json:"buffer"`
	Loss        float64      `json:"loss"` // mean of the previous step, 0 if nothing was learned
	Sets        []Evaluation `json:"sets"`
}

// Move is a step that changed the molecule of a chain.
type Move struct {
	Step   int     `json:"step"`
	SMILES string  `json:"smiles"` // after the step
	Target float64 `json:"target"`
	// Arm is the added arm, or empty if a bond was cut.
	Arm string `json:"arm,omitempty"`
}

// Seconds has the wall-clock times of a run. Molecules are scored while others are proposed; Score
// is only the time of waiting for scores after that. Evaluate runs in parallel with learning.
type Seconds struct {
	Propose  float64 `json:"propose"` // running the network and making edits
	Score    float64 `json:"score"`
	Evaluate float64 `json:"evaluate"`
	Learn    float64 `json:"learn"`
	All      float64 `json:"all"`
}

// Result is the result of a run.
type Result struct {
	Steps   int        `json:"steps"`
	Stalled bool       `json:"stalled"` // whether the chains ended early
	History []Progress `json:"history"`
	Final   []Scored   `json:"final"` // molecules of all chains, in their order
	// Best are at most 100 distinct molecules that any chain visited: by descending target, then by
	// descending mean without clips.
	Best  []Scored `json:"best"`
	Paths [][]Move `json:"paths"` // moves of the first chains
	// Calls are the calls of each score. UniformDraws counts proposals whose weights were all zero
	// or not finite.
	Calls        []score.Calls `json:"calls"`
	UniformDraws int           `json:"uniform_draws"`
	Examples     int           `json:"examples"` // number of improvements in total
	// DeadShare is Network.DeadShare at the end, or 0 without a network.
	DeadShare float64 `json:"dead_share"`
	Seconds   Seconds `json:"seconds"`
}
