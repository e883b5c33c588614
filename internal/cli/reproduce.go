package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/task"
)

func newReproduce(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce EXPERIMENT",
		Short: "Reproduce a table of the paper, our number beside the paper's",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(reproduceClassification(a), reproduceTransform(a), reproduceMessage(a))
	return cmd
}

func reproduceClassification(a *app) *cobra.Command {
	t := &trainFlags{}
	var dataset, out string
	var seeds int
	var folds []int
	cmd := &cobra.Command{
		Use:   "graph-classification",
		Short: "Table 3: accuracy over ten folds",
		Long: `Table 3 of the paper: ten folds, for each a fresh model, selected by the lowest
validation loss and tested once. Folds run side by side, a thread each. Finished
folds are kept in --out, so that a run that was interrupted goes on there.`,
		Example: "  ehgnn reproduce graph-classification --dataset MUTAG --json\n  ehgnn reproduce graph-classification --dataset PROTEINS --seeds 3",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dataset == "" {
				return usage(fmt.Errorf("--dataset is missing: a name in the data folder, as MUTAG, or a path"))
			}
			if err := atLeast("seeds", seeds, 1); err != nil {
				return err
			}
			path, err := a.locate(dataset)
			if err != nil {
				return usage(err)
			}
			r := task.FoldsRequest{Request: t.request(a, cmd, path), Folds: folds, Dir: out}
			for i := range seeds {
				r.Seeds = append(r.Seeds, a.seed+uint64(i))
			}
			n := len(folds)
			if n == 0 {
				n = 10
			}
			p := a.progress(seeds*n, "fold")
			r.OnFold = func(done, total int, f task.FoldResult) {
				p.at(done, total, fmt.Sprintf("seed %d fold %d: accuracy %.2f, best epoch %d of %d, %.0f s",
					f.Seed, f.Fold, f.Accuracy, f.BestEpoch, f.Epochs, f.Seconds))
			}
			res, err := task.Folds(cmd.Context(), r)
			p.finish()
			if err != nil {
				if cmd.Context().Err() != nil && out != "" {
					fmt.Fprintf(a.Stderr, "ehgnn: finished folds are kept in %s; the same command goes on there\n", out)
				}
				return failure(err)
			}
			return a.emit(foldsJSON(res), func(w io.Writer) error { return printFolds(w, res) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&dataset, "dataset", "", "name in the data folder, as MUTAG, or a path")
	f.IntVar(&seeds, "seeds", 1, "runs, with seeds from --seed upwards; the paper has ten")
	f.IntSliceVar(&folds, "folds", nil, "folds to run (default: all ten)")
	f.StringVar(&out, "out", "", "folder that keeps finished folds")
	t.register(cmd)
	return cmd
}

// foldsJSON is the result as one flat document: the cell's mean, std, paper and
// seconds with what is behind them.
func foldsJSON(r *task.FoldsResult) any {
	return struct {
		Dataset    string            `json:"dataset"`
		Model      string            `json:"model"`
		Mean       float64           `json:"mean"`
		Std        float64           `json:"std"`
		StdOver    string            `json:"std_over"`
		Paper      *float64          `json:"paper"`
		PaperStd   *float64          `json:"paper_std"`
		Difference *float64          `json:"difference"`
		Folds      []task.FoldResult `json:"folds"`
		Seeds      []uint64          `json:"seeds"`
		Seconds    float64           `json:"seconds"`
		Selection  string            `json:"selection"`
		Settings   task.Settings     `json:"settings"`
	}{r.Dataset, r.Model, r.Mean, r.Std, r.StdOver, r.Paper, r.PaperStd, difference(r.Cell), r.Results, r.Seeds,
		r.Seconds, r.Selection, r.Settings}
}

func difference(c report.Cell) *float64 {
	if d, ok := c.Difference(); ok {
		return &d
	}
	return nil
}

func printFolds(w io.Writer, r *task.FoldsResult) error {
	for _, f := range r.Results {
		if _, err := fmt.Fprintf(w, "seed %d  fold %2d  test %6.2f  valid %6.2f  best epoch %3d of %3d  %6.1f s\n",
			f.Seed, f.Fold, f.Accuracy, f.Valid, f.BestEpoch, f.Epochs, f.Seconds); err != nil {
			return err
		}
	}
	c := report.Comparison{Title: "Graph classification, test accuracy in percent", Labels: []string{"data set", "model"},
		Rows: []report.Row{{Labels: []string{r.Dataset, r.Model}, Cell: r.Cell}}}
	_, err := fmt.Fprintf(w, "\n%s\nDeviation over %s. Selection: %s.\n", c.Text(), r.StdOver, r.Selection)
	return err
}

// locate finds a data set by path, or by name in the data folder.
func (a *app) locate(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if a.dataDir != "" {
		for _, dir := range []string{"tu", "dgcnn", "zinc12k", ""} {
			for _, file := range []string{name + ".zip", name} {
				path := filepath.Join(a.dataDir, dir, file)
				if _, err := os.Stat(path); err == nil {
					return path, nil
				}
			}
		}
		if path := filepath.Join(a.dataDir, "zinc12k"); strings.EqualFold(name, "zinc") && isDir(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no data set %q: there is no such path, and the data folder %s (--data-dir or EHGNN_DATA) has no %s or %s.zip, nor have its folders tu, dgcnn and zinc12k",
		name, a.dataDir, name, name)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func reproduceTransform(a *app) *cobra.Command {
	var runs int
	cmd := &cobra.Command{
		Use:   "transform-time",
		Short: "Table 4: time of the line graph and of the dual hypergraph",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("runs", runs, 1); err != nil {
				return err
			}
			rows, err := task.TransformTime(cmd.Context(), runs, a.seed)
			if err != nil {
				return failure(err)
			}
			return a.emit(rows, func(w io.Writer) error {
				lines := []string{"Seconds to make the edges of an Erdos-Renyi graph of 1,000 nodes learnable.", "",
					fmt.Sprintf("%7s  %11s  %11s  %11s  %11s  %11s | %10s  %10s", "edges", "line graph", "its pairs", "dual", "dual+index", "copy edges", "paper line", "paper dual")}
				for _, r := range rows {
					lines = append(lines, fmt.Sprintf("%7d  %11.3g  %11d  %11.3g  %11.3g  %11.3g | %10.2f  %10.2f",
						r.Edges, r.LineGraph, r.LinePairs, r.Dual, r.Index, r.Copy, r.PaperLine, r.PaperDual))
				}
				lines = append(lines, "", "dual: the transformation alone, which shares the edge list; index: with its entries sorted",
					"by hyperedge, as message passing needs once per batch. Paper: Python, its own machine.")
				return writeLines(w, lines...)
			})
		},
	}
	cmd.Flags().IntVar(&runs, "runs", 100, "runs; the least time of all counts")
	return cmd
}

func reproduceMessage(a *app) *cobra.Command {
	var runs int
	cmd := &cobra.Command{
		Use:   "message-time",
		Short: "Table 5: time of message passing between nodes and between edges",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("runs", runs, 1); err != nil {
				return err
			}
			rows, err := task.MessageTime(cmd.Context(), runs, a.threads, a.seed)
			if err != nil {
				return failure(err)
			}
			return a.emit(rows, func(w io.Writer) error {
				lines := []string{"Seconds of one message passing of width 32, 3,000 nodes and 11,984 edges.", "",
					fmt.Sprintf("%-16s  %11s  %11s | %11s  %11s", "graph", "nodes (GCN)", "edges", "paper nodes", "paper edges")}
				for _, r := range rows {
					lines = append(lines, fmt.Sprintf("%-16s  %11.3g  %11.3g | %11.4f  %11.4f", r.Graph, r.NodeTime, r.EdgeTime, r.PaperNodes, r.PaperEdges))
				}
				return writeLines(w, lines...)
			})
		},
	}
	cmd.Flags().IntVar(&runs, "runs", 100, "runs; the least time of all counts")
	return cmd
}
