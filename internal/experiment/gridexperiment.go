package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// gridHelp is a help text shared by all grids.
const gridHelp = `
Each model, data set, seed and fold is a job with a thread of its own; --threads of
them run at a time, as far as their estimated memory fits into --memory-limit.
Finished jobs are kept in --out at once, and long ones write checkpoints there: a run
that was interrupted or killed goes on where it was, and one that asks for more takes
what there is. At the end --out has table.md, table.csv, table.json, report.html and
folds.csv. A job that fails does not stop the others; its cell says so, and the exit
code is 1.
`

// gridExperiment is an experiment that trains models on data sets: rows, columns, and shortened
// forms.
type gridExperiment struct {
	Name  string
	Short string // one line, for Experiment.Title
	Help  string
	// Title is the title of the table; Measure is the meaning of its cells, in percent.
	Title, Measure string
	Rows           []modelRow
	// Extra are rows of this project in addition to the paper's.
	Extra []modelRow
	Sets  []string // names of data sets
	// Depths are numbers of layers, each a column of every data set; nil for the default of the
	// protocol.
	Depths []int
	// Notes appear below every table of the experiment.
	Notes []string
	// Single is the row that is trained on a single data set; empty for all rows.
	Single  string
	Presets []gridPreset
	// Options are options of this experiment only. Apply stores the given ones in the request: as
	// settings (gridRequest.Overrides), or as changes of opened sessions (gridRequest.Adjust). Both
	// may be nil.
	Options []Option
	Apply   func(c *call, r *gridRequest)
}

// gridPreset is a form of an experiment; empty fields are those of the experiment.
type gridPreset struct {
	Name  string
	Rows  []string
	Sets  []string
	Folds map[string][]int // by data set; other sets have all folds
	// Depths replaces the depths of an experiment with several.
	Depths []int
	Seeds  int
	// Overrides are overridden by the user's settings.
	Overrides settings.Values
	Note      string // what is shortened; empty for the full protocol
}

// experiment returns e as an entry of the Registry.
func (e gridExperiment) experiment() Experiment {
	quick, _ := e.preset(presetQuick) // each has this preset; its first set is small
	var varies []string
	if e.Depths != nil {
		varies = []string{"layers"}
	}
	return Experiment{
		Name: e.Name, Title: e.Short,
		Help: e.Help + gridHelp + "\nRows (--model):\n" + e.rowHelp() + "\nAny other model that ehgnn models lists can be a row, too.",
		Example: fmt.Sprintf(`  ehgnn reproduce %[1]s --preset quick
  ehgnn reproduce %[1]s --dataset %[2]s --json
  ehgnn reproduce %[1]s --model %[3]s,%[4]s --dataset %[2]s,%[5]s --seeds 3 --out runs/two`,
			e.Name, quick.Sets[0], e.Rows[len(e.Rows)-1].Name, e.Rows[0].Name, e.Sets[1]),
		Options: e.options(), Trains: true, Varies: varies, run: e.run,
	}
}

// options returns the options of all grids, and the experiment's own.
func (e gridExperiment) options() []Option {
	rows := "paper"
	if e.Single != "" {
		rows += "; " + e.Single + " alone where --dataset names one set and there is no --preset"
	}
	folds := Option{Name: "folds", Help: "folds to run (default: all ten)", Default: []int(nil)}
	if e.Depths != nil {
		folds = Option{Name: "depths", Help: "numbers of layers, a column each", Default: e.Depths, Least: 1}
	}
	return append([]Option{
		{Name: "model", Help: "rows, by commas or repeated (default: " + rows + ")", Default: []string(nil)},
		{Name: "choose", Help: "rows from which the best on validation is chosen for each data set, as a row of its own; separated by commas or repeated", Default: []string(nil)},
		{Name: "choose-first", Help: "choose the first row of --choose whose validation score does not differ from the best by the t-test", Default: false},
		{Name: "ratios", Help: "values of --ratio, each an additional row of each model that reads it; with one model, --choose has all of them by default", Default: []float64(nil)},
		{Name: "dataset", Help: "columns, by commas or repeated: names in the data folder, as MUTAG, or paths (default: those of the paper that are there)", Default: []string(nil)},
		{Name: "preset", Help: "quick (shortened: within 20 minutes on two cores) or paper (ten seeds); other flags win", Default: ""},
		{Name: "seeds", Help: "runs, with seeds from --seed upwards; the paper has ten", Default: 1, Least: 1},
		folds,
		{Name: "out", Help: "folder that keeps finished jobs and gets the tables (default runs/" + e.Name + "; a single cell without it keeps nothing)", Default: ""},
		{Name: "memory-limit", Help: "what data and jobs may take by estimate, as 4GiB; 0 for no limit (default: three quarters of the memory that is free)", Default: Memory(0)},
	}, e.Options...)
}

func (e gridExperiment) run(ctx context.Context, c *call) (*report.Document, error) {
	r, single, err := e.request(c)
	if err != nil {
		return nil, err
	}
	g, err := runGrid(ctx, r)
	var failed *GridError
	switch {
	case g == nil:
		return nil, err
	case err != nil && !errors.As(err, &failed):
		if ctx.Err() != nil && r.Dir != "" {
			err = &Interrupted{Dir: r.Dir, Err: err}
		}
		return nil, err
	case single:
		return g.single(), err
	}
	d := g.document()
	d.Dir = r.Dir // runGrid has written the files
	return d, err
}

// request is what the options ask for; single says that it is one cell.
func (e gridExperiment) request(c *call) (r gridRequest, single bool, err error) {
	preset, err := e.preset(value[string](c, "preset"))
	if err != nil {
		return r, false, err
	}
	r = gridRequest{Name: e.Name, Title: e.Title, Measure: e.Measure, FoldSeed: c.Seed, Edges: c.Edges, Threads: c.Threads,
		MemoryLimit: int64(value[Memory](c, "memory-limit")), Dir: value[string](c, "out"), OnEvent: c.OnEvent,
		Choose: value[[]string](c, "choose"), ChooseFirst: value[bool](c, "choose-first"), Overrides: preset.Overrides.Over(c.Settings)}
	if e.Apply != nil {
		e.Apply(c, &r)
	}
	r.Notes = slices.Concat(r.Notes, e.Notes, remarks(preset.Note))
	if changed := e.changed(c); len(changed) > 0 {
		r.Notes = append(r.Notes, "Settings of this run that are not those of the protocol: "+strings.Join(changed, ", ")+".")
	}
	datasets := value[[]string](c, "dataset")
	if r.Rows, err = e.requestedRows(c, preset, len(datasets) == 1); err != nil {
		return r, false, err
	}
	one := len(r.Rows) == 1
	if r.Rows, err = withRatios(r.Rows, value[[]float64](c, "ratios")); err != nil {
		return r, false, err
	}
	if one && len(r.Rows) > 1 && r.Choose == nil {
		r.Choose = lists.Map(r.Rows, func(row modelRow) string { return row.Name })
	}
	r.Seeds = c.someSeeds(orPreset(c, "seeds", preset.Seeds))
	if err := e.columns(c, preset, &r); err != nil {
		return r, false, err
	}
	single = len(r.Rows) == 1 && len(r.Columns) == 1 && r.Choose == nil
	if r.Dir == "" && !single {
		r.Dir = filepath.Join("runs", e.Name)
	}
	return r, single, nil
}

// changed lists the given settings of training and of the experiment.
func (e gridExperiment) changed(c *call) []string {
	list := slices.Clone(c.Changed)
	for _, o := range e.Options {
		if v, ok := c.Env.Options[o.Name]; ok && o.Setting {
			list = append(list, fmt.Sprintf("--%s %v", o.Name, v))
		}
	}
	slices.Sort(list)
	return list
}

// requestedRows returns the requested rows, or else those of the preset or the experiment.
func (e gridExperiment) requestedRows(c *call, preset gridPreset, oneSet bool) ([]modelRow, error) {
	names := orDefault(value[[]string](c, "model"), preset.Rows)
	if len(names) == 0 && oneSet && preset.Name == "" && e.Single != "" {
		names = []string{e.Single}
	}
	if len(names) == 0 {
		return e.Rows, nil
	}
	return e.selectRows(names)
}

// columns finds the requested data sets, or those of the experiment that exist, with a remark on
// missing ones.
func (e gridExperiment) columns(c *call, preset gridPreset, r *gridRequest) error {
	asked := value[[]string](c, "dataset")
	names := orDefault(orDefault(asked, preset.Sets), e.Sets)
	var depths []int
	if e.Depths == nil {
		r.Folds = value[[]int](c, "folds")
	} else if depths = value[[]int](c, "depths"); !c.given("depths") && preset.Depths != nil {
		depths = preset.Depths
	}
	var missing []string
	for _, name := range names {
		col, err := c.Find(name)
		if err != nil && len(asked) > 0 {
			return err
		}
		if err != nil {
			missing = append(missing, name)
			continue
		}
		if col.Format = c.Format; r.Folds == nil {
			col.Folds = preset.Folds[name]
		}
		r.Columns = append(r.Columns, e.spread(col, depths)...)
	}
	list := strings.Join(missing, " ")
	if len(r.Columns) == 0 {
		return settings.Misuse("none of the data sets %s is in the data folder %s (--data-dir or EHGNN_DATA); get them with: ehgnn data fetch %s", strings.Join(missing, ", "), c.DataDir, list)
	}
	if len(missing) > 0 {
		c.Log.Warn("some data sets are not in the data folder and are left out; ehgnn data fetch gets them", "missing", list)
		r.Notes = append(r.Notes, "Left out, because they are not in the data folder: "+strings.Join(missing, ", ")+".")
	}
	return nil
}

// quickSettings shorten the training of a preset.
func quickSettings(epochs, patience int) settings.Values {
	return settings.Values{"epochs": epochs, "patience": patience, "constant-lr": true}
}

// preset finds a preset by name; the empty name is the full experiment with one seed.
func (e gridExperiment) preset(name string) (gridPreset, error) {
	if name == "" {
		return gridPreset{Seeds: 1}, nil
	}
	return presetNamed(name, e.Presets, func(p gridPreset) string { return p.Name })
}
