package experiment

import (
	"context"

	"github.com/ehgnn/ehgnn/report"
)

// zincEdges is the paper's figure of the bonds of ZINC by pooling ratio.
var zincEdges = Experiment{
	Name: "zinc-edges", Title: "Bonds of ZINC, reconstructed by every model over pooling ratios: accuracy, validity, exact match",
	Help: `Compress the bonds of ZINC-12K (10,000 / 1,000 / 1,000 molecules) and reconstruct their
types: HyperCluster, which clusters edges, beside edge-aware layers for nodes (EGCN, MPNN,
R-GCN, EGNN) with GMPool or TopKPool of nodes, over pooling ratios, mean and deviation over
seeds. Accuracy is over the edges of the test part; molecules are then rebuilt of the true
atoms and the predicted bonds: validity is the share that is a molecule, exact match the
share with the canonical SMILES of the true one.
` + zincHelp,
	Example: `  ehgnn reproduce zinc-edges --preset quick
  ehgnn reproduce zinc-edges --ratios 0.05,0.25 --model hypercluster,mpnn-gmpool --seeds 2`,
	Options: zincOptions("zinc-edges"),
	run: func(ctx context.Context, c *call) (*report.Document, error) {
		return runZINC(ctx, c, "zinc-edges", false)
	},
}

// zincHelp is common to both experiments of ZINC.
const zincHelp = `
As in the authors' code, atoms are rebuilt as bare elements, so that some true molecules
break a valence (35 of the 1,000): these are left out of both shares. With
--strict-molecules charges and hydrogens stay and no molecule is left out. Rebuilding needs
the chemistry build (make build-chem); another prints n/a there, and what it has trained is
scored in full when the chemistry build runs with the same folder.

Finished trainings are kept in --trainings at once, and long ones write checkpoints there: a
run that was interrupted or killed goes on where it was. At the end --out has table.md,
table.csv, table.json, report.html and, as SVG and PNG, a figure over the ratios and for each
ratio one of the first molecules of the test part: the original with its bonds coloured by
the cluster that HyperCluster gives them, and what each model makes of it with wrong bonds
and atoms marked (--molecules says how many). Another build than that with chemistry places
the atoms as those of any graph.
`
