package train

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/optim"
)

// Config describes how a problem is trained. The numbers of the run depend on all fields except
// those without a name in JSON.
type Config struct {
	Epochs        int          `json:"epochs"`          // maximum number, at least 1
	BatchSize     int          `json:"batch_size"`      // graphs; 0 means all in one batch
	EvalBatchSize int          `json:"eval_batch_size"` // graphs; 0 means BatchSize
	LR            float64      `json:"lr"`              // learning rate, above 0
	Optimizer     optim.Config `json:"optimizer"`       // with the weight decay; the zero value is Adam
	ClipNorm      float64      `json:"clip_norm"`       // bound on the global gradient norm; 0 means none
	Schedule      Schedule     `json:"schedule"`        // the zero value keeps LR constant
	Monitor       Monitor      `json:"monitor"`         // the zero value minimises the loss
	// Patience stops the run after more than this many epochs in a row that were not better than
	// the best. 0 never stops early.
	Patience int `json:"patience"`
	// Average is the decay of an exponential moving average of the weights over the steps (EMA),
	// faster in the first steps. Validation scores the average, and the run returns the best
	// average. Buffers, such as the statistics of a batch norm, are not averaged. 0 means no
	// average.
	Average float64 `json:"average,omitempty"`
	// ParamGroups are the groups of parameters that are trained separately. nil means one model.
	ParamGroups []ParamGroup `json:"apart,omitempty"`
	Seed        uint64       `json:"seed"`

	Threads int `json:"-"` // of tensor operations; 0 means all processors
	// EdgeCodes makes an evaluation on one graph use graph.CollateCodes, for models that read rows
	// of edge features.
	EdgeCodes bool `json:"-"`
}

// Schedule describes the learning rate over the epochs.
type Schedule struct {
	Name string `json:"name"` // constant (the default) or cosine
	// WarmupEpochs is the length of the linear warm-up of the cosine schedule. The cosine reaches 0
	// with the last epoch. The factor changes with every step. The first step has factor 0.
	WarmupEpochs int     `json:"warmup_epochs"`
	Cycles       float64 `json:"cycles"` // see optim.CosineWarmup; 0 means half a wave
}

const (
	constantSchedule = "constant"
	cosineSchedule   = "cosine"
)

// steps returns the schedule in steps.
func (s Schedule) steps(epochs, perEpoch int) optim.Schedule {
	if s.Name != cosineSchedule {
		return optim.Constant{}
	}
	return optim.CosineWarmup{Warmup: s.WarmupEpochs * perEpoch, Total: epochs * perEpoch, Cycles: s.Cycles}
}

// Monitor is the score by which epochs are compared: a validation score, or the mean training loss
// of the epoch if there are no validation graphs. The best epoch is the first with the best value.
// NaN is never the best.
type Monitor struct {
	Metric   string `json:"metric"`   // name of a score; empty means "loss"
	Maximize bool   `json:"maximize"` // larger is better
	// TiesReset resets the patience after an epoch that equals the best one, as in the authors'
	// node classification. This epoch does not become the best.
	TiesReset bool `json:"ties_reset"`
}

func (m Monitor) metric() string {
	if m.Metric == "" {
		return lossScore
	}
	return m.Metric
}

// maxEpochs bounds epochs, so that the number of steps fits in a 64-bit int.
const maxEpochs = 1_000_000_000

// Validate checks every setting. The error names the field.
func (c Config) Validate() error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	notNegative := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	var field, want string
	var found any
	switch {
	case c.Epochs < 1 || c.Epochs > maxEpochs:
		field, found, want = "Epochs", c.Epochs, fmt.Sprintf("1 to %d", maxEpochs)
	case c.BatchSize < 0:
		field, found, want = "BatchSize", c.BatchSize, "0 or more"
	case c.EvalBatchSize < 0:
		field, found, want = "EvalBatchSize", c.EvalBatchSize, "0 or more"
	case !positive(c.LR):
		field, found, want = "LR", c.LR, "a finite number above 0"
	case !notNegative(c.ClipNorm):
		field, found, want = "ClipNorm", c.ClipNorm, "a finite number, 0 or more"
	case c.Patience < 0:
		field, found, want = "Patience", c.Patience, "0 or more"
	case !(c.Average >= 0 && c.Average < 1):
		field, found, want = "Average", c.Average, "0 or more and below 1"
	case c.Threads < 0:
		field, found, want = "Threads", c.Threads, "0 or more"
	case c.Schedule.Name != "" && c.Schedule.Name != constantSchedule && c.Schedule.Name != cosineSchedule:
		field, found, want = "Schedule.Name", fmt.Sprintf("%q", c.Schedule.Name), "constant or cosine"
	case c.Schedule.Name != cosineSchedule && c.Schedule.WarmupEpochs != 0:
		field, found, want = "Schedule.WarmupEpochs", c.Schedule.WarmupEpochs, "0 in a constant schedule"
	case c.Schedule.Name != cosineSchedule && c.Schedule.Cycles != 0:
		field, found, want = "Schedule.Cycles", c.Schedule.Cycles, "0 in a constant schedule"
	case c.Schedule.WarmupEpochs < 0 || c.Schedule.WarmupEpochs > maxEpochs:
		field, found, want = "Schedule.WarmupEpochs", c.Schedule.WarmupEpochs, fmt.Sprintf("0 to %d", maxEpochs)
	case !notNegative(c.Schedule.Cycles):
		field, found, want = "Schedule.Cycles", c.Schedule.Cycles, "a finite number, 0 or more"
	default:
		for i, p := range c.ParamGroups {
			if p.Prefix == "" || p.LR != 0 && !positive(p.LR) {
				return fmt.Errorf("train: Config.ParamGroups[%d] is %+v, expected a prefix and a finite rate, 0 or more", i, p)
			}
		}
		if err := c.Optimizer.Validate(); err != nil {
			return fmt.Errorf("train: Config.Optimizer: %w", err)
		}
		return nil
	}
	return fmt.Errorf("train: Config.%s is %v, expected %s", field, found, want)
}

// batchSize is the size of training batches for n graphs.
func (c Config) batchSize(n int) int { return orAll(c.BatchSize, n) }

// evalBatchSize is the size of evaluation batches for n graphs.
func (c Config) evalBatchSize(n int) int {
	if c.EvalBatchSize > 0 {
		return orAll(c.EvalBatchSize, n)
	}
	return c.batchSize(n)
}

// orAll returns size, or n if size is 0 or larger than n. It is at least 1.
func orAll(size, n int) int {
	if size <= 0 || size > n {
		size = n
	}
	return max(size, 1)
}
