package experiment

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// Presets between the presets that other experiments have as well.
const (
	presetSmall     = "small"
	presetReference = "reference"
)

// marsPreset is the amount of work.
type marsPreset struct {
	name         string
	chains       int
	steps        int
	fragments    int
	batches      int // minibatches in a step, at most
	molecules    int // of a list, for its fragments; 0 for all
	seeds        int
	vocabularies []string
	note         string
}

var marsPresets = []marsPreset{
	{presetQuick, 64, 600, 500, 4, 6000, 1, []string{"zinc"}, "Preset quick: 64 chains of 600 steps with 4 minibatches each, 500 fragments, one seed."},
	{presetSmall, 128, 150, 500, 25, 0, 3, []string{"zinc", "chembl"}, "Preset small: 128 chains of 150 steps, 500 fragments, three seeds. The temperature has fallen to 0.28 by then: chains still\ntake much worse molecules."},
	{presetReference, 1000, 1000, 1000, 25, 0, 10, []string{"zinc", "chembl"}, ""},
	{presetPaper, 5000, 550, 1000, 25, 0, 3, []string{"zinc", "chembl"}, ""},
}

// marsRow is a proposal.
type marsRow struct{ name, title string }

// marsUniform proposes all edits with equal probability.
const marsUniform = "uniform"

var marsRows = []marsRow{{"mars", "MARS"}, {"mars-ehgnn", "MARS + EHGNN"}, {marsUniform, "uniform proposals"}}

// marsScores are the optimised scores, with the clips of MARS.
var marsScores = []struct {
	name, title string
	clip        float64
}{{"qed", "QED", 0.7}, {"sa", "SA", 0.7}, {"gsk3b", "GSK3β", 0.6}, {"jnk3", "JNK3", 0.6}}

// marsThresholds are the thresholds of the paper's main table, then those of MARS.
var marsThresholds = []mars.Thresholds{
	{Name: "strict", Least: map[string]float64{"qed": 0.67, "sa": 0.67, "gsk3b": 0.6, "jnk3": 0.6}},
	{Name: "original", Least: map[string]float64{"qed": 0.6, "sa": 0.67, "gsk3b": 0.5, "jnk3": 0.5}},
}

// marsExperiment is the paper's table of MARS.
var marsExperiment = Experiment{
	Name: "mars", Title: "Molecules optimised by MARS with and without EHGNN: success, novelty, diversity",
	Help: `Run annealed chains of edits that a network proposes, MARS and MARS + EHGNN, to maximise
QED, SA and the scores of two random forests for GSK3β and JNK3, and compare the success of
the last molecules under two sets of thresholds with the paper's. Needs the chemistry build.

The forests are trained here, on the lists gsk3 and jnk3 of the data folder, since those of
the authors are not to be had, and fragments are of the lists zinc and chembl there, which
are smaller than the paper's: absolute numbers depend on both. Every list may also be a file.

Finished runs are kept in --out at once, and long ones write checkpoints there: what was
interrupted or killed goes on where it was. At the end --out has table.md, table.csv,
table.json, report.html, figures of the curves, of the best molecules and of the edits of a
chain as SVG and PNG, the forests and the vocabularies.
`,
	Example: `  ehgnn reproduce mars --preset quick
  ehgnn reproduce mars --preset small --vocabulary zinc --model mars,mars-ehgnn,uniform`,
	Options: []Option{
		{Name: "preset", Help: "quick (64 chains of 600 steps, little learning: within ten minutes on two cores), small (128 of 150, 3 seeds), reference (1,000 of 1,000, 10 seeds) or paper (5,000 of 550, 3 seeds)", Default: presetPaper},
		{Name: "vocabulary", Help: "lists of molecules whose fragments are used, by name or file, by commas or repeated; EHGNN learns at 5e-3 that warms up and falls with the list called zinc, as in the paper, and at 3e-4 with any other (default: the preset's, of zinc and chembl)", Default: []string(nil)},
		{Name: "model", Help: "rows, by commas or repeated: mars, mars-ehgnn, or uniform, which learns nothing", Default: []string{"mars", "mars-ehgnn"}},
		{Name: "seeds", Help: "runs of each row, with seeds from --seed upwards (default: the preset's)", Default: 0},
		{Name: "chains", Help: "chains of a run (default: the preset's)", Default: 0},
		{Name: "steps", Help: "steps of a run (default: the preset's)", Default: 0},
		{Name: "fragments", Help: "arms of a vocabulary (default: the preset's)", Default: 0},
		{Name: "batches", Help: "minibatches that are learned in a step at most (default: the preset's, 25 but for quick)", Default: 0},
		{Name: "wide", Help: "width of the inner layers of the edges in both models; the paper has 5", Default: 0},
		{Name: "clip", Help: "largest norm of the gradients; 0 for any, as in the published code", Default: 5.0},
		{Name: "out", Help: "folder that keeps finished runs and gets the tables and figures (default runs/mars)", Default: ""},
	},
	run: seriesRun("mars", newMARSRequest, runMARS),
}

// marsSettings and the scores determine the result of one run.
type marsSettings struct {
	Vocabulary string      `json:"vocabulary"` // name as given
	Fragments  string      `json:"fragments"`  // checksum of its arms
	Row        string      `json:"model"`
	Config     mars.Config `json:"config"`
	Oracles    []string    `json:"oracles"` // checksums of their lists
	Toolkit    string      `json:"toolkit"`
}

// marsRun is the result of one run.
type marsRun struct {
	marsSettings
	mars.Result
}

// marsRequest is what the options ask for.
type marsRequest struct {
	preset       marsPreset
	base         mars.Config
	fragments    int
	vocabularies []string
	rows         []marsRow
	seeds        []uint64
	toolkit      chem.Toolkit
}

func newMARSRequest(_ context.Context, c *call) (r marsRequest, err error) {
	if r.preset, err = presetOf(c, marsPresets, func(p marsPreset) string { return p.name }); err != nil {
		return r, err
	}
	r.base = mars.NewConfig()
	r.base.Chains, r.base.Steps = cmp.Or(value[int](c, "chains"), r.preset.chains), cmp.Or(value[int](c, "steps"), r.preset.steps)
	r.base.Batches = cmp.Or(value[int](c, "batches"), r.preset.batches)
	r.base.Clip, r.base.Wide = value[float64](c, "clip"), value[int](c, "wide")
	r.fragments = cmp.Or(value[int](c, "fragments"), r.preset.fragments)
	seeds := cmp.Or(value[int](c, "seeds"), r.preset.seeds)
	if r.base.Chains < 1 || r.base.Steps < 1 || r.fragments < 1 || seeds < 1 || r.base.Wide < 0 || !(r.base.Clip >= 0) {
		return r, settings.Misuse("--chains is %d, --steps %d, --fragments %d, --seeds %d, --wide %d and --clip %v, expected numbers above 0", r.base.Chains, r.base.Steps, r.fragments, seeds, r.base.Wide, r.base.Clip)
	}
	r.seeds = c.someSeeds(seeds)
	if r.rows, err = named("model", value[[]string](c, "model"), marsRows, func(r marsRow) string { return r.name }); err != nil {
		return r, err
	}
	r.vocabularies = orPreset(c, "vocabulary", r.preset.vocabularies)
	if len(r.rows) == 0 || len(r.vocabularies) == 0 {
		return r, settings.Misuse("--model has %d rows and --vocabulary %d lists, expected at least one of each", len(r.rows), len(r.vocabularies))
	}
	if r.toolkit, err = c.chemistry(); err == nil && r.toolkit == nil {
		err = settings.Misuse("%w", chem.ErrNoToolkit)
	}
	return r, err
}

// config is the configuration of a run. EHGNN uses the paper's learning rate for the list; for the
// list of ZINC it is larger, with warm-up and decay.
func (r marsRequest) config(vocabulary string, row marsRow, seed uint64) mars.Config {
	c := r.base
	c.Seed, c.Edges = seed, mars.EdgesMLP
	switch row.name {
	case "mars-ehgnn":
		c.Edges = mars.EdgesEHGNN
		if vocabulary == "zinc" {
			c.EdgeRate, c.Cosine = 5e-3, true
		}
	case marsUniform:
		c.Uniform = true
	}
	return c
}

func runMARS(ctx context.Context, c *call, r marsRequest, s *series[marsRun]) (*report.Document, error) {
	kinases, err := openKinases(ctx, c, r.toolkit, s.dir)
	if err != nil {
		return nil, err
	}
	var list []training[marsRun]
	var lists []*marsList
	for _, name := range r.vocabularies {
		l, err := r.openList(ctx, c, s.dir, name)
		if err != nil {
			return nil, err
		}
		defer l.editor.Close()
		lists = append(lists, l)
		for _, row := range r.rows {
			for _, seed := range r.seeds {
				of := marsSettings{Vocabulary: name, Fragments: l.checksum, Row: row.name, Config: r.config(name, row, seed), Oracles: kinases.checksums(), Toolkit: r.toolkit.Version()}
				list = append(list, training[marsRun]{what: of, name: fmt.Sprintf("%s, %s, seed %d", row.title, name, seed), epochs: of.Config.Steps,
					do: func(ctx context.Context, w work) (marsRun, error) { return l.run(ctx, r.toolkit, kinases, of, w) }})
			}
		}
	}
	results, err := s.run(ctx, "mars", list)
	if err != nil {
		return nil, err
	}
	return marsTable{marsRequest: r, kinases: kinases, lists: lists, runs: results}.document()
}

// kinases returns the two oracles and the actives of their lists.
type kinases struct {
	gsk3b, jnk3 *score.Oracle
	actives     []string
}

// openKinases trains the oracles, or reads stored ones from a folder.
func openKinases(ctx context.Context, c *call, tk chem.Toolkit, dir string) (*kinases, error) {
	k := &kinases{}
	for i, of := range []struct {
		name, list string
		to         **score.Oracle
	}{{"gsk3b", "gsk3", &k.gsk3b}, {"jnk3", "jnk3", &k.jnk3}} {
		if c.OnStage != nil {
			c.OnStage("forests", i, 2, of.name)
		}
		path, err := smiles.Locate(c.DataDir, of.list)
		if err != nil {
			return nil, settings.Misuse("%w", err)
		}
		list, err := score.ReadActives(path, of.list)
		if err != nil {
			return nil, err
		}
		if *of.to, err = score.OpenOracle(ctx, tk, c.Threads, dir, list, score.NewOracleConfig(of.name)); err != nil {
			return nil, err
		}
		k.actives = append(k.actives, list.OfActive()...)
	}
	return k, nil
}

func (k *kinases) checksums() []string { return []string{k.gsk3b.Data, k.jnk3.Data} }

// scores are the four scores of MARS.
func (k *kinases) scores(tk chem.Toolkit, threads int) (*score.Set, error) {
	of := map[string]score.Property{"qed": score.QED, "sa": score.SA, "gsk3b": k.gsk3b.Property, "jnk3": k.jnk3.Property}
	var terms []score.Term
	for _, s := range marsScores {
		terms = append(terms, score.Term{Name: s.name, Property: of[s.name], Weight: 1, Clip: s.clip})
	}
	return score.NewSet(tk, threads, terms...)
}

// marsList is a vocabulary, ready to use.
type marsList struct {
	name, checksum string
	vocabulary     *mars.Vocabulary
	editor         *mars.Editor
	dropped        []string
}

// openList cuts the molecules of a list into fragments, unless an earlier run stored them in the
// folder. It also stores the vocabulary there as a table.
func (r marsRequest) openList(ctx context.Context, c *call, dir, name string) (*marsList, error) {
	if c.OnStage != nil {
		c.OnStage("fragments", 0, 1, name)
	}
	path, err := smiles.Locate(c.DataDir, name)
	if err != nil {
		return nil, settings.Misuse("%w", err)
	}
	texts, _, err := smiles.Texts(path, "")
	if err != nil {
		return nil, err
	}
	if n := r.preset.molecules; n > 0 && len(texts) > n {
		texts = texts[:n]
	}
	l := &marsList{name: name}
	if l.vocabulary, err = mars.OpenVocabulary(ctx, r.toolkit, dir, texts, mars.ExtractConfig{Size: r.fragments, Threads: c.Threads}); err != nil {
		return nil, err
	}
	if l.checksum, err = l.vocabulary.WriteFile(filepath.Join(dir, "fragments-"+fileName(name)+".csv")); err != nil {
		return nil, err
	}
	if l.editor, l.dropped, err = mars.NewEditor(r.toolkit, l.vocabulary, mars.MaxAtoms); err == nil && len(l.dropped) > 0 {
		c.Log.Warn("fragments that do not parse are left out", "list", name, "count", len(l.dropped), "first", l.dropped[0])
	}
	return l, err
}

// fileName is the name of a list, made from the name of its file.
func fileName(list string) string {
	base, _, _ := strings.Cut(filepath.Base(list), ".")
	return base
}

// run does one run.
func (l *marsList) run(ctx context.Context, tk chem.Toolkit, k *kinases, of marsSettings, w work) (marsRun, error) {
	scores, err := k.scores(tk, w.threads)
	if err != nil {
		return marsRun{}, err
	}
	start, err := l.editor.Read("CC")
	if err != nil {
		return marsRun{}, err
	}
	t := mars.Task{Editor: l.editor, Scores: scores, Start: []*mars.Molecule{start}, Thresholds: marsThresholds, Reference: k.actives,
		OnStep: func(p mars.Progress) { w.onEpoch(train.EpochInfo{Epoch: p.Step + 1, TrainLoss: p.Loss}) }}
	if w.checkpoint != nil {
		t.Checkpoint = &mars.Checkpoint{Dir: w.checkpoint.Dir, Interval: w.checkpoint.Interval, Identity: w.checkpoint.Identity}
	}
	c := of.Config
	c.Threads = w.threads
	result, err := mars.Run(ctx, t, c)
	if err != nil {
		return marsRun{}, err
	}
	return marsRun{of, *result}, nil
}
