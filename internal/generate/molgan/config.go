package molgan

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The terms of a reward, each from 0 to 1 and 0 for what is no molecule.
const (
	Validity = "validity" // 1
	SAS      = "sas"      // synthetic accessibility, 1 for easy
	QED      = "qed"      // drug-likeness
)

// rewardTerms are those that Config.Reward may list.
var rewardTerms = []string{Validity, SAS, QED}

// Config decides the numbers of a training, with the data.
type Config struct {
	RGCN   string `json:"rgcn"` // Typed or Shared
	GMPool bool   `json:"gmpool"`
	EHGNN  bool   `json:"ehgnn"`

	ZDim        int     `json:"z_dim"`
	Mode        string  `json:"discretise"` // Softmax, SoftGumbel or HardGumbel
	Temperature float64 `json:"temperature"`

	Iterations int      `json:"iterations"` // updates of the discriminator
	Every      int      `json:"every"`      // of which generator and reward network have one in so many
	Batch      int      `json:"batch"`
	LR         float64  `json:"lr"`
	EdgeLR     float64  `json:"edge_lr"` // of EHGNN
	Decay      bool     `json:"decay"`   // rates fall to 0 along a line
	Penalty    float64  `json:"penalty"` // the factor of the gradient penalty
	Lambda     float64  `json:"lambda"`  // share of the Wasserstein loss after the first epoch
	Reward     []string `json:"reward"`  // the terms whose product is the reward
	// ReferenceLoss takes the losses that the code computes which the authors of EHGNN used.
	// Generator and reward network minimise -mean D(fake) and the error of the reward network
	// together, so that the generator never sees what a reward is worth; and the penalty by atoms is
	// that of the features below the score. Lambda is not used.
	ReferenceLoss bool `json:"reference_loss,omitempty"`

	Interval int    `json:"interval"` // iterations from one measurement and checkpoint to the next
	Samples  int    `json:"samples"`  // molecules of a measurement
	Seed     uint64 `json:"seed"`
}

// Default are the settings of the paper where it has them, of 200,000 iterations.
func Default() Config {
	return Config{RGCN: Typed, ZDim: 8, Mode: HardGumbel, Temperature: 1, Iterations: 200000, Every: 5, Batch: 16, LR: 1e-3, EdgeLR: 1e-2,
		Penalty: 10, Lambda: 0.5, Reward: slices.Clone(rewardTerms), Interval: 1000, Samples: 5000, Seed: 42}
}

// Validate reports the first setting that cannot be, by its name in JSON.
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
