package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// zincEpochs is the paper's number of epochs, at most.
const zincEpochs = 500

// zincRatios are the pooling ratios of the figures; the paper's text does not list them.
var zincRatios = []float64{0.05, 0.10, 0.15, 0.20, 0.25}

// Validation losses that select an epoch.
const (
	plainLoss  = "cross-entropy"
	doubleLoss = "double-softmax"
)

// zincPreset is the amount and the kind of training.
type zincPreset struct {
	name   string
	ratios []float64
	models []string
	seeds  int
	epochs int
	cosine bool // the learning rate of the edges has warm-up and cosine decay
	choice string
	note   string // about differences from the paper
}

var zincPresets = []zincPreset{
	{name: presetQuick, ratios: []float64{0.15}, models: []string{"hypercluster", "mpnn-gmpool", "mpnn-topkpool"}, seeds: 2, epochs: 20, choice: plainLoss,
		note: "Preset quick: one ratio, three models, two seeds and 20 epochs at a constant rate, chosen by the plain cross-entropy. The\npaper has 500 epochs with warm-up and cosine and five seeds, as --preset paper has."},
	{name: presetPaper, ratios: zincRatios, models: edgeRowNames(), seeds: 5, epochs: zincEpochs, cosine: true, choice: doubleLoss},
}

// zincOptions are the options of both experiments.
func zincOptions(name string) []Option {
	return []Option{
		{Name: "preset", Help: "quick (ratio 0.15, three models, two seeds, 20 epochs: within ten minutes on two cores) or paper (500 epochs, warm-up and cosine, five seeds, five ratios, all models)", Default: presetPaper},
		{Name: "dataset", Help: "ZINC-12K: its name in the data folder, or a path", Default: "zinc12k"},
		{Name: "ratios", Help: "shares of the arcs, or of the nodes, that are pooled to, by commas or repeated (default: the preset's)", Default: []float64(nil)},
		{Name: "model", Help: "rows, by commas or repeated (default: the preset's, of " + fmt.Sprintf("%q", edgeRowNames()) + ")", Default: []string(nil)},
		{Name: "seeds", Help: "trainings of each model and ratio, with seeds from --seed upwards (default: the preset's)", Default: 0},
		{Name: "edges", Help: "directed: each bond as two edges, as in the authors' code; or undirected", Default: "directed"},
		{Name: "epochs", Help: "epochs at most (default: the preset's)", Default: 0},
		{Name: "lr", Help: "learning rate of the edges", Default: 1e-3},
		{Name: "val-loss", Help: "by which validation loss an epoch of the edges is chosen: " + plainLoss + ", or " + doubleLoss + " as in the authors' code: of the softmax of the logits, averaged over batches (default: the preset's)", Default: ""},
		{Name: "decoder-sees-edges", Help: "give the decoders that pool nodes the bonds that they are to predict", Default: false},
		{Name: "strict-molecules", Help: "rebuild molecules with their charges and hydrogens, and divide by all of them", Default: false},
		{Name: "molecules", Help: fmt.Sprintf("molecules that are drawn with their reconstructions, the first of the test part (at most %d; 0 draws none)", zincDrawn), Default: 6},
		{Name: "trainings", Help: "folder that keeps finished trainings; zinc-edges and zinc-graphs can share one (default: --out)", Default: ""},
		{Name: "out", Help: "folder that gets the tables and figures (default runs/" + name + ")", Default: ""},
	}
}

// zincRequest is what the options ask for.
type zincRequest struct {
	preset  zincPreset
	dataset DatasetColumn
	base    zincSettings
	ratios  []float64
	rows    []edgeRow
	seeds   []uint64
	strict  bool
	// molecules is how many molecules of the test part are drawn.
	molecules int
	toolkit   chem.Toolkit // nil for none
	set       *zincSet
}

func newZINCRequest(ctx context.Context, c *call) (r zincRequest, err error) {
	if r.preset, err = presetOf(c, zincPresets, func(p zincPreset) string { return p.name }); err != nil {
		return r, err
	}
	r.strict = value[bool](c, "strict-molecules")
	r.base = zincSettings{Edges: value[string](c, "edges"), Epochs: cmp.Or(value[int](c, "epochs"), r.preset.epochs), Rate: value[float64](c, "lr"),
		Cosine: r.preset.cosine, Choice: cmp.Or(value[string](c, "val-loss"), r.preset.choice), Leaky: value[bool](c, "decoder-sees-edges")}
	if r.base.Edges != "directed" && r.base.Edges != "undirected" {
		return r, settings.Misuse("--edges is %q, expected directed or undirected", r.base.Edges)
	}
	if r.base.Choice != plainLoss && r.base.Choice != doubleLoss {
		return r, settings.Misuse("--val-loss is %q, expected %s or %s", r.base.Choice, plainLoss, doubleLoss)
	}
	seeds := cmp.Or(value[int](c, "seeds"), r.preset.seeds)
	if r.base.Epochs < 1 || !(r.base.Rate > 0) || seeds < 1 {
		return r, settings.Misuse("--epochs is %d, --lr %v and --seeds %d, expected numbers above 0", r.base.Epochs, r.base.Rate, seeds)
	}
	r.seeds = c.someSeeds(seeds)
	r.ratios = slices.Compact(slices.Sorted(slices.Values(orPreset(c, "ratios", r.preset.ratios))))
	for _, ratio := range r.ratios {
		if !(ratio > 0 && ratio <= 1) {
			return r, settings.Misuse("--ratios has %v, expected numbers above 0 and at most 1", ratio)
		}
	}
	if r.rows, err = findEdgeRows(orPreset(c, "model", r.preset.models)); err != nil {
		return r, err
	}
	if r.molecules = value[int](c, "molecules"); r.molecules > zincDrawn {
		return r, settings.Misuse("--molecules is %d, expected at most %d", r.molecules, zincDrawn)
	}
	if len(r.ratios) == 0 || len(r.rows) == 0 {
		return r, settings.Misuse("--ratios has %d numbers and --model %d rows, expected at least one", len(r.ratios), len(r.rows))
	}
	if r.dataset, err = c.Find(value[string](c, "dataset")); err != nil {
		return r, err
	}
	if r.toolkit, err = c.chemistry(); err != nil {
		return r, err
	}
	r.set, err = r.read(ctx)
	return r, err
}

// zincExperiment is an experiment on ZINC: bonds, or graphs of atoms and bonds.
func zincExperiment(e Experiment, graphs bool) Experiment {
	e.Help, e.Options = e.Help+zincHelp, zincOptions(e.Name)
	e.run = seriesRun(e.Name, newZINCRequest, func(ctx context.Context, _ *call, r zincRequest, s *series[zincResult]) (*report.Document, error) {
		var list []training[zincResult]
		for _, of := range r.trainings(graphs) {
			list = append(list, training[zincResult]{what: of, name: of.title(), epochs: of.Epochs,
				do: func(ctx context.Context, w work) (zincResult, error) { return r.set.train(ctx, of, w) }})
		}
		results, err := s.run(ctx, e.Name, list)
		if err != nil {
			return nil, err
		}
		t, err := newZINCTable(ctx, r, results)
		if err != nil {
			return nil, err
		}
		return t.document(e.Name, graphs)
	})
	return e
}

// chemistry is the toolkit of the environment; nil if the build has none.
func (c *call) chemistry() (chem.Toolkit, error) {
	if c.Toolkit == nil {
		return nil, nil
	}
	toolkit, err := c.Toolkit()
	if errors.Is(err, chem.ErrNoToolkit) {
		return nil, nil
	}
	return toolkit, err
}

// trainings returns the settings of all trainings: by ratio, first the nodes if requested, then
// each row, by seed.
func (r zincRequest) trainings(nodes bool) []zincSettings {
	var out []zincSettings
	for _, ratio := range r.ratios {
		base := r.base
		base.Data, base.Ratio = r.set.checksum, ratio
		if nodes {
			for _, seed := range r.seeds {
				out = append(out, base.ofNodes(seed))
			}
		}
		for _, row := range r.rows {
			for _, seed := range r.seeds {
				of := base
				of.Row, of.Seed = row.name, seed
				out = append(out, of)
			}
		}
	}
	return out
}

// zincEdges is the paper's figure of ZINC bonds by pooling ratio.
var zincEdges = zincExperiment(Experiment{
	Name: "zinc-edges", Title: "Bonds of ZINC, reconstructed by every model over pooling ratios: accuracy, validity, exact match",
	Help: `Compress the bonds of ZINC-12K (10,000 / 1,000 / 1,000 molecules) and reconstruct their
types: HyperCluster, which clusters edges, and edge-aware layers for nodes (EGCN, MPNN,
R-GCN, EGNN) with GMPool or TopKPool of nodes, over pooling ratios, mean and deviation over
seeds. Accuracy is over the edges of the test part; molecules are then rebuilt of the true
atoms and the predicted bonds: validity is the share that is a molecule, exact match the
share with the canonical SMILES of the true one.
`,
	Example: `  ehgnn reproduce zinc-edges --preset quick
  ehgnn reproduce zinc-edges --ratios 0.05,0.25 --model hypercluster,mpnn-gmpool --seeds 2`,
}, false)

// zincGraphs is the paper's figure of whole ZINC molecules by pooling ratio.
var zincGraphs = zincExperiment(Experiment{
	Name: "zinc-graphs", Title: "Atoms and bonds of ZINC, reconstructed by every model over pooling ratios: accuracy, validity, exact match",
	Help: `Compress atoms and bonds of ZINC-12K (10,000 / 1,000 / 1,000 molecules) by two autoencoders
that are trained apart, at the same pooling ratio, and reconstruct both. Atoms are those of
GMPool at a rate of 5e-3 in every row; bonds are those of zinc-edges, whose models are the
rows. Accuracy is over the atoms and edges of the test part together; molecules are then
rebuilt of predicted atoms and predicted bonds: validity is the share that is a molecule,
exact match the share with the canonical SMILES of the true one.
`,
	Example: `  ehgnn reproduce zinc-graphs --preset quick
  ehgnn reproduce zinc-graphs --trainings runs/zinc-edges`,
}, true)

// zincHelp is a help text shared by both experiments on ZINC.
const zincHelp = `
As in the authors' code, atoms are rebuilt as bare elements, so that some true molecules
break a valence (35 of the 1,000): these are left out of both shares. With
--strict-molecules charges and hydrogens stay and no molecule is left out. Rebuilding needs
the chemistry build (make build-chem); another prints n/a there, and what it has trained is
scored in full when the chemistry build runs with the same folder.

Finished trainings are kept in --trainings at once, and long ones write checkpoints there: a
run that was interrupted or killed goes on where it was. At the end --out has table.md,
table.csv, table.json, report.html and, as SVG and PNG, a figure over the ratios and for each
ratio one of the first molecules of the test part: the original with its bonds coloured by
the cluster that HyperCluster gives them, and what each model makes of it with wrong bonds
and atoms marked (--molecules says how many). Another build than that with chemistry places
the atoms as those of any graph.
`
