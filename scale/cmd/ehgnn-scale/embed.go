package main

import (
	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/visit"
)

func newEmbed(a *app) *cobra.Command {
	u := &useFlags{}
	level := ""
	cmd := &cobra.Command{
		Use:   "embed RUN STORE --out DIR [--runner NAME] [-- RUNNER FLAGS]",
		Short: "Write the learned vectors of every edge or node of a store",
		Long: `Write the learned vectors of every edge or node of a store, exactly as ehgnn embed does. DIR
gets Parquet files: of edges one for each block of the store, with the number of each edge and
its ends, of nodes one for each part. Models that learn vectors of nodes: ehgnn-joint-edge.

` + runnerHelp,
		Example: "  ehgnn-scale embed runs/payments store --level edge --out vectors",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("level", level, string(settings.Edges), string(settings.Nodes)); err != nil {
				return err
			}
			writes := visit.EdgeVectors
			if level == string(settings.Nodes) {
				writes = visit.NodeVectors
			}
			return u.run(a, cmd, args, writes)
		},
	}
	u.register(cmd)
	cmd.Flags().StringVar(&level, "level", string(settings.Edges), "edge or node")
	return cmd
}
