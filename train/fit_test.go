package train_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

func TestFitLearns(t *testing.T) {
	m := newClassifier(1, 16)
	problem := m.problem(t)
	trainSet, valid := samples(1, 60), samples(2, 40)
	cfg := basic()
	cfg.Epochs, cfg.BatchSize, cfg.LR = 40, 16, 0.1
	cfg.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: 4}
	var steps []train.StepInfo
	var epochs []train.EpochInfo
	res, err := train.Fit(context.Background(), problem, trainSet, valid, cfg, train.Options{
		OnStep:  func(s train.StepInfo) { steps = append(steps, s) },
		OnEpoch: func(e train.EpochInfo) { epochs = append(epochs, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.History) != 40 || res.Stopped != train.StoppedEpochs || res.Steps != 40*4 || len(steps) != 160 || len(epochs) != 40 {
		t.Fatalf("%d epochs, stopped %q, %d steps, %d and %d calls", len(res.History), res.Stopped, res.Steps, len(steps), len(epochs))
	}
	first, last := res.History[0], res.History[39]
	if last.TrainLoss > first.TrainLoss/2 {
		t.Errorf("training loss went from %v to %v", first.TrainLoss, last.TrainLoss)
	}
	best, ok := res.Best()
	if !ok {
		t.Fatal("no best epoch")
	}
	if acc, _ := best.Valid.Get("accuracy"); acc < 0.9 {
		t.Errorf("validation accuracy %v", acc)
	}
	// The model has the weights that gave the best score.
	scores, err := train.Evaluate(context.Background(), problem, valid, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range best.Valid {
		if v, _ := scores.Get(s.Name); v != s.Value {
			t.Errorf("%s of the trained model is %v, of the best epoch %v", s.Name, v, s.Value)
		}
	}
	for _, e := range res.History {
		a, _ := e.Valid.Get("loss")
		b, _ := best.Valid.Get("loss")
		if a < b || a == b && e.Epoch < best.Epoch {
			t.Errorf("epoch %d has loss %v, the best is epoch %d with %v", e.Epoch, a, best.Epoch, b)
		}
	}
	// Every step has its place and the learning rate of the schedule.
	schedule := optim.CosineWarmup{Warmup: 16, Total: 160}
	if steps[0].LR != 0 {
		t.Errorf("the first step of a warm-up has learning rate %v, want 0", steps[0].LR)
	}
	for i, s := range steps {
		if s.Step != i+1 || s.Epoch != i/4+1 || s.Batch != i%4+1 || s.Batches != 4 || s.Epochs != 40 {
			t.Fatalf("step %d: %+v", i+1, s)
		}
		if want := cfg.LR * schedule.Factor(i); s.LR != want {
			t.Fatalf("step %d: learning rate %v, want %v", i+1, s.LR, want)
		}
		if want := 16.0; s.Batch < 4 && s.Weight != want || s.Batch == 4 && s.Weight != 12 {
			t.Fatalf("step %d: weight %v", i+1, s.Weight)
		}
	}
	// The training loss is the mean over graphs, not over batches.
	var sum, norm float64
	for _, s := range steps[:4] {
		sum += s.Loss * s.Weight
		norm += s.GradNorm
	}
	if got := first.TrainLoss; math.Abs(got-sum/60) > 1e-12 {
		t.Errorf("training loss %v, want %v", got, sum/60)
	}
	if got := first.GradNorm; math.Abs(got-norm/4) > 1e-12 {
		t.Errorf("gradient norm %v, want %v", got, norm/4)
	}
}

// Neither threads nor callbacks nor files change a bit, but the seed does.
func TestFitIsDeterministic(t *testing.T) {
	run := func(change func(*train.Config, *train.Options)) outcome {
		m := newClassifier(1, 64) // wide enough for two threads to share the work
		cfg, opts := basic(), train.Options{}
		cfg.Epochs, cfg.BatchSize = 3, 20
		change(&cfg, &opts)
		res, err := train.Fit(context.Background(), m.problem(t), samples(1, 150), samples(2, 60), cfg, opts)
		if err != nil {
			t.Fatal(err)
		}
		return outcomeOf(m, res)
	}
	one := run(func(*train.Config, *train.Options) {})
	for name, change := range map[string]func(*train.Config, *train.Options){
		"two threads":  func(c *train.Config, _ *train.Options) { c.Threads = 2 },
		"five threads": func(c *train.Config, _ *train.Options) { c.Threads = 5 },
		"callback that yields": func(_ *train.Config, o *train.Options) {
			o.OnStep = func(train.StepInfo) { runtime.Gosched() }
		},
		"files": func(_ *train.Config, o *train.Options) {
			dir := t.TempDir()
			o.Checkpoint = &train.Checkpoint{Dir: dir, Interval: 1}
			o.Recorder = &train.Recorder{Dir: dir, TensorBoard: true}
		},
	} {
		t.Run(name, func(t *testing.T) { sameRun(t, run(change), one) })
	}
	other := run(func(c *train.Config, _ *train.Options) { c.Seed = 8 })
	if other.history[2].TrainLoss == one.history[2].TrainLoss {
		t.Error("another seed gave the same training loss")
	}
}

// script scores validation with given values and trains a real model.
func script(t *testing.T, m *classifier, values []float64) train.Problem {
	p := m.problem(t)
	at := 0
	p.Score = func() train.Scorer {
		v := values[min(at, len(values)-1)]
		at++
		return train.Sums(func(*nn.Pass, *graph.Batch) []train.Sum {
			return []train.Sum{{Name: "loss", Total: v, Weight: 1}, {Name: "score", Total: v, Weight: 1}}
		})()
	}
	return p
}

func TestEarlyStopping(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		values   []float64
		patience int
		monitor  train.Monitor
		epochs   int
		best     int
		stopped  train.Stopped
	}{
		{"counter exceeds patience", []float64{3, 2, 2, 2, 2, 2}, 2, train.Monitor{}, 5, 2, train.StoppedPatience},
		{"no patience", []float64{1, 2, 3}, 0, train.Monitor{}, 8, 1, train.StoppedEpochs},
		{"recovers", []float64{3, 4, 4, 2, 3, 3, 3, 3}, 2, train.Monitor{}, 7, 4, train.StoppedPatience},
		{"maximum", []float64{1, 5, 4, 5, 4, 4}, 2, train.Monitor{Metric: "score", Maximize: true}, 5, 2, train.StoppedPatience},
		{"ties reset, the first stays best", []float64{1, 5, 4, 5, 4, 4, 4}, 2, train.Monitor{Metric: "score", Maximize: true, TiesReset: true}, 7, 2, train.StoppedPatience},
		{"NaN is never the best", []float64{nan, nan, 4, nan, nan, nan}, 2, train.Monitor{}, 6, 3, train.StoppedPatience},
		{"infinite is NaN", []float64{math.Inf(1), math.Inf(1)}, 1, train.Monitor{}, 2, 0, train.StoppedPatience},
		{"negative infinite is NaN", []float64{math.Inf(-1), 5}, 0, train.Monitor{}, 8, 2, train.StoppedEpochs},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := basic()
			cfg.Epochs, cfg.Patience, cfg.Monitor = 8, c.patience, c.monitor
			m := newClassifier(1, 4)
			res, err := train.Fit(context.Background(), script(t, m, c.values), samples(1, 9), samples(2, 4), cfg, train.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.History) != c.epochs || res.BestEpoch != c.best || res.Stopped != c.stopped {
				t.Errorf("%d epochs, best %d, stopped %q; want %d, %d, %q",
					len(res.History), res.BestEpoch, res.Stopped, c.epochs, c.best, c.stopped)
			}
			if _, ok := res.Best(); ok != (c.best > 0) {
				t.Errorf("Best says %v", ok)
			}
		})
	}
}

// Without validation graphs the training loss decides, as for one large graph.
func TestTrainingLossDecides(t *testing.T) {
	m := newClassifier(1, 8)
	problem := m.problem(t)
	var batches []*graph.Batch
	lossOf := problem.Loss
	problem.Loss = func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		batches = append(batches, b)
		return lossOf(p, b)
	}
	prepared := 0
	problem.Prepare = func(*graph.Batch) { prepared++ }
	cfg := basic()
	cfg.Epochs, cfg.BatchSize, cfg.Patience = 30, 0, 3
	res, err := train.Fit(context.Background(), problem, samples(1, 12), nil, cfg, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Steps != len(res.History) || prepared != 1 {
		t.Errorf("%d steps in %d epochs, %d batches built", res.Steps, len(res.History), prepared)
	}
	for _, b := range batches {
		if b != batches[0] {
			t.Fatal("the one batch was built again")
		}
	}
	best, ok := res.Best()
	for _, e := range res.History {
		if !ok || e.TrainLoss < best.TrainLoss {
			t.Errorf("epoch %d has loss %v, the best epoch %d has %v", e.Epoch, e.TrainLoss, best.Epoch, best.TrainLoss)
		}
	}
}

// A batch without labels trains nothing, not even by weight decay, but takes
// its place in the schedule.
func TestSkippedBatches(t *testing.T) {
	m := newClassifier(1, 4)
	problem := m.problem(t)
	lossOf, n := problem.Loss, 0
	problem.Loss = func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		n++
		if n%2 == 0 {
			return nil, 0
		}
		return lossOf(p, b)
	}
	problem.Score = nil
	cfg := basic()
	cfg.Epochs = 2
	cfg.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: 1}
	var before []float32
	res, err := train.Fit(context.Background(), problem, samples(1, 30), nil, cfg, train.Options{OnStep: func(s train.StepInfo) {
		weight := m.out.Weight.Value.Data()
		if s.Skipped != (s.Step%2 == 0) || s.Skipped && (s.Weight != 0 || s.Loss != 0) {
			t.Errorf("step %+v", s)
		}
		if s.Skipped {
			for i, v := range weight {
				if v != before[i] {
					t.Fatalf("step %d changed the weights", s.Step)
				}
			}
		}
		if want := cfg.LR * (optim.CosineWarmup{Warmup: 4, Total: 8}).Factor(s.Step-1); s.LR != want {
			t.Errorf("step %d: learning rate %v, want %v", s.Step, s.LR, want)
		}
		before = append(before[:0], weight...)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Steps != 8 {
		t.Errorf("%d steps, want 8", res.Steps)
	}
	// With nothing to learn at all there is no loss, and no best epoch.
	problem.Loss = func(*nn.Pass, *graph.Batch) (*tensor.Tensor, float64) { return nil, 0 }
	res, err = train.Fit(context.Background(), problem, samples(1, 30), samples(2, 5), cfg, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := res.History[1].Valid.Get("loss"); res.BestEpoch != 0 || !math.IsNaN(res.History[1].TrainLoss) || !math.IsNaN(v) {
		t.Errorf("best %d, training loss %v, validation loss %v", res.BestEpoch, res.History[1].TrainLoss, v)
	}
}

// average is a hook that replaces gradients by their running average.
type average []*tensor.Param

func newAverage(params []*tensor.Param) train.GradientHook {
	var a average
	for _, p := range params {
		a = append(a, &tensor.Param{Name: p.Name, Value: tensor.New(p.Value.Shape()...)})
	}
	return a
}

func (a average) Apply(grads []*tensor.Tensor) {
	for i, g := range grads {
		if g == nil {
			continue
		}
		for k, v := range g.Data() {
			a[i].Value.Data()[k] = (a[i].Value.Data()[k] + v) / 2
		}
		grads[i] = a[i].Value.Clone()
	}
}

func (a average) State() []*tensor.Param { return a }

// A hook sees the gradients before they are clipped; what it leaves is used.
func TestGradientHook(t *testing.T) {
	w := &tensor.Param{Name: "w", Value: tensor.FromSlice([]float32{1, -2}, 2)}
	problem := train.Problem{Model: params{w}, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		return p.Var(w).Square().Sum(), 1
	}}
	cfg := train.Config{Epochs: 5, LR: 0.1, ClipNorm: 1, Optimizer: optim.Config{Name: "sgd"}, Threads: 1}
	want, mean := []float64{1, -2}, []float64{0, 0}
	if _, err := train.Fit(context.Background(), problem, samples(1, 1), nil, cfg, train.Options{Gradients: newAverage, OnStep: func(s train.StepInfo) {
		for i := range want {
			mean[i] = (mean[i] + 2*want[i]) / 2
		}
		norm := math.Hypot(mean[0], mean[1])
		for i := range want {
			want[i] -= 0.1 * mean[i] * min(1, 1/(norm+1e-6))
		}
		if math.Abs(s.GradNorm-norm) > 1e-5 {
			t.Errorf("step %d: norm %v, want %v", s.Step, s.GradNorm, norm)
		}
		for i, v := range w.Value.Data() {
			if math.Abs(float64(v)-want[i]) > 1e-5 {
				t.Errorf("step %d: w[%d] is %v, want %v", s.Step, i, v, want[i])
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
}

// params is a model without layers.
type params []*tensor.Param

func (p params) Params() []*tensor.Param { return p }

func TestDiverged(t *testing.T) {
	for _, c := range []struct {
		name, what string
		factor     float32 // on the loss, from step 7 on
	}{
		{"loss", "loss", float32(math.NaN())},
		{"infinite loss", "loss", float32(math.Inf(1))},
		{"gradient", "gradient norm", 0}, // 0·∞ in the gradient only
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			m := newClassifier(1, 4)
			problem := m.problem(t)
			lossOf, n := problem.Loss, 0
			problem.Loss = func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
				l, weight := lossOf(p, b)
				n++
				switch {
				case n < 7:
				case c.factor == 0:
					l = l.Add(p.Var(m.out.Bias).MulScalar(0).Sqrt().Sum())
				default:
					l = l.MulScalar(c.factor)
				}
				return l, weight
			}
			var saved, savedModel []byte
			cfg := basic()
			opts := train.Options{
				Checkpoint: &train.Checkpoint{Dir: dir, Interval: 1},
				OnEpoch: func(train.EpochInfo) {
					saved, savedModel = read(t, dir, "checkpoint.safetensors"), read(t, dir, "model.safetensors")
				},
			}
			res, err := train.Fit(context.Background(), problem, samples(1, 30), samples(2, 5), cfg, opts)
			var d *train.DivergedError
			if !errors.As(err, &d) {
				t.Fatalf("error %v, want a DivergedError", err)
			}
			if !strings.HasPrefix(d.What, c.what) || d.Step != 7 || d.Epoch != 2 || d.Value-d.Value == 0 {
				t.Errorf("%+v, want %s at step 7", d, c.what)
			}
			if res == nil || res.Stopped != train.StoppedDiverged {
				t.Fatalf("result %+v", res)
			}
			if res.BestEpoch != 1 {
				t.Fatalf("best epoch %d, want 1", res.BestEpoch)
			}
			for _, p := range m.Params() {
				for _, v := range p.Value.Data() {
					if v-v != 0 {
						t.Fatalf("%s holds %v", p.Name, v)
					}
				}
			}
			if string(read(t, dir, "model.safetensors")) != string(savedModel) {
				t.Error("model.safetensors changed after the last good epoch")
			}
			// Within the epoch the checkpoint went on, to the last good step.
			if string(read(t, dir, "checkpoint.safetensors")) == string(saved) {
				t.Error("no checkpoint between the first epoch and the bad step")
			}
			if _, err := train.Fit(context.Background(), newClassifier(1, 4).problem(t), samples(1, 30), samples(2, 5), cfg,
				train.Options{Checkpoint: &train.Checkpoint{Dir: dir, Resume: true}}); err != nil {
				t.Errorf("the checkpoint is not good: %v", err)
			}
		})
	}
}

// An update may overflow where loss and gradient were finite. It must not reach
// the checkpoint, neither at the end of an epoch nor within.
func TestOverflowInUpdate(t *testing.T) {
	for _, c := range []struct {
		graphs int
		want   train.DivergedError
	}{
		{1, train.DivergedError{Epoch: 1, Step: 1, What: "parameter w", Value: math.Inf(-1)}},
		{2, train.DivergedError{Epoch: 1, Step: 2, What: "loss", Value: math.Inf(-1)}},
	} {
		dir := t.TempDir()
		w := &tensor.Param{Name: "w", Value: tensor.FromSlice([]float32{1}, 1)}
		problem := train.Problem{Model: params{w}, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			return p.Var(w).MulScalar(10).Sum(), 1
		}}
		cfg := train.Config{Epochs: 3, BatchSize: 1, LR: 3e38, Optimizer: optim.Config{Name: "sgd"}}
		_, err := train.Fit(context.Background(), problem, samples(1, c.graphs), nil, cfg,
			train.Options{Checkpoint: &train.Checkpoint{Dir: dir, Interval: 1}})
		var d *train.DivergedError
		if !errors.As(err, &d) || *d != c.want {
			t.Errorf("error %v, want %v", err, &c.want)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 0 {
			t.Errorf("files %v of weights that are not finite", files)
		}
	}
	want := "train: the parameter w is -Inf at step 1 (epoch 1)"
	if got := (&train.DivergedError{Epoch: 1, Step: 1, What: "parameter w", Value: math.Inf(-1)}).Error(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Each step draws from a stream of its own, named after its number.
func TestStepRandomness(t *testing.T) {
	m := newClassifier(1, 4)
	problem := m.problem(t)
	lossOf, step := problem.Loss, 0
	problem.Loss = func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		want := rng.Stream(7, "step", step).Uint64()
		if got := p.Rand.Uint64(); got != want {
			t.Errorf("step %d draws %x, want %x", step, got, want)
		}
		step++
		return lossOf(p, b)
	}
	fitted, err := train.Fit(context.Background(), problem, samples(1, 30), nil, basic(), train.Options{})
	if err != nil || fitted.Steps != step {
		t.Errorf("%d steps, error %v", step, err)
	}
}

// A run leaves no goroutine behind, however it ends.
func TestNoGoroutineLeak(t *testing.T) {
	before := runtime.NumGoroutine()
	set := samples(1, 40)
	cfg := basic()
	cfg.BatchSize = 3
	cancelled, cancel := context.WithCancel(context.Background())
	m := newClassifier(1, 4)
	bad := append(samples(3, 39), &graph.Graph{NumNodes: 2, Node: graph.Ones(2), Edge: graph.Ones(0)}) // other width
	shape := m.problem(t)
	shape.Loss = func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) { return b.X.MatMul(b.X), 1 }
	boom := m.problem(t)
	boom.Prepare = func(*graph.Batch) { panic("boom") }
	for name, f := range map[string]func() error{
		"end": func() error {
			_, err := train.Fit(context.Background(), m.problem(t), set, nil, cfg, train.Options{})
			return err
		},
		"cancelled": func() error {
			_, err := train.Fit(cancelled, m.problem(t), set, nil, cfg, train.Options{OnStep: func(s train.StepInfo) {
				if s.Step == 5 {
					cancel()
				}
			}})
			return err
		},
		"bad graph": func() error {
			_, err := train.Fit(context.Background(), m.problem(t), bad, nil, cfg, train.Options{})
			return err
		},
		"shape bug": func() error {
			_, err := train.Fit(context.Background(), shape, set, nil, cfg, train.Options{})
			return err
		},
		"predict": func() error {
			return train.ForEachBatch(context.Background(), set, cfg, func(*nn.Pass, int, *graph.Batch) error { return errors.New("enough") })
		},
		"panic while collating": func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = errors.New("panicked")
				}
			}()
			_, err = train.Fit(context.Background(), boom, set, nil, cfg, train.Options{})
			return err
		},
	} {
		if err := f(); (err == nil) != (name == "end") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	m := newClassifier(1, 4)
	good := m.problem(t)
	set := samples(1, 10)
	width := &graph.Graph{NumNodes: 1, Node: graph.Ones(1), Edge: graph.Ones(0)}
	for _, c := range []struct {
		name, want  string
		problem     train.Problem
		train, vali []*graph.Graph
		change      func(*train.Config)
	}{
		{"no model", "Problem.Model is nil", train.Problem{Loss: good.Loss}, set, nil, nil},
		{"no loss", "Problem.Loss is nil", train.Problem{Model: m}, set, nil, nil},
		{"two of a name", `two parameters named "out.weight"`, train.Problem{Model: params{m.out.Weight, m.out.Weight}, Loss: good.Loss}, set, nil, nil},
		{"no graphs", "no training graphs", good, nil, set, nil},
		{"nil graph", "training graph 1 is nil", good, []*graph.Graph{set[0], nil}, nil, nil},
		{"nil validation graph", "validation graph 0 is nil", good, set, []*graph.Graph{nil}, nil},
		{"widths", "node features of width 1, the first has 3", good, append(set[:3:3], width), nil, nil},
		{"validation widths", "expected", good, set, []*graph.Graph{width}, nil},
		{"config", "Config.Epochs is 0", good, set, nil, func(c *train.Config) { c.Epochs = 0 }},
		{"metric", `Metric is "auc", expected one of the scores: loss, accuracy`, good, set, set, func(c *train.Config) { c.Monitor.Metric = "auc" }},
		{"metric without validation", `Metric is "accuracy", expected "loss"`, good, set, nil, func(c *train.Config) { c.Monitor.Metric = "accuracy" }},
		{"weight", "weight -1 at step 1", train.Problem{Model: m, Loss: func(*nn.Pass, *graph.Batch) (*tensor.Tensor, float64) { return nil, -1 }}, set, nil, nil},
		{"weight without loss", "weight 2 without a loss at step 1", train.Problem{Model: m, Loss: func(*nn.Pass, *graph.Batch) (*tensor.Tensor, float64) { return nil, 2 }}, set, nil, nil},
		{"loss of two", "epoch 1, step 1: tensor: Item", train.Problem{Model: m, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) { return p.Var(m.out.Bias), 2 }}, set, nil, nil},
		{"score twice", `two scores are named "a"`, scoring(good, train.Scores{{"a", 1}, {"a", 2}}, nil), set, set, nil},
		{"score without name", "score 1 has no name", scoring(good, train.Scores{{"", 1}}, nil), set, set, nil},
		{"scorer fails", "validation of epoch 1: one class only", scoring(good, nil, errors.New("one class only")), set, set, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := basic()
			if c.change != nil {
				c.change(&cfg)
			}
			res, err := train.Fit(context.Background(), c.problem, c.train, c.vali, cfg, train.Options{})
			if err == nil || res != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "train: ") {
				t.Errorf("result %v, error %v; want %q in it", res, err, c.want)
			}
		})
	}
}

// fixed is a Scorer with a given result.
type fixed struct {
	scores train.Scores
	err    error
}

func (fixed) Add(*nn.Pass, *graph.Batch)      {}
func (f fixed) Scores() (train.Scores, error) { return f.scores, f.err }

func scoring(p train.Problem, s train.Scores, err error) train.Problem {
	p.Score = func() train.Scorer { return fixed{s, err} }
	return p
}
