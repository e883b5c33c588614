package experiment

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// moonPreset is the number of epochs and the learning rate.
type moonPreset struct {
	name      string
	epochs    int
	rate      float64
	layerNorm bool
	note      string // about differences from the paper
}

var moonPresets = []moonPreset{
	{name: presetQuick, epochs: 2500, rate: 5e-3, layerNorm: true,
		note: "Preset quick: 2,500 epochs at 5e-3 with layer norm in the pools. The paper has up to 5,000 epochs at 1e-3 without, as --preset paper has."},
	{name: presetPaper, epochs: 5000, rate: 1e-3},
}

const (
	moonHidden   = 16
	moonRatio    = 0.01
	moonPatience = 1000
)

// twoMoon is the reconstruction of the two-moon graph, with the paper's figure of it.
var twoMoon = Experiment{
	Name: "two-moon", Title: "Edge colours of the two-moon graph, reconstructed by every model",
	Help: `Compress the edge colours of the two-moon graph (2,000 points, about 6,100 edges) to 1 %
and reconstruct them: HyperCluster, which clusters edges, and edge-aware layers for
nodes (EGCN, MPNN, R-GCN, EGNN) with GMPool or TopKPool of nodes. The paper gives no rule
for the colours; there are three: arc (eight large clusters), patch (120 patches of about
51 edges) and iid (a random colour for each edge, which cannot be compressed).

The decoder of the models that pool nodes is made of GCNs, which do not see the colours;
with --decoder-sees-edges it is made of the encoder's layers, which do. Finished trainings
are kept in --out at once, and long ones write checkpoints there: a run that was
interrupted or killed goes on where it was. At the end --out has table.md, table.csv,
table.json, report.html and, for each rule, a figure as SVG and PNG with the original and
the reconstructed colours of every model.
`,
	Example: `  ehgnn reproduce two-moon --preset quick
  ehgnn reproduce two-moon --colours patch --model hypercluster,mpnn-gmpool --seeds 2`,
	Options: []Option{
		{Name: "preset", Help: "quick (2,500 epochs at 5e-3 with layer norm: within ten minutes on two cores) or paper (5,000 epochs at 1e-3 without)", Default: presetPaper},
		{Name: "colours", Help: "rules for the colours, by commas or repeated", Default: []string{string(synth.Arc), string(synth.Patch), string(synth.IID)}},
		{Name: "model", Help: "rows, by commas or repeated", Default: edgeRowNames()},
		{Name: "seeds", Help: "trainings of each model, with seeds from --seed upwards; the graph is that of --seed", Default: 1, Least: 1},
		{Name: "edges", Help: "undirected, or directed: each edge as two, as in the authors' code", Default: "undirected"},
		{Name: "epochs", Help: "epochs at most (default: the preset's)", Default: 0},
		{Name: "lr", Help: "learning rate (default: the preset's)", Default: 0.0},
		{Name: "layer-norm", Help: "layer norm in the pools (default: the preset's)", Default: false},
		{Name: "seed-scale", Help: "standard deviation of the pools' first seeds (default: Glorot-uniform seeds)", Default: 0.0},
		{Name: "decoder-sees-edges", Help: "give the decoders that pool nodes the colours that they are to predict", Default: false},
		{Name: "out", Help: "folder that keeps finished trainings and gets the tables and figures (default runs/two-moon)", Default: ""},
	},
	run: seriesRun("two-moon", newMoonRequest, runTwoMoon),
}

// moonSettings and the graph determine the result of one training.
type moonSettings struct {
	Colours   synth.Colouring `json:"colours"`
	Row       string          `json:"model"`
	Graph     uint64          `json:"graph_seed"`
	Seed      uint64          `json:"seed"`
	Directed  bool            `json:"directed"`
	Epochs    int             `json:"epochs"`
	Rate      float64         `json:"lr"`
	LayerNorm bool            `json:"layer_norm"`
	SeedScale float64         `json:"seed_scale"`
	Leaky     bool            `json:"decoder_sees_edges"`
}

// moonRequest is what the options ask for.
type moonRequest struct {
	preset  moonPreset
	base    moonSettings // of all trainings
	colours []synth.Colouring
	rows    []edgeRow
	seeds   []uint64
	notes   []string
}

func newMoonRequest(_ context.Context, c *call) (r moonRequest, err error) {
	if r.preset, err = presetOf(c, moonPresets, func(p moonPreset) string { return p.name }); err != nil {
		return r, err
	}
	edges := value[string](c, "edges")
	if edges != "undirected" && edges != "directed" {
		return r, settings.Misuse("--edges is %q, expected undirected or directed", edges)
	}
	r.base = moonSettings{Graph: c.Seed, Directed: edges == "directed", Epochs: cmp.Or(value[int](c, "epochs"), r.preset.epochs),
		Rate: cmp.Or(value[float64](c, "lr"), r.preset.rate), LayerNorm: orPreset(c, "layer-norm", r.preset.layerNorm),
		SeedScale: value[float64](c, "seed-scale"), Leaky: value[bool](c, "decoder-sees-edges")}
	if r.base.Epochs < 1 || !(r.base.Rate > 0) || !(r.base.SeedScale >= 0) {
		return r, settings.Misuse("--epochs is %d, --lr %v and --seed-scale %v, expected numbers above 0", r.base.Epochs, r.base.Rate, r.base.SeedScale)
	}
	for _, name := range value[[]string](c, "colours") {
		if _, _, err := synth.TwoMoon(synth.Colouring(name), c.Seed); err != nil {
			return r, settings.Misuse("--colours: %w", err)
		}
		r.colours = append(r.colours, synth.Colouring(name))
	}
	if r.rows, err = findEdgeRows(value[[]string](c, "model")); err != nil {
		return r, err
	}
	r.seeds = c.someSeeds(value[int](c, "seeds"))
	r.notes = remarks(r.preset.note)
	if r.base.Leaky {
		r.notes = append(r.notes, "The decoders of models that pool nodes were given the colours that they predict (--decoder-sees-edges).")
	}
	return r, nil
}

func runTwoMoon(ctx context.Context, c *call, r moonRequest, s *series[moonResult]) (*report.Document, error) {
	graphs := map[synth.Colouring]*graph.Graph{}
	var list []training[moonResult]
	for _, colours := range r.colours {
		g, _, err := synth.TwoMoon(colours, c.Seed)
		if err != nil {
			return nil, fmt.Errorf("experiment: two-moon: %w", err)
		}
		if r.base.Directed {
			g = g.Arcs()
		}
		graphs[colours] = g
		for _, row := range r.rows {
			for _, seed := range r.seeds {
				of := r.base
				of.Colours, of.Row, of.Seed = colours, row.name, seed
				list = append(list, training[moonResult]{what: of, name: fmt.Sprintf("%s, %s, seed %d", row.title, colours, seed), epochs: of.Epochs,
					do: func(ctx context.Context, w work) (moonResult, error) { return trainMoon(ctx, row, of, g, w) }})
			}
		}
	}
	results, err := s.run(ctx, "two-moon", list)
	if err != nil {
		return nil, err
	}
	return r.document(graphs, results)
}

// Colours have three channels; R-GCN, which reads types, gets codes.
func newMoonModel(row edgeRow, of moonSettings, g *graph.Graph) (model.Model, error) {
	spec, err := model.Find(row.model)
	if err != nil {
		return nil, err
	}
	c := spec.Config()
	c.Dims, c.Seed = model.Dims{Node: g.Node.Width(), Edge: g.Edge.Width(), Out: 3}, of.Seed
	for name, v := range map[string]any{"hidden": moonHidden, "layers": 2, "heads": 1, "clusters": model.Share(moonRatio, g.NumEdges()),
		"node-clusters": model.Share(moonRatio, g.NumNodes), "layer-norm": of.LayerNorm, "seed-scale": of.SeedScale} {
		c.Default(name, v)
	}
	for _, at := range c.At("conv") {
		*at.(*string) = row.conv
	}
	for _, at := range c.At("decoder-sees-edges") {
		*at.(*bool) = of.Leaky
	}
	return spec.New(c)
}
