package train

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/optim"
)

// Config describes how a problem is trained. All of it but Threads decides the
// numbers of the run.
type Config struct {
	Epochs        int          `json:"epochs"`          // at most, at least 1
	BatchSize     int          `json:"batch_size"`      // graphs; 0 for all in one batch
	EvalBatchSize int          `json:"eval_batch_size"` // graphs; 0 for BatchSize
	LR            float64      `json:"lr"`              // learning rate, above 0
	Optimizer     optim.Config `json:"optimizer"`       // with the weight decay; zero is Adam
	ClipNorm      float64      `json:"clip_norm"`       // bound on the gradient's global norm; 0 for none
	Schedule      Schedule     `json:"schedule"`        // zero keeps LR constant
	Monitor       Monitor      `json:"monitor"`         // zero minimises the loss
	// Patience stops the run once more than this many epochs in a row were no
	// better than the best; 0 never stops early.
	Patience int `json:"patience"`
	// Average has the weights averaged over the steps, each step's counting this many times
	// less than that of the next one (exponentially, sooner forgotten in the first steps):
	// validation scores the average, and the best average is what the run leaves. Buffers,
	// such as the statistics of a batch norm, are not averaged. 0 for no average.
	Average float64 `json:"average,omitempty"`
	// Apart are the parts of a model that is several trained side by side; nil for one.
	Apart []Part `json:"apart,omitempty"`
	Seed  uint64 `json:"seed"`

	Threads int `json:"-"` // of tensor operations; 0 for all processors
	// EdgeCodes has an evaluation on one graph make its batch by graph.CollateCodes, for models that read rows of edge features.
	EdgeCodes bool `json:"-"`
}

// Schedule is the course of the learning rate in epochs.
type Schedule struct {
	Name string `json:"name"` // constant (when empty) or cosine
	// WarmupEpochs is the length of the cosine schedule's linear warm-up; the
	// cosine reaches 0 with the last epoch. The factor changes with every step,
	// and the very first step has factor 0.
	WarmupEpochs int     `json:"warmup_epochs"`
	Cycles       float64 `json:"cycles"` // see optim.CosineWarmup; 0 for half a wave
}

const (
	constantSchedule = "constant"
	cosineSchedule   = "cosine"
)

// steps is the schedule in steps.
func (s Schedule) steps(epochs, perEpoch int) optim.Schedule {
	if s.Name != cosineSchedule {
		return optim.Constant{}
	}
	return optim.CosineWarmup{Warmup: s.WarmupEpochs * perEpoch, Total: epochs * perEpoch, Cycles: s.Cycles}
}

// Monitor is the score by which epochs are compared: a validation score, or the mean
// training loss of the epoch when there are no validation graphs. The best epoch
// is the first one with the best value; NaN is never the best.
type Monitor struct {
	Metric   string `json:"metric"`   // name of a score; "loss" when empty
	Maximize bool   `json:"maximize"` // larger is better
	// TiesReset lets an epoch that equals the best one reset the patience, as in
	// the authors' node classification. It does not become the best.
	TiesReset bool `json:"ties_reset"`
}

func (m Monitor) metric() string {
	if m.Metric == "" {
		return lossScore
	}
	return m.Metric
}

// maxEpochs bounds epochs, so that the number of steps fits an int of 64 bits.
const maxEpochs = 1_000_000_000

// Validate checks every setting, naming the field at fault.
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
		for i, p := range c.Apart {
			if p.Prefix == "" || p.LR != 0 && !positive(p.LR) {
				return fmt.Errorf("train: Config.Apart[%d] is %+v, expected a prefix and a finite rate, 0 or more", i, p)
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

// orAll is size, or n when size is 0 or larger; at least 1.
func orAll(size, n int) int {
	if size <= 0 || size > n {
		size = n
	}
	return max(size, 1)
}
