package train_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// gcnMean is GCN, ReLU, mean readout, linear classifier.
type gcnMean struct {
	conv *nn.GCN
	out  *nn.Linear
}

func (m gcnMean) Params() []*tensor.Param { return nn.Params(m.conv, m.out) }

// TestTorchRun repeats a run of PyTorch step by step: loss, norm before
// clipping, learning rate, and the weights at the end.
func TestTorchRun(t *testing.T) {
	var want struct {
		Config struct {
			Epochs, Warmup int
			LR, Clip       float64
			WeightDecay    float64 `json:"weight_decay"`
		}
		Graphs []struct {
			Nodes int
			Ends  []int32
			Label int32
			X     []float32
		}
		Initial              map[string][]float32
		Losses, Norms, Rates []float64
		Final                map[string][]float64
	}
	if err := json.Unmarshal(read(t, "testdata", "torch_run.json"), &want); err != nil {
		t.Fatal(err)
	}
	var graphs []*graph.Graph
	for _, g := range want.Graphs {
		checked, err := graph.New(graph.Graph{NumNodes: g.Nodes, Ends: g.Ends, Label: g.Label,
			Node: graph.Features{Dim: 3, Dense: g.X}, Edge: graph.Ones(len(g.Ends) / 2)})
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, checked)
	}
	in := nn.NewInit(1)
	m := gcnMean{nn.NewGCN(in.In("conv"), nn.ConvDims{In: 3, Out: 4}, nn.GCNConfig{}), nn.NewLinear(in.In("out"), nn.Dims{In: 4, Out: 2})}
	for _, p := range m.Params() {
		if copy(p.Value.Data(), want.Initial[p.Name]) != p.Value.Size() {
			t.Fatalf("no initial values for %s", p.Name)
		}
	}
	problem := train.Problem{Model: m, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		labels, err := loss.NewLabels(b.Labels, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := tensor.SegmentMean(m.conv.ForwardReLU(p, b.View), b.VertexOf)
		return loss.CrossEntropy(m.out.Forward(p, x), labels), labels.Total
	}}
	cfg := train.Config{
		Epochs: want.Config.Epochs, LR: want.Config.LR, ClipNorm: want.Config.Clip,
		Optimizer: optim.Config{Name: "adam", WeightDecay: want.Config.WeightDecay},
		Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: want.Config.Warmup},
	}
	// The reference computes in float64; twelve steps of float32 stay within 1e-5.
	near := func(what string, step int, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) {
			t.Errorf("step %d: %s is %v, want %v", step, what, got, want)
		}
	}
	_, err := train.Fit(context.Background(), problem, graphs, nil, cfg, train.Options{OnStep: func(s train.StepInfo) {
		near("loss", s.Step, s.Loss, want.Losses[s.Step-1])
		near("norm", s.Step, s.GradNorm, want.Norms[s.Step-1])
		near("learning rate", s.Step, s.LR, want.Rates[s.Step-1])
		if s.Step < len(want.Losses) {
			return
		}
		for _, p := range m.Params() {
			for i, v := range p.Value.Data() {
				near(p.Name, s.Step, float64(v), want.Final[p.Name][i])
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
}
