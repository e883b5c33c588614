package mars

import "fmt"

// Config has the settings of a run. NewConfig returns those of the published code.
type Config struct {
	Chains int    `json:"chains"`
	Steps  int    `json:"steps"`
	Seed   uint64 `json:"seed"`
	// Edges and Wide are the fields of NetworkConfig.
	Edges string `json:"edges"`
	Wide  int    `json:"wide,omitempty"`
	// Uniform proposes every edit with the same probability, without learning.
	Uniform bool `json:"uniform,omitempty"`

	Buffer     int     `json:"buffer"`      // number of examples; a buffer with more than twice as many is cut to this number
	Batches    int     `json:"batches"`     // largest number of minibatches in a step
	BatchAtoms int     `json:"batch_atoms"` // atoms in a minibatch, approximately
	Rate       float64 `json:"lr"`
	EdgeRate   float64 `json:"edge_lr"`          // learning rate of the edge representation
	Cosine     bool    `json:"cosine,omitempty"` // EdgeRate warms up for a twentieth of all updates and then follows a cosine
	Clip       float64 `json:"clip"`             // largest norm of the gradients, 0 for no limit

	EvaluateEvery int `json:"evaluate_every"` // number of steps
	Patience      int `json:"patience"`       // number of evaluations without progress after which the chains end

	// Threads is the number of threads, 0 for all processors. Results do not depend on it.
	Threads int `json:"-"`
}

// NewConfig returns settings with 1,000 chains of 1,000 steps.
func NewConfig() Config {
	return Config{Chains: 1000, Steps: 1000, Edges: EdgesMLP, Buffer: 50000, Batches: 25, BatchAtoms: 128 * 20,
		Rate: 3e-4, EdgeRate: 3e-4, Clip: 5, EvaluateEvery: 1, Patience: 100}
}

// Validate returns an error for a setting out of range.
func (c Config) Validate() error {
	for _, s := range []struct {
		name         string
		value, least int
	}{{"chains", c.Chains, 1}, {"steps", c.Steps, 1}, {"buffer", c.Buffer, 1}, {"batches", c.Batches, 0}, {"batch atoms", c.BatchAtoms, 1},
		{"steps between evaluations", c.EvaluateEvery, 1}, {"patience", c.Patience, 1}} {
		if s.value < s.least {
			return fmt.Errorf("mars: %s: %d, expected at least %d", s.name, s.value, s.least)
		}
	}
	if !(c.Rate > 0) || !(c.EdgeRate > 0) || !(c.Clip >= 0) {
		return fmt.Errorf("mars: learning rates %v and %v, clip %v, expected numbers above 0", c.Rate, c.EdgeRate, c.Clip)
	}
	return nil
}
