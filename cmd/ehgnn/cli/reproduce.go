package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/experiment"
)

func newReproduce(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce EXPERIMENT",
		Short: "Reproduce a table of the paper, our number beside the paper's",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		reproduceGrid(a, experiment.GraphClassification, "Table 3: graph classification, models by data sets", gridHelp),
		reproduceGrid(a, experiment.NodeClassification, "The figure on deep networks: node classification by depth", nodesHelp),
		reproduceGrid(a, experiment.Ablation, "The ablation table", ablationHelp),
		reproduceTransform(a), reproduceMessage(a))
	return cmd
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
			rows, err := experiment.TransformTime(cmd.Context(), runs, a.seed)
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
			rows, err := experiment.MessageTime(cmd.Context(), runs, a.threads, a.seed)
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
