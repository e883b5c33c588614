package molgan

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The terms of a reward. Each is from 0 to 1, and 0 for an invalid molecule.
const (
	Validity = "validity" // 1 for a valid molecule
	SAS      = "sas"      // synthetic accessibility, 1 for easily synthesised
	QED      = "qed"      // drug-likeness
)

// rewardTerms are the terms that Config.Reward may list.
var rewardTerms = []string{Validity, SAS, QED}

// Config has the settings that, with the data, determine the results of a training.
type Config struct {
	RGCN   string `json:"rgcn"` // Typed or Shared
	GMPool bool   `json:"gmpool"`
	EHGNN  bool   `json:"ehgnn"`

	ZDim        int     `json:"z_dim"`
	Mode        string  `json:"discretise"` // Softmax, SoftGumbel or HardGumbel
	Temperature float64 `json:"temperature"`

	Iterations int      `json:"iterations"` // number of updates of the discriminator
	Every      int      `json:"every"`      // generator and reward network have one update per this number of discriminator updates
	Batch      int      `json:"batch"`
	LR         float64  `json:"lr"`
	EdgeLR     float64  `json:"edge_lr"` // learning rate of EHGNN
	Decay      bool     `json:"decay"`   // learning rates decrease linearly to 0
	Penalty    float64  `json:"penalty"` // factor of the gradient penalty
	Lambda     float64  `json:"lambda"`  // weight of the Wasserstein loss after the first epoch
	Reward     []string `json:"reward"`  // the terms whose product is the reward
	// ReferenceLoss uses the losses of the code that the authors of EHGNN used. Generator and
	// reward network together minimise -mean D(fake) and the error of the reward network, so the
	// reward itself does not train the generator. The penalty for atoms uses the features below the
	// score. Lambda is not used.
	ReferenceLoss bool `json:"reference_loss,omitempty"`

	Interval int    `json:"interval"` // iterations between measurements and checkpoints
	Samples  int    `json:"samples"`  // molecules in a measurement
	Seed     uint64 `json:"seed"`
}

// Default returns the settings of the paper, as far as it has them, with 200,000 iterations.
func Default() Config {
	return Config{RGCN: Typed, ZDim: 8, Mode: HardGumbel, Temperature: 1, Iterations: 200000, Every: 5, Batch: 16, LR: 1e-3, EdgeLR: 1e-2,
		Penalty: 10, Lambda: 0.5, Reward: slices.Clone(rewardTerms), Interval: 1000, Samples: 5000, Seed: 42}
}

// Validate returns an error for the first invalid setting, with its name in JSON.
func (c Config) Validate() error {
	for _, n := range []struct {
		name  string
		value int
	}{{"z_dim", c.ZDim}, {"iterations", c.Iterations}, {"every", c.Every}, {"batch", c.Batch}, {"interval", c.Interval}, {"samples", c.Samples}} {
		if n.value < 1 || n.value > 1<<30 {
			return fmt.Errorf("molgan: %s is %d, expected at least 1", n.name, n.value)
		}
	}
	for _, x := range []struct {
		name      string
		value     float64
		low, high float64
	}{{"temperature", c.Temperature, 1e-6, 1e6}, {"lr", c.LR, 0, 1}, {"edge_lr", c.EdgeLR, 0, 1}, {"penalty", c.Penalty, 0, math.MaxFloat32}, {"lambda", c.Lambda, 0, 1}} {
		if !(x.value >= x.low && x.value <= x.high) {
			return fmt.Errorf("molgan: %s is %v, expected %v to %v", x.name, x.value, x.low, x.high)
		}
	}
	if forms := []string{Typed, Shared}; !slices.Contains(forms, c.RGCN) {
		return fmt.Errorf("molgan: rgcn is %q, expected one of %s", c.RGCN, strings.Join(forms, ", "))
	}
	if modes := []string{Softmax, SoftGumbel, HardGumbel}; !slices.Contains(modes, c.Mode) {
		return fmt.Errorf("molgan: discretise is %q, expected one of %s", c.Mode, strings.Join(modes, ", "))
	}
	for i, term := range c.Reward {
		if !slices.Contains(rewardTerms, term) || slices.Contains(c.Reward[:i], term) {
			return fmt.Errorf("molgan: reward has %q, expected some of %s, each once", term, strings.Join(rewardTerms, ", "))
		}
	}
	if len(c.Reward) == 0 {
		return fmt.Errorf("molgan: reward is empty, expected some of %s", strings.Join(rewardTerms, ", "))
	}
	return nil
}
