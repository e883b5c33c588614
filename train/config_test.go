package train_test

import (
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/train"
)

func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		want   string // in the error; empty for none
		change func(*train.Config)
	}{
		{"", func(*train.Config) {}},
		{"", func(c *train.Config) {
			c.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: 50, Cycles: 1.5}
		}},
		{"", func(c *train.Config) { c.Schedule.Name = "constant" }},
		{"Config.Epochs is 0, expected 1 to 1000000000", func(c *train.Config) { c.Epochs = 0 }},
		{"Config.Epochs is 1000000001, expected 1 to 1000000000", func(c *train.Config) { c.Epochs = 1_000_000_001 }},
		{"Config.Schedule.WarmupEpochs is 1000000001", func(c *train.Config) { c.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: 1_000_000_001} }},
		{"Config.BatchSize is -1", func(c *train.Config) { c.BatchSize = -1 }},
		{"Config.EvalBatchSize is -2", func(c *train.Config) { c.EvalBatchSize = -2 }},
		{"Config.LR is 0, expected a finite number above 0", func(c *train.Config) { c.LR = 0 }},
		{"Config.LR is NaN", func(c *train.Config) { c.LR = math.NaN() }},
		{"Config.LR is +Inf", func(c *train.Config) { c.LR = math.Inf(1) }},
		{"Config.ClipNorm is -1", func(c *train.Config) { c.ClipNorm = -1 }},
		{"Config.ClipNorm is NaN", func(c *train.Config) { c.ClipNorm = math.NaN() }},
		{"Config.Patience is -1", func(c *train.Config) { c.Patience = -1 }},
		{"Config.Average is 1, expected 0 or more and below 1", func(c *train.Config) { c.Average = 1 }},
		{"Config.Average is NaN", func(c *train.Config) { c.Average = math.NaN() }},
		{"Config.Threads is -1", func(c *train.Config) { c.Threads = -1 }},
		{`Config.Schedule.Name is "linear", expected constant or cosine`, func(c *train.Config) { c.Schedule.Name = "linear" }},
		{"Config.Schedule.WarmupEpochs is 5, expected 0 in a constant schedule", func(c *train.Config) { c.Schedule.WarmupEpochs = 5 }},
		{"Config.Schedule.Cycles is 2, expected 0 in a constant schedule", func(c *train.Config) { c.Schedule.Cycles = 2 }},
		{"Config.Schedule.WarmupEpochs is -1", func(c *train.Config) { c.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: -1} }},
		{"Config.Schedule.Cycles is NaN", func(c *train.Config) { c.Schedule = train.Schedule{Name: "cosine", Cycles: math.NaN()} }},
		{`Config.Optimizer: optim: optimiser "lion"`, func(c *train.Config) { c.Optimizer.Name = "lion" }},
		{"Config.Optimizer: optim: adam has no Momentum", func(c *train.Config) { c.Optimizer.Momentum = 0.9 }},
	} {
		cfg := basic()
		c.change(&cfg)
		err := cfg.Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", cfg, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
}
