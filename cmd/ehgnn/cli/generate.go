package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/molgan"
	"github.com/ehgnn/ehgnn/internal/report"
)

func newGenerate(a *app) *cobra.Command {
	count := 0
	cmd := &cobra.Command{
		Use:   "generate RUN",
		Short: "Draw new molecules from a trained generator",
		Long: `Draw molecules from a generator that was trained by reproduce molgan: valid molecules, each once,
in the order in which --seed draws them. A row has the SMILES, the drug-likeness (QED) and the
ease of synthesis (SA, from 0 to 1; 1 is easy). Each row is written at once.

A collapsed generator may know fewer molecules than requested: then it writes all of them, and
the exit code is 1. This command needs the chemistry build (make build-chem).`,
		Example: `  ehgnn generate runs/molgan/generators/typed-ehgnn-42 --count 1000 > molecules.csv
  ehgnn generate runs/molgan/generators/typed-ehgnn-42 --count 20 --seed 7 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("count", count, 1); err != nil {
				return err
			}
			tk := a.toolkit()
			if tk == nil {
				return usage(chem.ErrNoToolkit)
			}
			g, _, err := molgan.Open(args[0])
			if err != nil {
				return usage(err)
			}
			w := report.NewTableWriter(a.Stdout, a.json)
			judge := &molgan.Judge{Toolkit: tk, Space: g.Space, Threads: a.threads}
			err = g.Generate(cmd.Context(), judge, a.seed, count, func(s molgan.Score) error {
				err := w.Write(&report.Table{Columns: []report.Column{
					report.Strings("smiles", []string{s.SMILES}), report.Floats("qed", []float32{float32(s.QED)}), report.Floats("sa", []float32{float32(s.SA)}),
				}})
				return cmp.Or(err, w.Flush()) // a collapsed generator needs long for a new molecule
			})
			if end := w.Close(); end != nil {
				return end
			}
			return failure(err)
		},
	}
	cmd.Flags().IntVar(&count, "count", 100, "molecules to draw")
	return cmd
}
