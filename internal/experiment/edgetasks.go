package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// edgeTasks compares models and baselines on real graphs whose edges have labels.
var edgeTasks = Experiment{
	Name: "edges", Title: "Labels and numbers of edges of real graphs: models and baselines, compared with published numbers",
	Help: `Train models and fit baselines on graphs whose edges have labels, and compare them with
published numbers. The data sets are bitcoin_alpha (is a rating trust or distrust), wn18rr (which
of eleven relations two word senses have) and alfabet_bde (the energy that breaks a bond),
in the folder edges of the data folder, each with the split that it comes with and read as
published: columns that give the label away are left out; and two that are generated:
ratings, from effects and tastes of users and items, and relations, 200 of them between
things whose kinds decide which one holds. Another table of edges may be named by its path;
--task, --label, --part and --ignore say how such tables are read.

There are two protocols. inductive: held-out edges are not in the graph that is trained on.
transductive: that they exist, and their features, is seen. No row ever sees a label that is
not of a training edge, nor that of the edge it predicts.

Finished trainings are kept in --out at once, and long ones write checkpoints there: a run
that was interrupted or killed goes on where it was. At the end --out has table.md,
table.csv, table.json and report.html.

Rows (--model):
` + edgeTaskRowHelp(),
	Example: `  ehgnn reproduce edges --preset quick
  ehgnn reproduce edges --dataset bitcoin_alpha --model ehgnn-roles,labels --seeds 3
  ehgnn reproduce edges --dataset payments.csv --ignore amount --epochs 50`,
	Options: []Option{
		{Name: "preset", Help: "quick (the default model, the same without layers, mlp-edge and the baselines, one seed, inductive: about a quarter of an hour on two cores) or full (all rows, five seeds, both protocols); other flags win", Default: presetFull},
		{Name: "dataset", Help: "data sets, by commas or repeated: names in the data folder, or paths (default: those of the experiment that are there)", Default: edgeSetNames()},
		{Name: "model", Help: "rows, by commas or repeated (default: the preset's)", Default: []string(nil)},
		{Name: "protocol", Help: "inductive, transductive or both, by commas (default: the preset's)", Default: []string(nil)},
		{Name: "seeds", Help: "trainings of each model, with seeds from --seed upwards (default: the preset's)", Default: 0, Least: 1},
		{Name: "task", Help: "of tables that are none of the above: edge-classification (default) or edge-regression", Default: ""},
		{Name: "label", Help: "of such tables: column to predict (default: label, class or y)", Default: ""},
		{Name: "part", Help: "of such tables: column of the parts of a split (default: a random split by --seed)", Default: ""},
		{Name: "ignore", Help: "of such tables: columns not to read, by commas or repeated", Default: []string(nil)},
		{Name: "out", Help: "folder that keeps finished trainings and gets the tables (default runs/edges)", Default: ""},
	},
	Trains: true, run: seriesRun("edges", newEdgeRequest, runEdgeTasks),
}

const presetFull = "full"

// edgePreset is a form of the experiment.
type edgePreset struct {
	name      string
	rows      []string // nil for all
	protocols []string
	seeds     int
	note      string
}

var edgePresets = []edgePreset{
	{name: presetQuick, rows: []string{"ehgnn-roles", "ehgnn-roles-0", "mlp-edge", "majority", "degrees", "labels"}, protocols: []string{inductive}, seeds: 1,
		note: "Preset quick: few rows, one seed, one protocol. --preset full has all."},
	{name: presetFull, protocols: []string{inductive, transductive}, seeds: 5},
}

// Protocols: which held-out edges training sees.
const (
	inductive    = "inductive"
	transductive = "transductive"
)

// edgeRequest is what the options ask for.
type edgeRequest struct {
	preset    edgePreset
	sets      []edgeSet
	rows      []edgeTaskRow
	protocols []string
	seeds     []uint64
	settings  settings.Values // given settings of training
	splitSeed uint64          // of sets without a split
	notes     []string
}

func newEdgeRequest(_ context.Context, c *call) (r edgeRequest, err error) {
	if r.preset, err = presetOf(c, edgePresets, func(p edgePreset) string { return p.name }); err != nil {
		return r, err
	}
	r.settings, r.splitSeed, r.notes = c.Settings, c.Seed, remarks(r.preset.note)
	if len(c.Changed) > 0 {
		r.notes = append(r.notes, "Settings of this run that are not the defaults: "+strings.Join(c.Changed, ", ")+".")
	}
	if r.rows, err = findEdgeTaskRows(orDefault(value[[]string](c, "model"), r.preset.rows)); err != nil {
		return r, err
	}
	if err := r.readBySome(); err != nil {
		return r, err
	}
	r.protocols = orDefault(value[[]string](c, "protocol"), r.preset.protocols)
	for _, p := range r.protocols {
		if p != inductive && p != transductive {
			return r, settings.Misuse("--protocol is %q, expected %s or %s", p, inductive, transductive)
		}
	}
	if p, twice := duplicate(r.protocols, func(p string) string { return p }); twice {
		return r, settings.Misuse("--protocol has %s twice", p)
	}
	r.seeds = c.someSeeds(orPreset(c, "seeds", r.preset.seeds))
	return r, r.findSets(c)
}

// orDefault returns given, or the default list.
func orDefault(given, other []string) []string {
	if len(given) > 0 {
		return given
	}
	return other
}

// readBySome returns an error for a setting that no row reads.
func (r *edgeRequest) readBySome() error {
	if err := r.settings.Validate(); err != nil {
		return err
	}
	var rows []modelRow
	for _, row := range r.rows {
		if row.baseline == nil {
			rows = append(rows, modelRow{Name: row.name, Model: row.model, Overrides: row.values})
		}
	}
	for option := range r.settings {
		if err := checkRead(option, r.settings, rows); err != nil {
			return err
		}
	}
	return nil
}

// findSets finds the requested data sets, or those of the experiment that exist.
func (r *edgeRequest) findSets(c *call) error {
	var missing []string
	for _, name := range value[[]string](c, "dataset") {
		if set, ok := findEdgeSet(name); ok && set.generate != nil {
			if !c.given("dataset") && len(r.sets) == 0 {
				continue // only together with real sets
			}
			path, err := set.generated(filepath.Join(c.outOr("edges"), "data"))
			if err != nil {
				return err
			}
			set.path = path
			r.sets = append(r.sets, set)
			continue
		}
		at, err := c.Find(name)
		if err != nil && c.given("dataset") {
			return err
		}
		if err != nil {
			missing = append(missing, name)
			continue
		}
		name = strings.TrimSuffix(filepath.Base(at.Path), ".zip")
		set, ok := findEdgeSet(name)
		if !ok {
			set = edgeSet{name: name, task: value[string](c, "task"), reading: otherReading(c)}
		}
		if set.path = at.Path; c.Format != "" {
			set.reading = set.reading.Over(settings.Values{"format": c.Format})
		}
		r.sets = append(r.sets, set)
	}
	if name, twice := duplicate(r.sets, func(s edgeSet) string { return s.name }); twice {
		return settings.Misuse("--dataset has %s twice", name)
	}
	notes, err := leftOut(c, missing, len(r.sets))
	r.notes = append(r.notes, notes...)
	return err
}

// leftOut is a remark on edge data sets that are missing in the data folder, if some were found; otherwise an error.
func leftOut(c *call, missing []string, found int) (notes []string, err error) {
	names := strings.Join(missing, ", ")
	if found == 0 {
		return nil, settings.Misuse("none of the data sets %s is in the folder edges of the data folder %s (--data-dir or EHGNN_DATA)", names, c.DataDir)
	}
	if len(missing) > 0 {
		notes = []string{"Left out, because they are not in the data folder: " + names + "."}
	}
	return notes, nil
}

// otherReading returns the settings that read a data set unknown to the experiment.
func otherReading(c *call) settings.Values {
	out := settings.Values{}
	for name, v := range map[string]string{"label": value[string](c, "label"), "part": value[string](c, "part"), "edges": c.Edges} {
		if v != "" {
			out[name] = v
		}
	}
	if ignore := value[[]string](c, "ignore"); len(ignore) > 0 {
		out["ignore"] = ignore
	}
	return out
}

func runEdgeTasks(ctx context.Context, _ *call, r edgeRequest, s *series[edgeResult]) (*report.Document, error) {
	list, err := r.plan(ctx)
	if err != nil {
		return nil, fmt.Errorf("experiment: edges: %w", err)
	}
	results, err := s.run(ctx, "edges", list)
	if err != nil {
		return nil, err
	}
	return r.document(results), nil
}
