package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/experiment"
	"github.com/ehgnn/ehgnn/report"
)

const gridHelp = `Table 3 of the paper: models by data sets, each cell our mean and deviation beside
the paper's. TU sets have ten folds, for each a fresh model, selected by the lowest
validation loss and tested once; OGB sets one scaffold split, tested at the epoch
with the highest validation ROC-AUC. Shares of edges to keep are those that the
authors found; --ratios 0.25,0.5,0.75 searches again, by validation alone.
`

const ablationHelp = `The ablation table of the paper: HyperDrop against edges clustered (HyperCluster),
edges dropped at random (RandDrop), none dropped (ehgnn) and no edge
representations (gcn), by the protocols of graph-classification.
`

const nodesHelp = `The paper's experiment on deep networks: how the accuracy of GCN, with batch
normalisation, with edges dropped at random (DropEdge) and of HyperDrop holds up with
the number of layers, on Cora and Citeseer. The first epoch with the highest
validation accuracy is tested. The authors' code never zeroes gradients and sums
neighbours without degrees before the first drop: --carry-gradients --unnormalised.
With these settings hardly any network of 16 layers or more learns but
deep-hyperdrop-hold, which leaves nodes alone that no kept edge leads to; with
--dropout 0 --init-gain 1.4142 all do but deep-hyperdrop, where deep-hyperdrop-loops
--score sigmoid takes its place.
`

const gridJobs = `
Each model, data set, seed and fold is a job with a thread of its own; --threads of
them run at a time, as far as their estimated memory fits into --memory-limit.
Finished jobs are kept in --out at once, and long ones write checkpoints there: a run
that was interrupted or killed goes on where it was, and one that asks for more takes
what there is. At the end --out has table.md, table.csv, table.json, table.html and
folds.csv. A job that fails does not stop the others; its cell says so, and the exit
code is 1.
`

// gridFlags are what the tables of models by data sets share.
type gridFlags struct {
	trainFlags
	models, datasets []string
	choose           []string
	chooseFirst      bool
	ratios           []float64
	seeds            int
	folds, depths    []int
	preset, memory   string
}

func reproduceGrid(a *app, e experiment.Experiment, short, help string) *cobra.Command {
	g := &gridFlags{}
	quick, _ := e.Preset(experiment.PresetQuick) // each has one; its first set is small
	cmd := &cobra.Command{
		Use:   e.Name,
		Short: short,
		Long:  help + gridJobs + "\nRows (--model):\n" + e.RowHelp() + "\nAny other model that ehgnn train --help lists can be a row, too.",
		Example: fmt.Sprintf(`  ehgnn reproduce %[1]s --preset quick
  ehgnn reproduce %[1]s --dataset %[2]s --json
  ehgnn reproduce %[1]s --model %[3]s,%[4]s --dataset %[2]s,%[5]s --seeds 3 --out runs/two`,
			e.Name, quick.Sets[0], e.Rows[len(e.Rows)-1].Name, e.Rows[0].Name, e.Sets[1]),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return g.run(a, cmd, e) },
	}
	f := cmd.Flags()
	byDefault := "paper"
	if e.Single != "" {
		byDefault += "; " + e.Single + " alone where --dataset names one set and there is no --preset"
	}
	f.StringSliceVar(&g.models, "model", nil, "rows, by commas or repeated (default: "+byDefault+")")
	f.StringSliceVar(&g.choose, "choose", nil, "rows, by commas or repeated, of which each data set's best on validation makes a row of its own")
	f.BoolVar(&g.chooseFirst, "choose-first", false, "take the first row of --choose whose validation score the t-test does not tell from the best, not the best")
	f.Float64SliceVar(&g.ratios, "ratios", nil, "of each model that reads --ratio, a row for each of these beside the one it has; of one model, --choose is all of them by default")
	f.StringSliceVar(&g.datasets, "dataset", nil, "columns, by commas or repeated: names in the data folder, as MUTAG, or paths (default: those of the paper that are there)")
	f.StringVar(&g.preset, "preset", "", "quick (shortened: within 20 minutes on two cores) or paper (ten seeds); other flags win")
	f.IntVar(&g.seeds, "seeds", 1, "runs, with seeds from --seed upwards; the paper has ten")
	if e.Depths != nil {
		f.IntSliceVar(&g.depths, "depths", e.Depths, "numbers of layers, a column each")
		g.registerDeep(cmd)
	} else {
		f.IntSliceVar(&g.folds, "folds", nil, "folds to run (default: all ten)")
	}
	f.StringVar(&g.out, "out", "", "folder that keeps finished jobs and gets the tables (default runs/"+e.Name+"; a single cell without it keeps nothing)")
	f.StringVar(&g.memory, "memory-limit", "", "what data and jobs may take by estimate, as 4GiB; 0 for no limit (default: three quarters of the memory that is free)")
	var shared cobra.Command // for its flags but --model, which here takes several
	g.register(&shared)
	shared.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "model" && !(flag.Name == "layers" && e.Depths != nil) {
			f.AddFlag(flag)
		}
	})
	return cmd
}

func (g *gridFlags) run(a *app, cmd *cobra.Command, e experiment.Experiment) error {
	r, single, err := g.grid(a, cmd, e)
	if err != nil {
		return usage(err)
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	live := a.live(cmd.Context())
	r.OnEvent = live.event
	res, err := experiment.RunGrid(cmd.Context(), r)
	live.finish()
	var failed *experiment.GridError
	switch {
	case res == nil:
		return failure(err)
	case err != nil && !errors.As(err, &failed):
		if cmd.Context().Err() != nil && r.Dir != "" {
			fmt.Fprintf(a.Stderr, "ehgnn: finished folds are kept in %s; the same command goes on there\n", r.Dir)
		}
		return failure(err)
	}
	var printed error
	if single {
		cell := res.Cells()[0]
		printed = a.emit(singleJSON(res, cell), func(w io.Writer) error { return printSingle(w, cell) })
	} else {
		printed = a.emit(res.Document(), func(w io.Writer) error {
			if _, err := io.WriteString(w, res.Text()); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w, "Written to %s as %s.\n", r.Dir, "table.md, table.csv, table.json, table.html and folds.csv")
			return err
		})
	}
	return cmp.Or(err, printed)
}

// grid resolves the flags; single tells that one cell was asked for.
func (g *gridFlags) grid(a *app, cmd *cobra.Command, e experiment.Experiment) (r experiment.GridRequest, single bool, err error) {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	preset, err := e.Preset(g.preset)
	if err != nil {
		return r, false, err
	}
	if err := atLeast("seeds", g.seeds, 1); err != nil {
		return r, false, err
	}
	limit, err := memoryLimit(g.memory)
	if err != nil {
		return r, false, err
	}
	q := g.request(a, cmd, "")
	r = experiment.GridRequest{Name: e.Name, Title: e.Title, Rows: e.Rows, Folds: g.folds, Edges: q.Edges, Threads: a.threads, MemoryLimit: limit, Dir: g.out, Choose: g.choose, ChooseFirst: g.chooseFirst,
		Overrides: preset.Overrides.Over(q.Overrides)}
	r.Notes = append(r.Notes, e.Notes...)
	if preset.Note != "" {
		r.Notes = append(r.Notes, preset.Note)
	}
	if changed := g.changed(cmd); changed != "" {
		r.Notes = append(r.Notes, "Settings of this run that are not those of the protocol: "+changed+".")
	}
	rows := g.models
	if len(rows) == 0 {
		rows = preset.Rows
	}
	if len(rows) == 0 && len(g.datasets) == 1 && g.preset == "" && e.Single != "" {
		rows = []string{e.Single}
	}
	if len(rows) > 0 {
		if r.Rows, err = e.Select(rows); err != nil {
			return r, false, err
		}
	}
	one := len(r.Rows) == 1
	if r.Rows, err = experiment.WithRatios(r.Rows, g.ratios); err != nil {
		return r, false, err
	}
	if one && len(r.Rows) > 1 && r.Choose == nil {
		for _, row := range r.Rows {
			r.Choose = append(r.Choose, row.Name)
		}
	}
	seeds := preset.Seeds
	if given("seeds") {
		seeds = g.seeds
	}
	for i := range seeds {
		r.Seeds = append(r.Seeds, a.seed+uint64(i))
	}
	if !given("depths") && preset.Depths != nil {
		g.depths = preset.Depths
	}
	for _, n := range g.depths {
		if err := atLeast("depths", n, 1); err != nil {
			return r, false, err
		}
	}
	if err := g.columns(a, e, preset, &r); err != nil {
		return r, false, err
	}
	single = len(r.Rows) == 1 && len(r.Columns) == 1 && r.Choose == nil
	if r.Dir == "" && !single {
		r.Dir = filepath.Join("runs", e.Name)
	}
	return r, single, nil
}

// columns finds the data sets: each that was asked for, or else those of the
// experiment that are there, with a remark on those that are not.
func (g *gridFlags) columns(a *app, e experiment.Experiment, preset experiment.Preset, r *experiment.GridRequest) error {
	names := g.datasets
	if len(names) == 0 {
		names = preset.Sets
	}
	if len(names) == 0 {
		names = e.Sets
	}
	var missing []string
	for _, name := range names {
		at, err := a.column(name)
		c := experiment.Column{Name: at.Name, Path: at.Path, Set: at.Set}
		if err != nil && len(g.datasets) > 0 {
			return err
		}
		if err != nil {
			missing = append(missing, name)
			continue
		}
		if c.Format = g.format; g.folds == nil {
			c.Folds = preset.Folds[name]
		}
		r.Columns = append(r.Columns, e.Spread(c, g.depths)...)
	}
	list := strings.Join(missing, " ")
	if len(r.Columns) == 0 {
		return fmt.Errorf("none of the data sets %s is in the data folder %s (--data-dir or EHGNN_DATA); get them with: ehgnn data fetch %s", strings.Join(missing, ", "), a.dataDir, list)
	}
	if len(missing) > 0 {
		if !a.quiet {
			a.log.Warn("some data sets are not in the data folder and are left out; ehgnn data fetch gets them", "missing", list)
		}
		r.Notes = append(r.Notes, "Left out, as they are not in the data folder: "+strings.Join(missing, ", ")+".")
	}
	return nil
}

// changed lists the training flags that were given.
func (g *gridFlags) changed(cmd *cobra.Command) string {
	own := []string{"model", "choose", "choose-first", "ratios", "dataset", "preset", "seeds", "folds", "depths", "out", "memory-limit", "format", "edges"}
	var list []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(own, f.Name) && f.Name != "help" {
			list = append(list, "--"+f.Name+" "+f.Value.String())
		}
	})
	return strings.Join(list, ", ")
}

// singleJSON is one cell as one flat document: mean, std, paper and seconds with
// what is behind them. Its folds have the keys of a table's and, where the metric is
// accuracy, accuracy and valid_accuracy.
func singleJSON(g *experiment.Grid, c experiment.GridCell) any {
	type fold struct {
		experiment.JobResult
		Accuracy *float64 `json:"accuracy,omitempty"`
		Valid    *float64 `json:"valid_accuracy,omitempty"`
	}
	doc := c.Document()
	folds := make([]fold, len(doc.Folds))
	for i, f := range doc.Folds {
		folds[i].JobResult = f
		if f.Metric == "accuracy" {
			folds[i].Accuracy, folds[i].Valid = &f.Test, &f.Valid
		}
	}
	seconds := doc.Seconds
	return struct {
		experiment.CellDocument
		Folds      []fold   `json:"folds"`
		Seeds      []uint64 `json:"seeds"`
		Seconds    float64  `json:"seconds"`
		JobSeconds float64  `json:"job_seconds"`
		Notes      []string `json:"notes"`
	}{doc, folds, g.Seeds, g.Seconds, seconds, g.Remarks()}
}

func printSingle(w io.Writer, cell experiment.GridCell) error {
	for _, f := range cell.Results {
		fold := ""
		if f.Fold > 0 {
			fold = fmt.Sprintf("  fold %2d", f.Fold)
		}
		if _, err := fmt.Fprintf(w, "seed %d%s  test %6.2f  valid %6.2f  best epoch %3d of %3d  %6.1f s\n",
			f.Seed, fold, f.Test, f.Valid, f.BestEpoch, f.Epochs, f.Seconds); err != nil {
			return err
		}
	}
	for _, f := range cell.Failures {
		if _, err := fmt.Fprintf(w, "%s failed: %s\n", f.Job, f.Error); err != nil {
			return err
		}
	}
	title := map[string]string{"accuracy": "Test accuracy", "roc_auc": "Test ROC-AUC"}[cell.Metric]
	c := report.Comparison{Title: title + " in percent", Labels: []string{"data set", "model"},
		Rows: []report.Row{{Labels: []string{cell.Dataset, cell.Row}, Cell: cell.Cell}}}
	_, err := fmt.Fprintf(w, "\n%s\nDeviation over %s. Selection: %s.\n", c.Text(), cell.StdOver, cell.Selection)
	return err
}
