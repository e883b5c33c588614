package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// listedModel is a model in the output of models --json.
type listedModel struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Paper string   `json:"paper"`
	Tasks []string `json:"tasks"`
}

func newModels(a *app) *cobra.Command {
	of := ""
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models of train, each with its paper",
		Example: `  ehgnn models
  ehgnn models --task edge-classification`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var t *task.Task
			if of != "" {
				var err error
				if t, err = task.FindTask(of); err != nil {
					return usage(err)
				}
			}
			models, width := []listedModel{}, 0
			for _, s := range model.Specs() {
				if t == nil || t.Has(s) {
					models, width = append(models, listedModel{s.Name, s.Title, s.Paper, s.Tasks}), max(width, len(s.Name))
				}
			}
			return a.emit(models, func(w io.Writer) error {
				for _, m := range models {
					if _, err := fmt.Fprintf(w, "%-*s  %s\n%-*s  %s\n", width, m.Name, m.Title, width, "", m.Paper); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&of, "task", "", "list only models for this task")
	complete(cmd, "task", func() []string { return slices.Clone(task.Names()) })
	return cmd
}
