package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/bench"
	"github.com/ehgnn/ehgnn/internal/experiment"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/version"
	"github.com/ehgnn/ehgnn/model"
)

// benchResult is the JSON document of ehgnn bench, without what was not measured.
type benchResult struct {
	Machine version.Info   `json:"machine"`
	Threads int            `json:"threads"`
	Limits  *bench.Limits  `json:"limits,omitempty"`
	Kernels []bench.Kernel `json:"kernels,omitempty"`
	Layers  []bench.Result `json:"layers,omitempty"`
	Epochs  []bench.Epoch  `json:"epochs,omitempty"`
	Tables  []bench.Table  `json:"tables,omitempty"`
	// Foreign is the share of processor time that other processes used during the measurement, if the
	// system reports it.
	Foreign *float64 `json:"foreign_cpu_share,omitempty"`
}

// busy is the share of other processes above which figures are unreliable.
const busy = 0.05

type benchFlags struct {
	datasets, kernels []string
	tables            []string
	layers            bool
	model             string
	epochs            int
	budget            time.Duration
}

func newBench(a *app) *cobra.Command {
	b := &benchFlags{}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the program's speed on this machine",
		Long: `Measure the limits of this machine (multiply-adds in registers, copying within caches
and memory), each kernel as a share of its limit, and training epochs of the paper's
models on generated graphs of the size of its data sets. The shortest of several times
counts.

A kernel needs at least the time to read its inputs and write its results once, at the
rate of copying as much memory, and the time of its arithmetic. Its share is the longer
of these two times, divided by the measured time. Copying writes as much as it reads and
also loads the memory that it overwrites. So a kernel that mostly reads, or changes
memory in place, can exceed 100 %.

--dataset measures only epochs of data sets, --layers only layers and pools, --kernel
only the named kernels, and --table only the reading of a table of edges: of its cells,
and of the whole data set. The peak memory of a data set is that of the process so far:
to compare it, measure one data set in each call.`,
		Example: `  ehgnn bench
  ehgnn bench --kernel matmul --kernel "segment sum" --budget 1s
  ehgnn bench --dataset MUTAG --dataset PROTEINS --data-dir data`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("epochs", b.epochs, 1); err != nil {
				return err
			}
			if b.model != "" && len(b.datasets) == 0 {
				return usage(errors.New("--model needs --dataset: which model is measured on generated graphs is fixed"))
			}
			neighbours := bench.WatchNeighbours()
			r, err := a.bench(cmd.Context(), b)
			if errors.Is(err, bench.ErrNoKernel) {
				return usage(fmt.Errorf("%w; known: %s", err, strings.Join(bench.KernelNames(), "; ")))
			}
			if err != nil {
				return failure(err)
			}
			if share, ok := neighbours.Share(); ok {
				r.Foreign = &share
			}
			return a.emit(r, func(w io.Writer) error { return printBench(w, r) })
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&b.kernels, "kernel", nil, "measure only kernels whose name contains this text; may be repeated")
	f.StringSliceVar(&b.datasets, "dataset", nil, "measure epochs on this data set, a name in the data folder or a path; may be repeated")
	f.BoolVar(&b.layers, "layers", false, "measure layers and pools, forward and backward")
	f.StringArrayVar(&b.tables, "table", nil, "measure the reading of this table of edges (CSV, Parquet or another format); may be repeated")
	f.StringVar(&b.model, "model", "", "model whose epochs are measured with --dataset (default hyperdrop)")
	f.IntVar(&b.epochs, "epochs", 3, "epochs to measure, after one warm-up epoch")
	f.DurationVar(&b.budget, "budget", 150*time.Millisecond, "time to spend on each kernel and layer")
	return cmd
}

// bench measures what the flags name, or by default limits, kernels and epochs on generated graphs.
func (a *app) bench(ctx context.Context, b *benchFlags) (*benchResult, error) {
	r := &benchResult{Machine: version.Get(kernel.Level()), Threads: a.threads}
	all := len(b.datasets) == 0 && len(b.kernels) == 0 && len(b.tables) == 0 && !b.layers
	o := bench.Options{Threads: a.threads, Budget: b.budget, Kernels: b.kernels}
	var p *progress.Progress
	o.Progress = func(i, n int, name string) {
		if i == 1 { // first measurement of limits and kernels, of layers, or of epochs
			p = a.progress(n, "measurement")
		}
		p.At(i, n, name)
		if i == n {
			p.Finish()
		}
	}
	var err error
	if all || len(b.kernels) > 0 {
		var l bench.Limits
		if l, r.Kernels, err = bench.Kernels(ctx, o); err != nil {
			return nil, err
		}
		r.Limits = &l
	}
	if b.layers {
		if r.Layers, err = bench.Layers(ctx, o); err != nil {
			return nil, err
		}
	}
	if all {
		if r.Epochs, err = bench.Epochs(ctx, o, b.epochs); err != nil {
			return nil, err
		}
	}
	for _, path := range b.tables {
		t, err := bench.ReadTable(ctx, path)
		if err != nil {
			return nil, usage(err)
		}
		r.Tables = append(r.Tables, t)
	}
	for _, name := range b.datasets {
		e, err := a.benchEpochs(ctx, name, b)
		if err != nil {
			return nil, err
		}
		r.Epochs = append(r.Epochs, *e)
	}
	return r, nil
}

func (a *app) benchEpochs(ctx context.Context, name string, b *benchFlags) (*bench.Epoch, error) {
	c, err := a.column(name)
	if err != nil {
		return nil, err
	}
	r := session.Request{Path: c.Path, Model: cmp.Or(b.model, "hyperdrop"), Given: settings.Values{}, Seed: a.seed, Threads: a.threads}
	if c.Set != "" {
		r.Given["name"] = c.Set
	}
	in, err := session.Read(ctx, r)
	if err != nil {
		return nil, usage(err)
	}
	if spec, err := model.Find(r.Model); err == nil {
		r.Defaults = experiment.Recipe(in.Name(), spec) // settings as in the experiments
	}
	s, err := session.OpenOn(ctx, r, in)
	if err != nil {
		return nil, usage(err)
	}
	times, err := s.EpochTimes(ctx, b.epochs)
	if err != nil {
		return nil, err
	}
	return &bench.Epoch{Dataset: s.Settings.Data.Name, Model: s.Settings.ModelName, Graphs: s.TrainGraphs(), Seconds: times,
		Least: slices.Min(times), PeakBytes: memory.Peak()}, nil
}

func printBench(w io.Writer, r *benchResult) error {
	lines := []string{fmt.Sprintf("%d threads, kernels: %s", r.Threads, r.Machine.SIMD)}
	if l := r.Limits; l != nil {
		lines = append(lines, "", "limits", fmt.Sprintf("  %-66s %8.1f GFLOP/s", "multiply-adds in registers", l.FMA))
		for _, c := range l.Copy {
			lines = append(lines, fmt.Sprintf("  %-66s %8.1f GB/s", "copy within "+size(c.Bytes), c.Rate))
		}
	}
	if len(r.Kernels) > 0 {
		lines = append(lines, "", fmt.Sprintf("%-74s %10s %9s %8s %15s  %s", "kernels", "ms", "rate", "limit", "share", "of"))
	}
	for _, k := range r.Kernels {
		unit, of := "GFLOP/s", "multiply-adds"
		if k.Limit == bench.LimitCopy {
			unit, of = "GB/s", "copying within "+size(k.Footprint)
		}
		lines = append(lines, fmt.Sprintf("  %-72s %10.4f %9.1f %8.1f %-7s %5.0f %%  %s", k.Name, 1e3*k.Seconds, k.Rate(), k.LimitRate, unit, 100*k.Share, of))
	}
	if len(r.Layers) > 0 {
		lines = append(lines, "", fmt.Sprintf("%-74s %10s", "layers, forward and backward", "ms"))
	}
	for _, k := range r.Layers {
		lines = append(lines, fmt.Sprintf("  %-72s %10.4f", k.Name, 1e3*k.Seconds))
	}
	if len(r.Epochs) > 0 {
		lines = append(lines, "", "epochs")
	}
	for _, e := range r.Epochs {
		text := fmt.Sprintf("  %-15s %-12s %6d graphs %9.4f s an epoch %6d MiB peak", e.Dataset, e.Model, e.Graphs, e.Least, e.PeakBytes>>20)
		if e.Generated {
			text += fmt.Sprintf("  %3d steps, %5.0f allocations of %4.0f KiB each step", e.Steps, e.Allocs, e.AllocBytes/1024)
		}
		lines = append(lines, text)
	}
	if len(r.Tables) > 0 {
		lines = append(lines, "", "tables")
	}
	for _, t := range r.Tables {
		lines = append(lines, fmt.Sprintf("  %-40s %9d rows %4d columns %8.3f s for the cells %8.3f s for the set %6d MiB peak", t.Name, t.Rows, t.Columns, t.Cells.Wall, t.Set.Wall, t.PeakBytes>>20))
	}
	if r.Foreign != nil && *r.Foreign > busy {
		lines = append(lines, "", fmt.Sprintf("Other processes took %.0f %% of the processors meanwhile: distrust these figures.", 100**r.Foreign))
	}
	return writeLines(w, lines...)
}

// size formats a number of bytes.
func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", (bytes+512)>>10)
	}
	return fmt.Sprintf("%.3g MiB", float64(bytes)/(1<<20))
}
