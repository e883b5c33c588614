package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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

// Sizes of the compression experiment (paper, appendix C.2). The paper does not give the grid of
// clusters (the smallest number that is accurate enough counts) and the early stopping (as for the
// two-moon graph).
const (
	packNodes    = 1000
	packRatio    = 0.15 // pooling ratio of nodes, for both methods
	packHidden   = 32
	packEpochs   = 5000
	packPatience = 1000
	packNodeRate = 5e-3
)

// packGrid has the numbers of clusters to try, in ascending order.
var packGrid = []int{6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}

// packGoals are the required shares of correct edges, in percent.
var packGoals = []int{75, 95}

// packPreset is the amount of work.
type packPreset struct {
	name      string
	edges     []int
	graphs    int
	rate      float64
	layerNorm bool
	note      string
}

var packPresets = []packPreset{
	{name: presetQuick, edges: []int{1000, 5000}, graphs: 1, rate: 5e-3, layerNorm: true,
		note: "Preset quick: two of the three sizes, one graph each and not three, 5e-3 with layer norm in the pools where the paper has 1e-3 without."},
	{name: presetPaper, edges: []int{1000, 5000, 10000}, graphs: 3, rate: 1e-3},
}

// compression is the paper's figure of the size of compressed graphs.
var compression = Experiment{
	Name: "compression", Title: "Size of compressed Erdos-Renyi graphs at 95 % and 75 % edge accuracy, compared with GMT",
	Help: `Compress Erdos-Renyi graphs of 1,000 nodes with three values and of 1,000 to 10,000 edges
whose six types are the values of their ends. GMT pools the nodes to 15 % and leaves the
edges as they are; HyperCluster pools the edges, too, to as few vectors as reconstruct 95 %
or 75 % of their types: the first of a rising grid whose mean accuracy over the graphs
suffices. Training and evaluation use the same graph, since the task is compression.

The size is given in two counts, as shares of the graph: rows of features, as the paper
counts, which leaves out how edges are assigned to the vectors; and scalars, with an index
for each edge. Finished trainings are kept in --out at once: a run that was interrupted or
killed goes on where it was. At the end --out has table.md, table.csv, table.json,
report.html and the figure as SVG and PNG.
`,
	Example: `  ehgnn reproduce compression --preset quick
  ehgnn reproduce compression --edges 1000 --graphs 1`,
	Options: []Option{
		{Name: "preset", Help: "quick (1,000 and 5,000 edges, a graph each, 5e-3 with layer norm: within ten minutes on two cores) or paper (all sizes, three graphs, 1e-3 without)", Default: presetPaper},
		{Name: "edges", Help: "numbers of edges, by commas or repeated (default: the preset's)", Default: []int(nil), Least: 1},
		{Name: "graphs", Help: "graphs of each size, with seeds from --seed upwards (default: the preset's)", Default: 0},
		{Name: "directed", Help: "each edge as two, as in the authors' code", Default: false},
		{Name: "epochs", Help: "epochs at most", Default: packEpochs, Least: 1},
		{Name: "lr", Help: "learning rate of the edges (default: the preset's)", Default: 0.0},
		{Name: "layer-norm", Help: "layer norm in the pools (default: the preset's)", Default: false},
		{Name: "out", Help: "folder that keeps finished trainings and gets the tables and the figure (default runs/compression)", Default: ""},
	},
	run: seriesRun("compression", newPackRequest, runCompression),
}

// packSettings determine the result of one training.
type packSettings struct {
	Edges     int     `json:"edges"`
	Seed      uint64  `json:"seed"` // of the graph and of the training
	Items     string  `json:"items"`
	Vectors   int     `json:"vectors"` // number of vectors after pooling
	Directed  bool    `json:"directed"`
	Epochs    int     `json:"epochs"`
	Rate      float64 `json:"lr"`
	LayerNorm bool    `json:"layer_norm"`
}

// packResult is the result of a training.
type packResult struct {
	packSettings
	Accuracy float64 `json:"accuracy"` // share of correct types or values, in percent
	ending
}

// packRequest is what the options ask for.
type packRequest struct {
	preset packPreset
	base   packSettings
	edges  []int
	seeds  []uint64
}

func newPackRequest(_ context.Context, c *call) (r packRequest, err error) {
	if r.preset, err = presetOf(c, packPresets, func(p packPreset) string { return p.name }); err != nil {
		return r, err
	}
	r.edges = orPreset(c, "edges", r.preset.edges)
	for _, m := range r.edges {
		if _, err := synth.ErdosRenyi(packNodes, m, c.Seed); err != nil {
			return r, settings.Misuse("--edges: %w", err)
		}
	}
	r.seeds = c.someSeeds(cmp.Or(value[int](c, "graphs"), r.preset.graphs))
	r.base = packSettings{Directed: value[bool](c, "directed"), Epochs: value[int](c, "epochs"), Rate: cmp.Or(value[float64](c, "lr"), r.preset.rate),
		LayerNorm: orPreset(c, "layer-norm", r.preset.layerNorm)}
	if !(r.base.Rate > 0) {
		return r, settings.Misuse("--lr is %v, expected a number above 0", r.base.Rate)
	}
	return r, nil
}

func runCompression(ctx context.Context, _ *call, r packRequest, s *series[packResult]) (*report.Document, error) {
	sizes, err := r.measure(ctx, s)
	if err != nil {
		return nil, err
	}
	return r.document(sizes)
}

// packSize has the measurements for a number of edges.
type packSize struct {
	edges int
	nodes []packResult   // of each graph
	tried [][]packResult // for each tried number of clusters, of each graph
}

// measure trains on the nodes, and on the edges with more and more clusters until every goal is
// reached.
func (r packRequest) measure(ctx context.Context, s *series[packResult]) ([]packSize, error) {
	sizes := make([]packSize, len(r.edges))
	var list []training[packResult]
	for i, m := range r.edges {
		sizes[i].edges = m
		list = append(list, r.trainings(m, settings.Nodes, model.Share(packRatio, packNodes))...)
	}
	got, err := s.run(ctx, "nodes", list)
	if err != nil {
		return nil, err
	}
	for i := range sizes {
		sizes[i].nodes, got = got[:len(r.seeds)], got[len(r.seeds):]
	}
	for _, k := range packGrid {
		list = list[:0]
		var open []*packSize
		for i := range sizes {
			if z := &sizes[i]; z.first(slices.Max(packGoals)) == nil && k <= z.edges {
				open = append(open, z)
				list = append(list, r.trainings(z.edges, settings.Edges, k)...)
			}
		}
		got, err := s.run(ctx, fmt.Sprintf("%d clusters", k), list)
		if err != nil {
			return nil, err
		}
		for _, z := range open {
			z.tried, got = append(z.tried, got[:len(r.seeds)]), got[len(r.seeds):]
		}
	}
	return sizes, nil
}

// first is the result with the fewest clusters that reach a goal; nil if none does.
func (z *packSize) first(goal int) []packResult {
	for _, of := range z.tried {
		if meanAccuracy(of) >= float64(goal) {
			return of
		}
	}
	return nil
}

func meanAccuracy(of []packResult) float64 {
	mean, _ := report.MeanStd(lists.Map(of, func(r packResult) float64 { return r.Accuracy }))
	return mean
}

// trainings returns the trainings on the nodes or the edges of every graph of a size.
func (r packRequest) trainings(m int, items settings.Level, vectors int) []training[packResult] {
	var out []training[packResult]
	for _, seed := range r.seeds {
		of := r.base
		of.Edges, of.Seed, of.Items, of.Vectors = m, seed, string(items)+"s", vectors
		if items == settings.Nodes {
			of.Rate = packNodeRate
		}
		out = append(out, training[packResult]{what: of, name: fmt.Sprintf("%d edges, %s to %d, seed %d", m, of.Items, vectors, of.Seed), epochs: of.Epochs,
			do: func(ctx context.Context, w work) (packResult, error) { return trainPack(ctx, items, of, w) }})
	}
	return out
}

// trainPack compresses the nodes or the edges of a graph and counts the correct reconstructions.
func trainPack(ctx context.Context, items settings.Level, of packSettings, w work) (packResult, error) {
	out := packResult{packSettings: of}
	fail := func(err error) (packResult, error) {
		return out, fmt.Errorf("experiment: compression: %w", err)
	}
	g, err := synth.ErdosRenyi(packNodes, of.Edges, of.Seed)
	if err != nil {
		return fail(err)
	}
	if of.Directed {
		g = g.Arcs()
	}
	name, clusters, width := "hypercluster", "clusters", g.Edge.Width()
	if items == settings.Nodes {
		name, clusters, width = "gmpool-nodes", "node-clusters", g.Node.Width()
	}
	spec, err := model.Find(name)
	if err != nil {
		return fail(err)
	}
	c := spec.Config()
	c.Dims, c.Seed = model.Dims{Node: g.Node.Width(), Edge: g.Edge.Width(), Out: width}, of.Seed
	for name, v := range map[string]any{"hidden": packHidden, "layers": 2, "heads": 1, clusters: of.Vectors, "layer-norm": of.LayerNorm} {
		c.Default(name, v)
	}
	m, err := spec.New(c)
	if err != nil {
		return fail(err)
	}
	t, err := task.FindTask(string(items) + "-reconstruction")
	if err != nil {
		return fail(err)
	}
	problem := t.Problem(m, &settings.Settings{Model: c, Data: settings.DataSettings{Graphs: &settings.GraphSettings{NodeCodes: c.Node, EdgeCodes: c.Edge}}})
	config := train.Config{Epochs: of.Epochs, LR: of.Rate, Patience: packPatience, Seed: of.Seed, Threads: w.threads, Optimizer: optim.Config{Name: "adam"}}
	one := []*graph.Graph{g}
	out.ending, err = endingOf(train.Fit(ctx, problem, one, nil, config, train.Options{Checkpoint: w.checkpoint, OnEpoch: w.onEpoch}))
	if err != nil {
		return fail(err)
	}
	scores, err := train.Evaluate(ctx, problem, one, config)
	if err != nil {
		return fail(err)
	}
	accuracy, _ := scores.Get("accuracy")
	out.Accuracy = 100 * accuracy
	return out, nil
}
