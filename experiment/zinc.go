package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/report"
)

// zincEpochs are those of the paper, at most.
const zincEpochs = 500

// zincRatios are the pooling ratios of the figures; the paper gives their grid in no words.
var zincRatios = []float64{0.05, 0.10, 0.15, 0.20, 0.25}

// Losses of the validation part by which an epoch is chosen.
const (
	plainLoss  = "cross-entropy"
	doubleLoss = "double-softmax"
)

// zincPreset is how much is trained, and how.
type zincPreset struct {
	name   string
	ratios []float64
	models []string
	seeds  int
	epochs int
	cosine bool // the rate of the edges warms up and falls along a cosine
	choice string
	note   string // of what is not as in the paper
}

var zincPresets = []zincPreset{
	{name: presetQuick, ratios: []float64{0.15}, models: []string{"hypercluster", "mpnn-gmpool", "mpnn-topkpool"}, seeds: 2, epochs: 20, choice: plainLoss,
		note: "Preset quick: one ratio, three models, two seeds and 20 epochs at a constant rate, chosen by the plain cross-entropy. The\npaper has 500 epochs with warm-up and cosine and five seeds, as --preset paper has."},
	{name: presetPaper, ratios: zincRatios, models: edgeRowNames(), seeds: 5, epochs: zincEpochs, cosine: true, choice: doubleLoss},
}

// zincOptions are those of both experiments, whose name is given.
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
	// molecules is how many of the test part are drawn.
	molecules int
}

func newZINCRequest(c *call) (r zincRequest, err error) {
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
	for k := range seeds {
		r.seeds = append(r.seeds, c.Seed+uint64(k))
	}
	if r.ratios = r.preset.ratios; c.given("ratios") {
		r.ratios = slices.Compact(slices.Sorted(slices.Values(value[[]float64](c, "ratios"))))
	}
	for _, ratio := range r.ratios {
		if !(ratio > 0 && ratio <= 1) {
			return r, settings.Misuse("--ratios has %v, expected numbers above 0 and at most 1", ratio)
		}
	}
	models := r.preset.models
	if c.given("model") {
		models = value[[]string](c, "model")
	}
	for _, name := range models {
		row, err := findEdgeRow(name)
		if err != nil {
			return r, err
		}
		r.rows = append(r.rows, row)
	}
	if r.molecules = value[int](c, "molecules"); r.molecules > zincDrawn {
		return r, settings.Misuse("--molecules is %d, expected at most %d", r.molecules, zincDrawn)
	}
	if len(r.ratios) == 0 || len(r.rows) == 0 {
		return r, settings.Misuse("--ratios has %d numbers and --model %d rows, expected at least one", len(r.ratios), len(r.rows))
	}
	r.dataset, err = c.Find(value[string](c, "dataset"))
	return r, err
}

// runZINC trains all that is asked for and makes the document: of the bonds, or with graphs of
// atoms and bonds.
func runZINC(ctx context.Context, c *call, name string, graphs bool) (*report.Document, error) {
	r, err := newZINCRequest(c)
	if err != nil {
		return nil, err
	}
	toolkit, err := c.chemistry()
	if err != nil {
		return nil, err
	}
	set, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	dir := c.outOr(name)
	s, err := openSeries[zincResult](c, cmp.Or(value[string](c, "trainings"), dir))
	if err != nil {
		return nil, err
	}
	defer s.finish()
	var list []training[zincResult]
	for _, of := range r.trainings(set, graphs) {
		list = append(list, training[zincResult]{what: of, name: of.title(), epochs: of.Epochs,
			do: func(ctx context.Context, w work) (zincResult, error) { return set.train(ctx, of, w) }})
	}
	results, err := s.run(ctx, name, list)
	if err != nil {
		return nil, err
	}
	t, err := newZINCTable(ctx, r, set, toolkit, results)
	if err != nil {
		return nil, err
	}
	d, err := t.document(name, graphs)
	if err != nil {
		return nil, err
	}
	return s.write(d, dir)
}

// chemistry is the toolkit of the environment; nil where the build has none.
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

// trainings are the settings of all trainings: by ratio, those of the nodes if they are asked
// for, then those of each row, by seed.
func (r zincRequest) trainings(set *zincSet, nodes bool) []zincSettings {
	var out []zincSettings
	for _, ratio := range r.ratios {
		base := r.base
		base.Data, base.Ratio = set.checksum, ratio
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
