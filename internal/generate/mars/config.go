package mars

import "fmt"

// Config says how chains are run. NewConfig has the settings of the published code.
type Config struct {
	Chains int    `json:"chains"`
	Steps  int    `json:"steps"`
	Seed   uint64 `json:"seed"`
	// Edges and Wide are those of NetworkConfig.
	Edges string `json:"edges"`
	Wide  int    `json:"wide,omitempty"`
	// Uniform proposes every edit with the same chance, and learns nothing.
	Uniform bool `json:"uniform,omitempty"`

	Buffer     int     `json:"buffer"`      // examples; with more than twice as many, so many are kept
	Batches    int     `json:"batches"`     // minibatches in a step at most
	BatchAtoms int     `json:"batch_atoms"` // of a minibatch, about
	Rate       float64 `json:"lr"`
	EdgeRate   float64 `json:"edge_lr"`          // of the representation of edges
	Cosine     bool    `json:"cosine,omitempty"` // EdgeRate warms up for a twentieth of all updates and falls along a cosine
	Clip       float64 `json:"clip"`             // largest norm of the gradients, 0 for any

	EvaluateEvery int `json:"evaluate_every"` // steps
	Patience      int `json:"patience"`       // evaluations without progress before the chains end

	// Threads is the number to use, 0 for all; results do not depend on it.
	Threads int `json:"-"`
}

// NewConfig is 1,000 chains of 1,000 steps.
func NewConfig() Config {
	return Config{Chains: 1000, Steps: 1000, Edges: EdgesMLP, Buffer: 50000, Batches: 25, BatchAtoms: 128 * 20,
		Rate: 3e-4, EdgeRate: 3e-4, Clip: 5, EvaluateEvery: 1, Patience: 100}
}

// Validate says which setting is out of range.
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
