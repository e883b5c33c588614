package train_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// pair is two classifiers whose losses are added.
type pair [2]*classifier

func newPair() pair {
	var m pair
	for k, prefix := range []string{"a.", "b."} {
		m[k] = newClassifier(uint64(k+1), 4)
		m[k].dropout = 0 // draws of one would shift those of the other
		for _, w := range m[k].Params() {
			w.Name = prefix + w.Name
		}
	}
	return m
}

func (m pair) Params() []*tensor.Param { return nn.Params(m[0], m[1]) }

// scores are those of each classifier, under names that begin with its own.
type scores struct {
	names []string
	of    []train.Scorer
}

func (s scores) Add(p *nn.Pass, b *graph.Batch) {
	for _, one := range s.of {
		one.Add(p, b)
	}
}

func (s scores) Scores() (out train.Scores, err error) {
	for k, one := range s.of {
		got, err := one.Scores()
		if err != nil {
			return nil, err
		}
		for _, score := range got {
			out = append(out, train.Score{Name: s.names[k] + score.Name, Value: score.Value})
		}
	}
	return out, nil
}

func (m pair) problem(t *testing.T) train.Problem {
	a, b := m[0].problem(t), m[1].problem(t)
	return train.Problem{Model: m,
		Loss: func(p *nn.Pass, batch *graph.Batch) (*tensor.Tensor, float64) {
			x, n := a.Loss(p, batch)
			y, _ := b.Loss(p, batch)
			return x.Add(y), n
		},
		Score: func() train.Scorer { return scores{[]string{"a_", "b_"}, []train.Scorer{a.Score(), b.Score()}} },
	}
}

// apartConfig trains the parts at rates of which the second soon finds no better epoch.
func apartConfig() train.Config {
	cfg := basic()
	cfg.Epochs, cfg.Patience, cfg.LR = 40, 8, 0.02
	cfg.ParamGroups = []train.ParamGroup{{Prefix: "a.", Metric: "a_loss"}, {Prefix: "b.", LR: 0.5, Metric: "b_loss"}}
	return cfg
}

// Parts that are trained apart have the weights, to the bit, that each has when it is
// trained alone, also where one stops earlier.
func TestParamGroups(t *testing.T) {
	training, valid := samples(1, 30), samples(2, 13)
	m := newPair()
	res, err := train.Fit(t.Context(), m.problem(t), training, valid, apartConfig(), train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	alone, best, epochs := newPair(), []int{}, []int{}
	for k, rate := range []float64{apartConfig().LR, 0.5} {
		cfg := apartConfig()
		cfg.ParamGroups, cfg.LR = nil, rate
		one, err := train.Fit(t.Context(), alone[k].problem(t), training, valid, cfg, train.Options{})
		if err != nil {
			t.Fatal(err)
		}
		best, epochs = append(best, one.BestEpoch), append(epochs, len(one.History))
		for i, w := range alone[k].Params() {
			if got := m[k].Params()[i]; !slices.Equal(got.Value.Data(), w.Value.Data()) {
				t.Errorf("%s is %v, trained alone %v", w.Name, got.Value.Data(), w.Value.Data())
			}
		}
	}
	if best[0] == best[1] || epochs[0] == epochs[1] {
		t.Errorf("best epochs %d of %d: this test wants parts that differ", best, epochs)
	}
	if res.BestEpoch != slices.Max(best) || len(res.History) != slices.Max(epochs) {
		t.Errorf("best epoch %d of %d, alone %d of %d", res.BestEpoch, len(res.History), best, epochs)
	}
}

// A run in parts that was interrupted goes on as if it had not been.
func TestParamGroupsResumes(t *testing.T) {
	training, valid := samples(1, 30), samples(2, 13)
	whole := newPair()
	if _, err := train.Fit(t.Context(), whole.problem(t), training, valid, apartConfig(), train.Options{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for session := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		m, left := newPair(), 5
		opts := folder(dir, session > 0, time.Hour)
		opts.OnStep = func(train.StepInfo) {
			if left--; left == 0 {
				cancel()
			}
		}
		_, err := train.Fit(ctx, m.problem(t), training, valid, apartConfig(), opts)
		cancel()
		if errors.Is(err, context.Canceled) {
			continue
		}
		if err != nil || session < 3 {
			t.Fatalf("session %d: %v", session, err)
		}
		for i, w := range whole.Params() {
			if !slices.Equal(m.Params()[i].Value.Data(), w.Value.Data()) {
				t.Errorf("%s differs from that of a run without a break", w.Name)
			}
		}
		return
	}
	t.Fatal("no end")
}

// Parts that leave parameters out, or that no score is known of, are refused.
func TestParamGroupsRefuses(t *testing.T) {
	for want, change := range map[string]func(*train.Config){
		"parameter b.conv.bias is in none of the groups": func(c *train.Config) { c.ParamGroups = c.ParamGroups[:1] },
		"Config.ParamGroups[1] is ":                      func(c *train.Config) { c.ParamGroups[1].LR = -1 },
		"Config.ParamGroups[0] is ":                      func(c *train.Config) { c.ParamGroups[0].Prefix = "" },
		`Metric is "c_loss", expected one of`:            func(c *train.Config) { c.ParamGroups[0].Metric = "c_loss" },
	} {
		cfg := apartConfig()
		change(&cfg)
		_, err := train.Fit(t.Context(), newPair().problem(t), samples(1, 9), samples(2, 4), cfg, train.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
