package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
)

// markdown is docs/models.md: the models, convolutions and readouts with their papers
// and options, as registered.
func markdown() string {
	var b strings.Builder
	b.WriteString(`# Models

Generated from the registries in model/registry.go, nn/registry.go and nn/pool/readout.go by
` + "`go test ./model -run TestMarkdown -update`" + `; a test keeps it true.

Every model reads ` + "`--hidden`, `--layers`, `--dropout`, `--encode` and `--members`" + `; the options
column names what else and what not, and an option that a model does not read is refused.
What each means, and what values it takes, is in ` + "`ehgnn train --help`" + `, made from the table in
task/options.go. The models of edges, at the end of the list, are shown at work in [edges.md](edges.md).
Attention convolutions (` + "`--conv gat`" + `, say) read ` + "`--heads`" + `, too.

Before every model ` + "`--encode`" + ` puts an encoder of node features and, where the model learns
from them, one of edge features: a learned vector per category, summed, of width ` + "`--hidden`" + `.
These are the atom and bond encoders of the Open Graph Benchmark, and
` + "`--model hyperdrop --conv egcn --encode`" + ` is the form of HyperDrop its authors use for molecules.
On sets in the form of the benchmark that is the default, of ` + "`--encode`" + ` for every model and of
` + "`--conv`" + ` for those that leave the choice.

With ` + "`--members N`" + ` every model is an ensemble of N that differ in their first weights, are
trained side by side on the same batches, each by its own loss, and whose predictions are
averaged, at N times the time of one.

On data without edge features every edge starts from the constant 1, as in the authors' code.
The hypergraph convolution takes means, so all edges of a graph keep the same features and
the same score, and which of them HyperDrop drops is decided by rounding and by their order,
not learned. That is the published setting, ` + "`--edge-init given`" + `, and the default.
With ` + "`--edge-init endpoints`" + ` edges start from what the first node layer makes of their two
ends, beside any features given, and the scores can tell edges apart.

An edge that HyperDrop keeps weighs its messages by its score, tanh cut off below 0. Where all
scores of a layer begin below 0 no gradient reaches them, and that seed never learns. With
` + "`--score sigmoid`" + ` the order of the edges is the same, but every weight is positive and learns.

With ` + "`--virtual-node`" + ` every graph of HyperDrop has, between the node layers, one more node that
is joined to all others, so that what a node knows after one layer can come from anywhere in its
graph.

Autoencoders predict features of edges (` + "`hypercluster`, `gmpool-edges`, `topkpool-edges`" + `) or nodes
(` + "`gmpool-nodes`" + `) back from a few vectors. The layers that encode edges beside nodes are chosen by
` + "`--conv`" + `, as egcn, mpnn, rgcn or egnn; the decoder is made of GCNs, since layers that read edge
features would be given what they are to predict, as with ` + "`--decoder-sees-edges`" + `. Those that end in
` + "`-both`" + ` are two autoencoders, of nodes and of edges, trained apart; they have no ` + "`--members`" + `.

` + "`--readout`" + ` of the models that have it makes the vector of a graph from those of its nodes:
one of those under [Readouts](#readouts).

| model | what it is | task | edge features | options | paper |
| --- | --- | --- | --- | --- | --- |
`)
	for _, s := range Registry {
		var options []string
		reads, common := s.Options(), []string{"hidden", "layers", "dropout"}
		for _, o := range reads {
			if !slices.Contains(common, o) {
				options = append(options, "`--"+o+"`")
			}
		}
		for _, o := range common {
			if !slices.Contains(reads, o) {
				options = append(options, "not `--"+o+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.Title, strings.Join(s.Tasks, ", "), yes(s.Edges),
			strings.Join(options, " "), s.Paper)
	}
	b.WriteString(`
## Convolutions

For ` + "`--conv`" + ` (nodes) and ` + "`--edge-conv`" + ` (edges). A convolution that is defined on the dual
hypergraph works for edges as it is; any other runs on the line graph as
` + "`line:NAME`" + `, at a cost that grows with the sum of squared degrees. HyperDrop needs
one that reads edge weights for its nodes.

| convolution | what it is | edge features | edge weights | on the dual | paper |
| --- | --- | --- | --- | --- | --- |
`)
	for _, s := range nn.Convs {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.Title, yes(s.Edges), yes(s.Weights), yes(s.Dual), s.Paper)
	}
	b.WriteString(`
## Readouts

For ` + "`--readout`" + `.

| readout | what it is | paper |
| --- | --- | --- |
`)
	for _, s := range pool.Readouts {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Title, s.Paper)
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
