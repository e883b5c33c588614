package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/bench"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/version"
	"github.com/ehgnn/ehgnn/task"
)

// benchResult is the document of ehgnn bench.
type benchResult struct {
	Machine version.Info   `json:"machine"`
	Threads int            `json:"threads"`
	Kernels []bench.Result `json:"kernels,omitempty"`
	Layers  []bench.Result `json:"layers,omitempty"`
	Epochs  []epochResult  `json:"epochs,omitempty"`
}

type epochResult struct {
	Dataset   string    `json:"dataset"`
	Model     string    `json:"model"`
	Graphs    int       `json:"graphs"`
	Seconds   []float64 `json:"epoch_seconds"`
	Least     float64   `json:"epoch_seconds_min"`
	PeakBytes int64     `json:"peak_rss_bytes"`
}

func newBench(a *app) *cobra.Command {
	var datasets []string
	var epochs int
	var layers bool
	var modelName string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the program's speed on this machine",
		Long: `Measure copying, kernels and layers, or, with --dataset, the training epochs of
the paper's model on a data set. The least of several times counts. Memory is the
peak of the process so far, so measure one data set a call to compare it.`,
		Example: "  ehgnn bench\n  ehgnn bench --dataset MUTAG --dataset PROTEINS --data-dir data",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r := benchResult{Machine: version.Get(kernel.Level()), Threads: a.threads}
			var err error
			switch {
			case layers:
				r.Layers, err = bench.Layers(cmd.Context(), a.threads)
			case len(datasets) == 0:
				r.Kernels, err = bench.Kernels(cmd.Context(), a.threads)
			}
			for _, name := range datasets {
				if err != nil {
					break
				}
				var e *epochResult
				if e, err = a.benchEpochs(cmd.Context(), name, modelName, epochs); err == nil {
					r.Epochs = append(r.Epochs, *e)
				}
			}
			if err != nil {
				return failure(err)
			}
			return a.emit(r, func(w io.Writer) error { return printBench(w, r) })
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&datasets, "dataset", nil, "measure epochs on this data set, a name in the data folder or a path; may be repeated")
	f.BoolVar(&layers, "layers", false, "measure layers and pools, forward and backward, in place of kernels")
	f.StringVar(&modelName, "model", "", "model whose epochs are measured (default: the paper's for the data set)")
	f.IntVar(&epochs, "epochs", 3, "epochs to measure, after one to warm up")
	return cmd
}

func (a *app) benchEpochs(ctx context.Context, name, modelName string, epochs int) (*epochResult, error) {
	path, err := a.locate(name)
	if err != nil {
		return nil, usage(err)
	}
	r := task.Request{Path: path, Model: modelName, Seed: a.seed, Threads: a.threads, Fold: 1}
	if modelName == "" {
		r.Model = "hyperdrop"
		if strings.HasPrefix(strings.ToUpper(name), "ZINC") {
			r.Model = "hypercluster"
		}
	}
	s, err := task.Open(ctx, r)
	if err != nil {
		return nil, usage(err)
	}
	times, err := s.EpochTimes(ctx, epochs)
	if err != nil {
		return nil, err
	}
	return &epochResult{Dataset: s.Settings.Data.Name, Model: r.Model, Graphs: s.TrainGraphs(), Seconds: times,
		Least: slices.Min(times), PeakBytes: bench.PeakMemory()}, nil
}

func printBench(w io.Writer, r benchResult) error {
	lines := []string{fmt.Sprintf("%d threads, kernels: %s", r.Threads, r.Machine.SIMD)}
	for _, k := range append(r.Kernels, r.Layers...) {
		rate := ""
		if k.Rate > 0 {
			rate = fmt.Sprintf("%8.1f %s", k.Rate, k.Unit)
		}
		lines = append(lines, fmt.Sprintf("  %-58s %9.3f ms %s", k.Name, 1e3*k.Seconds, rate))
	}
	for _, e := range r.Epochs {
		lines = append(lines, fmt.Sprintf("  %-14s %-12s %6d graphs  %8.4f s an epoch  %6d MiB peak", e.Dataset, e.Model, e.Graphs, e.Least, e.PeakBytes>>20))
	}
	return writeLines(w, lines...)
}
