package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/experiment"
)

func newDemo(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on data it generates, in about a minute",
		Long: `Train the paper's two models on generated graphs. HyperCluster reconstructs the
edge colours of the two-moon graph from one percent of its edges; HyperDrop
classifies graphs whose class is decided by their edges alone, beside a GCN that
sees no edge features. Nothing is downloaded.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var p *progress
			stage := ""
			r, err := experiment.Demo(cmd.Context(), a.seed, a.threads, func(s string, done, total int, text string) {
				if s != stage {
					if p != nil {
						p.finish()
					}
					stage, p = s, a.progress(total, "epoch")
				}
				p.at(done, total, s+": "+text)
			})
			if p != nil {
				p.finish()
			}
			if err != nil {
				return failure(err)
			}
			return a.emit(r, func(w io.Writer) error { return printDemo(w, r) })
		},
	}
}

func printDemo(w io.Writer, r *experiment.DemoResult) error {
	m, c := r.TwoMoon, r.Classes
	return writeLines(w,
		fmt.Sprintf("Edge reconstruction: the two-moon graph, %d edges, colours from %d pooled vectors", m.Edges, m.Clusters),
		fmt.Sprintf("  %-34s  %-18s  %s", "", "squared error", "right colour"),
		fmt.Sprintf("  %-34s  %-18.4f  %.1f %%", "HyperCluster", m.MSE, 100*m.Right),
		fmt.Sprintf("  %-34s  %.4f", "predicting the mean colour", m.MeanMSE),
		"",
		fmt.Sprintf("Graph classification: %d graphs whose class is decided by their edges alone", c.Graphs),
		fmt.Sprintf("  %-34s  %s", "", "test accuracy"),
		fmt.Sprintf("  %-34s  %.1f %%", "HyperDrop", 100*c.HyperDrop),
		fmt.Sprintf("  %-34s  %.1f %%", "GCN, which sees no edge features", 100*c.GCN),
		"",
		fmt.Sprintf("%.0f seconds. Next: ehgnn train --help", r.Seconds),
	)
}
