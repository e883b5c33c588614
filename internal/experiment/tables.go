package experiment

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// tablesExperiment compares the default model of edge tables with its learners and with other programs.
//
// A job is a data set with a seed. It trains the default model once and scores each of its learners, so that most rows
// of the table cost no extra training. Jobs run one after another on all threads, so that their time and memory can be
// compared.
var tablesExperiment = Experiment{
	Name: "tables", Title: "The default model of edge tables compared with its learners, a constant baseline and LightGBM",
	Help: `Train the default model on tables of edges, one run for each data set and seed, and compare it
with its own learners, a constant baseline and, if it is named, the network over the graph. The
data sets are those of the folder edges of the data folder, each with the split that it comes
with (column part).

Results of other programs, JSON lines as bench/peer/edgetables.py writes them, are rows of the
same tables (--others). --columns writes the columns that the learners read to --out, for such
programs.

Finished trainings are kept in --out at once: a run that was interrupted or killed goes on where
it was. At the end --out has table.md, table.csv, table.json, report.html and the plot of scores
against seconds.

Rows (--model):
` + tablesRowHelp(),
	Example: `  ehgnn reproduce tables --preset quick
  ehgnn reproduce tables --dataset marvel,lawfirm --seeds 2 --columns
  ehgnn reproduce tables --others runs/tables/lightgbm.jsonl`,
	Options: []Option{
		{Name: "preset", Help: "quick (three small data sets, one seed, --quality fast: less than a minute) or full (all, five seeds); other flags win", Default: presetFull},
		{Name: "dataset", Help: "data sets, by commas or repeated: names in the data folder, or paths of tables with a column part (default: the preset's that are there)", Default: []string(nil)},
		{Name: "model", Help: "rows, by commas or repeated (default: all but " + tablesNetwork + ")", Default: []string(nil)},
		{Name: "seeds", Help: "trainings, with seeds from --seed upwards (default: the preset's)", Default: 0, Least: 1},
		{Name: "quality", Help: "work of the default model: fast, good or best (default: the preset's)", Default: ""},
		{Name: "columns", Help: "write the columns of edges to OUT/columns, for other programs", Default: false},
		{Name: "others", Help: "files of results of other programs, by commas or repeated", Default: []string(nil)},
		{Name: "out", Help: "folder that keeps finished trainings and gets the tables (default runs/tables)", Default: ""},
	},
	run: seriesRun("tables", newTablesRequest, runTables),
}

// tablesPreset is a form of the experiment.
type tablesPreset struct {
	name, quality string
	sets          []string
	seeds         int
	note          string
}

var tablesPresets = []tablesPreset{
	{name: presetQuick, quality: model.QualityFast, sets: []string{"marvel", "lawfirm", "korea_migration"}, seeds: 1,
		note: "Preset quick: small data sets, one seed, --quality fast. --preset full has all."},
	{name: presetFull, quality: model.QualityGood, sets: tableSetNames(), seeds: 5},
}

// tablesRequest is what the options ask for.
type tablesRequest struct {
	preset  tablesPreset
	quality string
	sets    []tableSet
	rows    []tableRow
	seeds   []uint64
	others  []tableResult
	columns string // folder for the columns, empty for none
	notes   []string
}

func newTablesRequest(_ context.Context, c *call) (r tablesRequest, err error) {
	if r.preset, err = presetOf(c, tablesPresets, func(p tablesPreset) string { return p.name }); err != nil {
		return r, err
	}
	r.notes, r.quality = remarks(r.preset.note), orPreset(c, "quality", r.preset.quality)
	if !slices.Contains(model.Qualities(), r.quality) {
		return r, settings.Misuse("--quality is %q, expected one of %q", r.quality, model.Qualities())
	}
	if r.rows, err = findTableRows(value[[]string](c, "model")); err != nil {
		return r, err
	}
	r.seeds = c.someSeeds(orPreset(c, "seeds", r.preset.seeds))
	if value[bool](c, "columns") {
		r.columns = filepath.Join(c.outOr("tables"), "columns")
	}
	for _, path := range value[[]string](c, "others") {
		of, err := readTableResults(path)
		if err != nil {
			return r, err
		}
		r.others = append(r.others, of...)
	}
	return r, r.findSets(c)
}

// findSets finds the requested data sets, or those of the preset that exist.
func (r *tablesRequest) findSets(c *call) error {
	names := orDefault(value[[]string](c, "dataset"), r.preset.sets)
	var missing []string
	for _, name := range names {
		at, err := c.Find(name)
		if err != nil && c.given("dataset") {
			return err
		}
		if err != nil {
			missing = append(missing, name)
			continue
		}
		set := findTableSet(strings.TrimSuffix(filepath.Base(at.Path), ".zip"))
		set.path = at.Path
		r.sets = append(r.sets, set)
	}
	if name, twice := duplicate(r.sets, func(s tableSet) string { return s.name }); twice {
		return settings.Misuse("--dataset has %s twice", name)
	}
	notes, err := leftOut(c, missing, len(r.sets))
	r.notes = append(r.notes, notes...)
	return err
}

// readTableResults reads results of another program: one JSON object on each line.
func readTableResults(path string) ([]tableResult, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("experiment: --others: %w", err)
	}
	defer f.Close()
	var out []tableResult
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var t tableResult
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("experiment: --others: %s:%d: %w", path, n, err)
		}
		if t.Set == "" || t.Row == "" || len(t.Test) == 0 {
			return nil, fmt.Errorf("experiment: --others: %s:%d: expected an object with dataset, model and test", path, n)
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("experiment: --others: %s: %w", path, err)
	}
	return out, nil
}

func runTables(ctx context.Context, _ *call, r tablesRequest, s *series[tableRun]) (*report.Document, error) {
	if r.columns != "" {
		if err := r.writeColumns(ctx, s.calls.Threads); err != nil {
			return nil, err
		}
	}
	var results []tableResult
	jobs, err := r.plan(ctx)
	if err != nil {
		return nil, fmt.Errorf("experiment: tables: %w", err)
	}
	for k := range jobs {
		// One job at a time, so that it has all threads and its memory can be measured.
		runs, err := s.run(ctx, fmt.Sprintf("tables, %d of %d", k+1, len(jobs)), jobs[k:k+1])
		if err != nil {
			return nil, err
		}
		results = append(results, runs[0].Rows...)
	}
	others := lists.Filter(r.others, func(o tableResult) bool {
		return slices.ContainsFunc(r.sets, func(s tableSet) bool { return s.name == o.Set })
	})
	return r.document(append(results, others...))
}

// writeColumns writes the columns of each data set for other programs: for each part PART the rows PART.npy and the
// labels PART_label.npy, and columns.json, which describes them.
func (r tablesRequest) writeColumns(ctx context.Context, threads int) error {
	for _, set := range r.sets {
		job := tableJob{set: set, row: model.AutoName, quality: r.quality, seed: r.seeds[0]}
		s, err := job.open(ctx, threads)
		if err != nil {
			return fmt.Errorf("experiment: tables: %s: %w", set.name, err)
		}
		x, err := s.EdgeColumns(ctx)
		if err != nil {
			return fmt.Errorf("experiment: tables: %s: %w", set.name, err)
		}
		dir := filepath.Join(r.columns, set.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
		for part, rows := range x.Rows {
			for name, of := range map[string]report.Column{part: report.Vectors("columns", rows.Data, rows.Width), part + "_label": report.Vectors("label", x.Labels[part], 1)} {
				if err := report.WriteTable(filepath.Join(dir, name+".npy"), &report.Table{Columns: []report.Column{of}}); err != nil {
					return err
				}
			}
		}
		about := map[string]any{"dataset": set.name, "path": set.path, "families": x.Families, "classes": s.Settings.Target.Classes, "metric": set.metric(),
			"undirected": !s.Settings.Data.Directed(), "scores": lists.Map(set.scores, func(s edgeScore) string { return s.name }), "ignore": set.reading["ignore"], "time": set.reading["time"]}
		if s.Task.Number {
			about["mean"], about["scale"] = s.Settings.Target.Units[0].Mean, s.Settings.Target.Units[0].Scale
		}
		if err := os.WriteFile(filepath.Join(dir, "columns.json"), settings.MustJSON(about), 0o644); err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
	}
	return nil
}

// plan lists the jobs.
func (r *tablesRequest) plan(ctx context.Context) (list []training[tableRun], err error) {
	for _, set := range r.sets {
		for _, kind := range []string{tablesTrivial, model.AutoName, source.RolesModel} {
			rows := lists.Filter(r.rows, func(r tableRow) bool { return r.job == kind })
			if len(rows) == 0 {
				continue
			}
			of := tableJob{set: set, row: kind, rows: rows, quality: r.quality, seed: r.seeds[0]}
			s, err := of.open(ctx, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", set.name, err)
			}
			seeds := r.seeds
			if kind == tablesTrivial {
				seeds = seeds[:1]
			}
			for _, seed := range seeds {
				of.seed = seed
				list = append(list, training[tableRun]{what: tableKey{s.Settings.Key(), kind, seed}, name: fmt.Sprintf("%s on %s, seed %d", kind, set.name, seed), epochs: 1, do: of.do})
			}
		}
	}
	return list, nil
}
