package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// demoResult has the results of the demonstration.
type demoResult struct {
	TwoMoon struct {
		Nodes    int     `json:"nodes"`
		Edges    int     `json:"edges"`
		Clusters int     `json:"clusters"`
		Epochs   int     `json:"epochs"`
		MSE      float64 `json:"mse"`          // error of HyperCluster's colours
		MeanMSE  float64 `json:"mean_mse"`     // error of predicting the mean colour
		Right    float64 `json:"right_colour"` // share of edges with the correct nearest palette colour
		Seconds  float64 `json:"seconds"`
	} `json:"two_moon"`
	Classes struct {
		Graphs    int     `json:"graphs"`
		HyperDrop float64 `json:"hyperdrop"` // test accuracy
		GCN       float64 `json:"gcn"`       // test accuracy without edge features
		Chance    float64 `json:"chance"`
		Seconds   float64 `json:"seconds"`
	} `json:"edge_classes"`
	Payments demoPayments `json:"payments"`
	Seconds  float64      `json:"seconds"`
	Report   string       `json:"report"` // path of the page

	start   time.Time
	moon    *graph.Graph
	colours []float32 // edge colours [edges,3] reconstructed by HyperCluster
}

// Limits of the demonstration: under two minutes on two cores.
const (
	demoMoonEpochs  = 1200
	demoGraphs      = 1000
	demoClassEpochs = 40
)

// Demo trains the default model of edge tables on generated payments, and the paper's two models on
// generated graphs: HyperCluster reconstructs the edge colours of the two-moon graph from one
// percent of them (section 4.1, with layer norm and a learning rate of 5e-3, which avoid the
// constant solution). HyperDrop classifies graphs whose class depends only on their edges, and is
// compared with a GCN that reads no edge features.
var Demo = Experiment{
	Name: "demo", Title: "Show the main job on data it generates, in about a minute",
	Help: `Find fraud among generated payments with the default model of tables: learners compete, and
the leaderboard says which are best. Then train the paper's two models on generated graphs.
HyperCluster reconstructs the
edge colours of the two-moon graph from one percent of its edges. HyperDrop classifies
graphs whose class is decided by their edges alone; a GCN without edge features is
trained for comparison. Nothing is downloaded. A page shows the results.`,
	Options: []Option{{Name: "out", Help: "folder that gets the page, report.html (default runs/demo)", Default: ""}},
	run: func(ctx context.Context, c *call) (*report.Document, error) {
		r := &demoResult{start: time.Now()}
		d := &demo{ctx: ctx, seed: c.Seed, threads: c.Threads, onStage: c.OnStage, dir: c.outOr("demo")}
		for _, step := range []func(*demoResult) error{d.payments, d.twoMoon, d.classes, d.page} {
			if err := step(r); err != nil {
				return nil, fmt.Errorf("experiment: demo: %w", err)
			}
		}
		return &report.Document{Parts: []report.Part{r.lines()}, Value: r}, nil
	},
}

// lines is the result as text; every number has a number to compare it with.
func (r *demoResult) lines() report.Lines {
	m, c := r.TwoMoon, r.Classes
	return append(r.Payments.lines(),
		"",
		fmt.Sprintf("Edge reconstruction: the two-moon graph, %d edges, colours from %d pooled vectors", m.Edges, m.Clusters),
		fmt.Sprintf("  %-34s  %-18s  %s", "", "squared error", "right colour"),
		fmt.Sprintf("  %-34s  %-18.4f  %.1f %%", "HyperCluster", m.MSE, 100*m.Right),
		fmt.Sprintf("  %-34s  %.4f", "predicting the mean colour", m.MeanMSE),
		"",
		fmt.Sprintf("Graph classification: %d graphs whose class is decided by their edges alone", c.Graphs),
		fmt.Sprintf("  %-34s  %s", "", "test accuracy"),
		fmt.Sprintf("  %-34s  %.1f %%", "HyperDrop", 100*c.HyperDrop),
		fmt.Sprintf("  %-34s  %.1f %%", "GCN, which sees no edge features", 100*c.GCN),
		"",
		fmt.Sprintf("%.0f seconds. To look at: %s. Next: ehgnn train --help", r.Seconds, r.Report),
	)
}

type demo struct {
	ctx     context.Context
	seed    uint64
	threads int
	onStage func(stage string, done, total int, text string)
	dir     string // of the page, the table of payments and its run
}

// epochHook reports the epochs of a stage.
func (d *demo) epochHook(stage string, epochs int) func(train.EpochInfo) {
	return func(e train.EpochInfo) {
		if d.onStage != nil {
			d.onStage(stage, e.Epoch, epochs, fmt.Sprintf("loss %.4f", e.TrainLoss))
		}
	}
}

func (d *demo) twoMoon(r *demoResult) error {
	start := time.Now()
	g, _, err := synth.TwoMoon(synth.Arc, d.seed)
	if err != nil {
		return err
	}
	m, err := trainMoon(d.ctx, edgeRows[0], moonSettings{Colours: synth.Arc, Row: edgeRows[0].name, Graph: d.seed, Seed: d.seed, Epochs: demoMoonEpochs, Rate: 5e-3, LayerNorm: true},
		g, work{threads: d.threads, onEpoch: d.epochHook("HyperCluster, two-moon", demoMoonEpochs)})
	if err != nil {
		return err
	}
	out := &r.TwoMoon
	out.Nodes, out.Edges, out.Clusters, out.Epochs = g.NumNodes, g.NumEdges(), m.Clusters, demoMoonEpochs
	out.MSE, out.MeanMSE, out.Right = m.MSE, meanColourError(g.EdgeLabel), m.Right
	r.moon, r.colours = g, channels(m.Drawn)
	out.Seconds = time.Since(start).Seconds()
	return nil
}

// rightColours is the share of rows whose nearest palette colour is the true one.
func rightColours(rgb []float32, label []int32) float64 {
	right := 0
	for e, want := range label {
		best, at := float32(0), -1
		for k, c := range synth.Palette() {
			dist := float32(0)
			for i, v := range c {
				delta := v - rgb[3*e+i]
				dist += delta * delta
			}
			if at < 0 || dist < best {
				best, at = dist, k
			}
		}
		if at == int(want) {
			right++
		}
	}
	return float64(right) / float64(len(label))
}

func (d *demo) classes(r *demoResult) error {
	start := time.Now()
	graphs, err := synth.EdgeClass(demoGraphs, d.seed)
	if err != nil {
		return err
	}
	labels := lists.Map(graphs, func(g *graph.Graph) int32 { return g.Label })
	training, valid, test, err := data.StratifiedSplit(labels, [3]float64{0.7, 0.1, 0.2}, d.seed)
	if err != nil {
		return err
	}
	classify, err := task.FindTask("graph-classification")
	if err != nil {
		return err
	}
	out := &r.Classes
	out.Graphs, out.Chance = len(graphs), 0.5
	for _, run := range []struct {
		name string
		to   *float64
	}{{"hyperdrop", &out.HyperDrop}, {"gcn", &out.GCN}} {
		spec, err := model.Find(run.name)
		if err != nil {
			return err
		}
		c := spec.Config()
		c.Dims, c.Seed = model.Dims{Node: graphs[0].Node.Width(), Edge: graphs[0].Edge.Width(), Out: 2}, d.seed
		for name, value := range map[string]any{"hidden": 64, "layers": 3, "ratio": 0.8, "score": model.ScoreSigmoid, "dropout": 0.2} {
			c.Default(name, value)
		}
		m, err := spec.New(c)
		if err != nil {
			return err
		}
		p := classify.Problem(m, &settings.Settings{Model: c})
		cfg := train.Config{Epochs: demoClassEpochs, BatchSize: 64, LR: 2e-3, ClipNorm: 1, Seed: d.seed, Threads: d.threads, Optimizer: optim.Config{Name: "adam"}}
		if _, err := train.Fit(d.ctx, p, lists.Take(graphs, training), lists.Take(graphs, valid), cfg, train.Options{OnEpoch: d.epochHook(run.name+", edge classes", demoClassEpochs)}); err != nil {
			return err
		}
		scores, err := train.Evaluate(d.ctx, p, lists.Take(graphs, test), train.Config{Threads: d.threads})
		if err != nil {
			return err
		}
		*run.to, _ = scores.Get("accuracy")
	}
	out.Seconds = time.Since(start).Seconds()
	return nil
}
