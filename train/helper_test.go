package train_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// classifier is a real model with everything that makes training stateful:
// batch norm's buffers and dropout's randomness.
type classifier struct {
	conv    *nn.GCN
	norm    *nn.BatchNorm
	out     *nn.Linear
	dropout float64
}

func newClassifier(seed uint64, hidden int) *classifier {
	in := nn.NewInit(seed)
	return &classifier{
		conv:    nn.NewGCN(in.In("conv"), nn.ConvDims{In: 3, Out: hidden}, nn.GCNConfig{}),
		norm:    nn.NewBatchNorm(in.In("norm"), hidden),
		out:     nn.NewLinear(in.In("out"), nn.Dims{In: hidden, Out: 2}),
		dropout: 0.2,
	}
}

func (m *classifier) Params() []*tensor.Param { return nn.Params(m.conv, m.norm, m.out) }

func (m *classifier) logits(p *nn.Pass, b *graph.Batch) *tensor.Tensor {
	x := m.norm.Forward(p, m.conv.ForwardReLU(p, b.View))
	x = nn.Dropout(p, x, m.dropout)
	return m.out.Forward(p, tensor.SegmentMean(x, b.VertexOf))
}

// problem is graph classification with loss and accuracy.
func (m *classifier) problem(t testing.TB) train.Problem {
	lossOf := func(p *nn.Pass, b *graph.Batch) (logits, mean *tensor.Tensor, n float64) {
		labels, err := loss.NewLabels(b.Labels, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		logits = m.logits(p, b)
		return logits, loss.CrossEntropy(logits, labels), labels.Total
	}
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			_, mean, n := lossOf(p, b)
			return mean, n
		},
		Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
			logits, mean, n := lossOf(p, b)
			right := 0.0
			for i, c := range b.Labels {
				if row := logits.Data()[2*i:]; (row[1] > row[0]) == (c == 1) {
					right++
				}
			}
			return []train.Sum{
				{Name: "loss", Total: float64(mean.Item()) * n, Weight: n},
				{Name: "accuracy", Total: right, Weight: n},
			}
		}),
		Prepare: func(b *graph.Batch) { b.H.GCN() },
	}
}

// samples are rings (class 0) and stars (class 1) of different sizes with noisy
// features: the class can only be seen through the edges.
func samples(seed uint64, n int) []*graph.Graph {
	r := rng.Stream(seed, "samples")
	out := make([]*graph.Graph, n)
	for i := range out {
		nodes := 5 + r.IntN(8)
		g := graph.Graph{NumNodes: nodes, Label: int32(r.IntN(2))}
		for v := 1; v < nodes; v++ {
			from := v - 1
			if g.Label == 1 {
				from = 0
			}
			g.Ends = append(g.Ends, int32(from), int32(v))
		}
		if g.Label == 0 {
			g.Ends = append(g.Ends, int32(nodes-1), 0)
		}
		g.Node = graph.Features{Dim: 3, Dense: make([]float32, 3*nodes)}
		for k := range g.Node.Dense {
			g.Node.Dense[k] = 1 + 0.1*float32(r.NormFloat64())
		}
		g.Edge = graph.Ones(len(g.Ends) / 2)
		checked, err := graph.New(g)
		if err != nil {
			panic(err)
		}
		out[i] = checked
	}
	return out
}

// basic is a short run with several batches, the last one smaller.
func basic() train.Config {
	return train.Config{
		Epochs: 6, BatchSize: 8, LR: 0.02, ClipNorm: 1, Seed: 7, Threads: 1,
		Optimizer: optim.Config{WeightDecay: 1e-4},
	}
}

// outcome is everything a run may be compared by.
type outcome struct {
	params  map[string][]float32
	history []train.EpochInfo // without times
	best    int
	steps   int
	stopped train.Stopped
}

func outcomeOf(m nn.Module, res *train.Result) outcome {
	o := outcome{params: map[string][]float32{}, best: res.BestEpoch, steps: res.Steps, stopped: res.Stopped}
	for _, p := range m.Params() {
		o.params[p.Name] = slices.Clone(p.Value.Data())
	}
	for _, e := range res.History {
		e.Seconds = 0
		o.history = append(o.history, e)
	}
	return o
}

// sameRun fails the test unless two runs are equal to the bit.
func sameRun(t *testing.T, got, want outcome) {
	t.Helper()
	for name, w := range want.params {
		for i, v := range got.params[name] {
			if math.Float32bits(v) != math.Float32bits(w[i]) {
				t.Errorf("%s[%d] is %v, want %v", name, i, v, w[i])
				break
			}
		}
	}
	// Printing compares NaN as equal and tells every float apart.
	if g, w := fmt.Sprintf("%+v", got.history), fmt.Sprintf("%+v", want.history); g != w {
		t.Errorf("history\n%s\nwant\n%s", g, w)
	}
	if got.best != want.best || got.steps != want.steps || got.stopped != want.stopped {
		t.Errorf("best epoch %d, steps %d, stopped %q; want %d, %d, %q",
			got.best, got.steps, got.stopped, want.best, want.steps, want.stopped)
	}
}

// fit runs to the end.
func fit(t *testing.T, m *classifier, cfg train.Config, opts train.Options) outcome {
	t.Helper()
	res, err := train.Fit(context.Background(), m.problem(t), samples(1, 30), samples(2, 13), cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	return outcomeOf(m, res)
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
