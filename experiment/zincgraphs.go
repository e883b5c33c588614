package experiment

import (
	"context"

	"github.com/ehgnn/ehgnn/report"
)

// zincGraphs is the paper's figure of whole molecules of ZINC by pooling ratio.
var zincGraphs = Experiment{
	Name: "zinc-graphs", Title: "Atoms and bonds of ZINC, reconstructed by every model over pooling ratios: accuracy, validity, exact match",
	Help: `Compress atoms and bonds of ZINC-12K (10,000 / 1,000 / 1,000 molecules) by two autoencoders
that are trained apart, at the same pooling ratio, and reconstruct both. Atoms are those of
GMPool at a rate of 5e-3 in every row; bonds are those of zinc-edges, whose models are the
rows. Accuracy is over the atoms and edges of the test part together; molecules are then
rebuilt of predicted atoms and predicted bonds: validity is the share that is a molecule,
exact match the share with the canonical SMILES of the true one.
` + zincHelp,
	Example: `  ehgnn reproduce zinc-graphs --preset quick
  ehgnn reproduce zinc-graphs --trainings runs/zinc-edges`,
	Options: zincOptions("zinc-graphs"),
	run: func(ctx context.Context, c *call) (*report.Document, error) {
		return runZINC(ctx, c, "zinc-graphs", true)
	},
}
