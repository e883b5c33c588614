package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/taskflags"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
)

func dataSplit(a *app) *cobra.Command {
	l := &linkFlags{}
	var size memory.Size
	var task string
	var check bool
	cmd := &cobra.Command{
		Use:   "split PATH",
		Short: "Split the pairs of a graph for link prediction, and check that nothing leaks",
		Long: `Split the pairs of a graph for link prediction like train, count them, and check that nothing
leaks: no pair (or its reverse) is in two parts, or in the graph when it is scored; negatives
are not known pairs, not loops, and in one part only.`,
		Example: "  ehgnn data split edges.csv --task link-prediction --check",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("task", task, run.Task); err != nil {
				return err
			}
			at, err := a.locate(args[0])
			if err != nil {
				return err
			}
			s, err := l.settings(a, cmd, at.Path, "")
			if err != nil {
				return err
			}
			defer run.Alone()()
			d, err := run.Read(cmd.Context(), s, int64(size))
			if err != nil {
				return failure(err)
			}
			for _, n := range d.Notes {
				a.log.Info(n)
			}
			return a.emit(d.Counts, func(w io.Writer) error { return splitText(w, d, check) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&task, "task", run.Task, "task that the split is for: link-prediction")
	f.BoolVar(&check, "check", false, "list the checked properties")
	l.register(cmd)
	taskflags.AddIf(f, func(o settings.Option) bool {
		return o.Of == settings.OfData || o.Name == "split" || o.Name == "fractions"
	})
	maxMemory(cmd, &size)
	return cmd
}

// splitText prints counts and the checked properties.
func splitText(w io.Writer, d *run.Data, check bool) error {
	c := d.Counts
	lines := []string{fmt.Sprintf("%s: %d nodes, %d rows, %d pairs (%s), %d loops", d.Name, c.Nodes, c.Rows, c.Pairs, d.Kind, c.Loops),
		fmt.Sprintf("%-6s %10s %10s %10s %10s", "part", "pairs", "shown", "in graph", "negatives")}
	for p, name := range links.PartNames {
		lines = append(lines, fmt.Sprintf("%-6s %10d %10d %10d %10d", name, c.Parts[p], c.Shown[p], c.Messages[p], c.Negatives[p]))
	}
	lines = append(lines, fmt.Sprintf("%d nodes without a training pair", c.Isolated))
	if check {
		apart := "no pair, nor its reverse, is in two parts"
		if d.Split.RowPart != nil && d.Kind == links.Directed {
			apart = "no pair is in two parts, but its reverse may be in an earlier one"
		}
		lines = append(lines, "proved: "+apart+"; none is in the graph when it is scored;",
			"negatives of validation and test are disjoint, no known pairs and no loops")
	}
	return writeLines(w, lines...)
}
