package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/convert"
)

func dataConvert(a *app) *cobra.Command {
	in := &dataFlags{}
	var to string
	cmd := &cobra.Command{
		Use:   "convert PATH OUT",
		Short: "Write a data set in another layout",
		Long: `Write a data set in another layout: as TU files in a folder, or in a zip if OUT ends
with .zip, or as tables of graphs, nodes and edges in a folder, CSV or Parquet. OUT must
not exist. Remarks list what the layout cannot hold.`,
		Example: "  ehgnn data convert COLLAB COLLAB-tu.zip\n  ehgnn data convert ogbg_molhiv hiv-tables --to parquet",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("to", to, convert.TU, convert.CSV, convert.Parquet); err != nil {
				return err
			}
			parts, err := in.open(a, cmd, args[0])
			if err != nil {
				return err
			}
			set, err := parts.Collection()
			if err != nil {
				return usage(err)
			}
			res, err := convert.Write(set, to, args[1])
			switch {
			case errors.Is(err, data.ErrNotTU):
				return usage(fmt.Errorf("%w; use --to csv", err))
			case err != nil:
				return usage(err)
			}
			return a.emitFiles(res, func(w io.Writer) error {
				lines := []string{fmt.Sprintf("%s: %d files, %s layout", res.Out, len(res.Files), res.Layout)}
				for _, n := range res.Notes {
					lines = append(lines, "  note  "+n)
				}
				return writeLines(w, lines...)
			})
		},
	}
	in.register(cmd)
	cmd.Flags().StringVar(&to, "to", convert.TU, "tu, csv or parquet")
	return cmd
}
