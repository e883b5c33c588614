package bench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Epoch is a measurement of training epochs.
type Epoch struct {
	Dataset string    `json:"dataset"`
	Model   string    `json:"model"`
	Graphs  int       `json:"graphs"`
	Seconds []float64 `json:"epoch_seconds"`
	Least   float64   `json:"epoch_seconds_min"`
	// PeakBytes is the peak memory of the process. For a generated set it is the peak since the
	// previous set, if the system reports it.
	PeakBytes int64 `json:"peak_rss_bytes"`
	// The other fields are set only for generated sets: the steps of an epoch, and allocations of a
	// step, including batches, after the first epoch.
	Generated  bool    `json:"generated,omitempty"`
	Steps      int     `json:"steps,omitempty"`
	Allocs     float64 `json:"allocs_per_step,omitempty"`
	AllocBytes float64 `json:"alloc_bytes_per_step,omitempty"`
}

// sized describes random graphs of the mean size of a data set. They take about the same time as
// the set and need no download.
type sized struct {
	like                 string
	model                string
	graphs, nodes, edges int
	edgeHidden           int
	ratio                float64
	reconstructs         bool // the model predicts edge types; otherwise one class for each graph
}

// For large sets, only a part of the graphs is generated.
var sizedSets = []sized{
	{"MUTAG", "hyperdrop", 152, 18, 20, 128, 0.9, false},
	{"PROTEINS", "hyperdrop", 891, 39, 73, 128, 0.65, false},
	{"COLLAB", "hyperdrop", 256, 74, 2457, 16, 0.85, false},
	{"ZINC", "hypercluster", 2560, 23, 25, 32, 0.15, true},
}

// Epochs trains the paper's models on generated graphs for epochs+1 epochs; the first is a warm-up.
func Epochs(ctx context.Context, o Options, epochs int) ([]Epoch, error) {
	m := newMeter(ctx, o, len(sizedSets), 1)
	var out []Epoch
	for _, s := range sizedSets {
		if err := m.begin("epochs, " + s.like + "-sized"); err != nil {
			return nil, err
		}
		e, err := m.epochs(s, epochs)
		if err != nil {
			return nil, fmt.Errorf("bench: epochs: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

func (m *meter) epochs(s sized, epochs int) (Epoch, error) {
	debug.FreeOSMemory()
	memory.ResetPeak()
	graphs, err := s.generate()
	if err != nil {
		return Epoch{}, err
	}
	problem, cfg, err := s.problem(graphs[0])
	if err != nil {
		return Epoch{}, err
	}
	cfg.Epochs, cfg.Threads = epochs+1, m.pool.Threads()
	e := Epoch{Dataset: s.like + "-sized", Model: s.model, Graphs: len(graphs), Generated: true,
		Steps: (len(graphs) + cfg.BatchSize - 1) / cfg.BatchSize}
	var warm, last runtime.MemStats
	begin := time.Now()
	_, err = train.Fit(m.ctx, problem, graphs, nil, cfg, train.Options{OnEpoch: func(i train.EpochInfo) {
		took := time.Since(begin).Seconds()
		runtime.ReadMemStats(&last)
		if i.Epoch == 1 {
			warm = last
		} else {
			e.Seconds = append(e.Seconds, took)
		}
		begin = time.Now()
	}})
	if err != nil {
		return Epoch{}, err
	}
	e.Least, e.PeakBytes = slices.Min(e.Seconds), memory.Peak()
	steps := float64(epochs * e.Steps)
	e.Allocs, e.AllocBytes = float64(last.Mallocs-warm.Mallocs)/steps, float64(last.TotalAlloc-warm.TotalAlloc)/steps
	return e, nil
}

func (s sized) generate() ([]*graph.Graph, error) {
	graphs := make([]*graph.Graph, s.graphs)
	for i := range graphs {
		g, err := synth.ErdosRenyi(s.nodes, s.edges, uint64(i))
		if err != nil {
			return nil, err
		}
		g.Label = int32(i % 2)
		graphs[i] = g
	}
	return graphs, nil
}

// problem is the problem that packages task and model train with the paper's settings: classes of
// graphs, or edge types reconstructed from a few vectors.
func (s sized) problem(g *graph.Graph) (train.Problem, train.Config, error) {
	spec, err := model.Find(s.model)
	if err != nil {
		return train.Problem{}, train.Config{}, err
	}
	nodeDim, edgeDim := g.Node.Width(), g.Edge.Width()
	c := spec.Config()
	c.Node, c.Edge, c.Out, c.Seed = nodeDim, edgeDim, 2, 1
	settings := map[string]any{"hidden": 128, "edge-hidden": s.edgeHidden, "layers": 3, "ratio": s.ratio, "dropout": 0.5}
	cfg := train.Config{BatchSize: 128, LR: 5e-4, ClipNorm: 1, Optimizer: optim.Config{Name: "adam", WeightDecay: 1e-4}, Seed: 1}
	of := func(o *model.Output, b *graph.Batch) (*tensor.Tensor, []int32) { return o.Graph, b.Labels }
	if s.reconstructs {
		c.Out = edgeDim
		settings = map[string]any{"hidden": 32, "layers": 2, "heads": 1, "clusters": model.Share(s.ratio, 2*s.edges), "layer-norm": false, "seed-scale": 0.0} // as published
		cfg = train.Config{BatchSize: 128, LR: 1e-3, Optimizer: optim.Config{Name: "adam"}, Seed: 1}
		of = func(o *model.Output, b *graph.Batch) (*tensor.Tensor, []int32) { return o.Edge, b.EdgeLabels }
	}
	for name, value := range settings {
		c.Default(name, value)
	}
	mod, err := spec.New(c)
	if err != nil {
		return train.Problem{}, train.Config{}, err
	}
	return train.Problem{Model: mod, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		y, class := of(mod.Forward(p, b), b)
		l, err := loss.NewLabels(class, c.Out, nil)
		if err != nil {
			panic(err) // the generated classes are in range
		}
		return loss.CrossEntropy(y, l), l.Total
	}}, cfg, nil
}
