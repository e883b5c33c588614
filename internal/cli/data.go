package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/task"
)

func newData(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Look at data sets",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	var format, edges string
	info := &cobra.Command{
		Use:     "info PATH",
		Short:   "Summarise a data set: sizes, features, classes, checksum",
		Example: "  ehgnn data info MUTAG.zip",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			parts, err := task.OpenData(args[0], format, edges)
			if err != nil {
				return usage(err)
			}
			infos := parts.Infos()
			if a.json && len(infos) == 1 {
				return a.emit(infos[0], nil)
			}
			return a.emit(infos, func(w io.Writer) error {
				for _, i := range infos {
					if err := printInfo(w, i); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	info.Flags().StringVar(&format, "format", "", "tu or dgcnn (default: recognised)")
	info.Flags().StringVar(&edges, "edges", "auto", "auto, undirected or directed")
	cmd.AddCommand(info)
	return cmd
}

func printInfo(w io.Writer, p task.PartInfo) error {
	i := p.Info
	form := "undirected: one edge for both directions"
	if i.Directed {
		form = "directed: each direction an edge of its own"
	}
	name := i.Name
	if p.Part != "" {
		name += " (" + p.Part + ")"
	}
	lines := []string{
		fmt.Sprintf("%s, %s format", name, i.Format),
		fmt.Sprintf("  graphs         %d", i.NumGraphs),
		fmt.Sprintf("  nodes          %.2f mean, %d at most", i.MeanNodes, i.MaxNodes),
		fmt.Sprintf("  edges          %.2f mean, %d at most, undirected count", i.MeanEdges, i.MaxEdges),
		fmt.Sprintf("  form           %s", form),
		fmt.Sprintf("  node features  %d wide", i.NodeWidth),
		fmt.Sprintf("  edge features  %d wide", i.EdgeWidth),
	}
	if i.NumClasses > 0 {
		lines = append(lines, fmt.Sprintf("  classes        %d: %s", i.NumClasses, strings.Join(i.ClassNames, ", ")))
	}
	if i.HasFolds {
		lines = append(lines, "  folds          10, fixed")
	}
	lines = append(lines, "  checksum       sha256 "+i.Checksum)
	for _, n := range i.Notes {
		lines = append(lines, "  note           "+n)
	}
	return writeLines(w, lines...)
}
