package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/nn"
)

// Names of the tasks, as package task has them.
const (
	graphClass = "graph-classification"
	edgeRecon  = "edge-reconstruction"
)

const (
	ehgnnPaper = "Jo et al., Edge Representation Learning with Hypergraphs, NeurIPS 2021"
	gmtPaper   = "Baek, Kang and Hwang, Accurate Learning of Graph Representations with Graph Multiset Pooling, ICLR 2021"
)

// Registry lists every model, in the order help shows them.
var Registry = []Spec{
	{
		Name: "hyperdrop", Title: "EHGNN edge layers, edges dropped by score, GCN over the kept edges", Paper: ehgnnPaper,
		Tasks: []string{graphClass}, Edges: true, Options: []string{"ratio", "edge-hidden", "conv", "edge-conv"},
		New: func(c Config) (Model, error) { return built(NewHyperDrop(c)) },
	},
	{
		Name: "hypercluster", Title: "EHGNN edge autoencoder, edges clustered to a few vectors and back", Paper: ehgnnPaper,
		Tasks: []string{edgeRecon}, Edges: true, Options: []string{"ratio", "clusters", "heads", "layer-norm"},
		Sizes: func(c *Config, s Stats) { c.Clusters = s.EdgeClusters(c.Ratio) },
		New:   func(c Config) (Model, error) { return built(NewHyperCluster(c)) },
	},
	{
		Name: "ehgnn", Title: "HyperDrop that keeps every edge: scores weigh edges, none is dropped", Paper: ehgnnPaper + ", ablation",
		Tasks: []string{graphClass}, Edges: true, Options: []string{"edge-hidden", "conv", "edge-conv"}, Ratio: 1,
		New: func(c Config) (Model, error) { return built(NewHyperDrop(c)) },
	},
	{
		Name: "ehgnn-joint", Title: "nodes and edges updated together in one pass over the incidence, both read out",
		Paper: "this project; named as future work by Jo et al., NeurIPS 2021",
		Tasks: []string{graphClass}, Edges: true,
		New: func(c Config) (Model, error) { return built(NewJoint(c)) },
	},
	flat("deepset", "pointwise", "sum", "a map of each node, summed; sees no edges", "Zaheer et al., Deep Sets, NeurIPS 2017"),
	flat("gcn", "gcn", "mean", "GCN layers, jumping knowledge, mean readout; sees no edge features",
		"Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"),
	flat("graphsage", "sage", "mean", "GraphSAGE with the mean", "Hamilton, Ying and Leskovec, Inductive Representation Learning on Large Graphs, NeurIPS 2017"),
	flat("graphsage-max", "sage-max", "mean", "GraphSAGE with the maximum", "Hamilton, Ying and Leskovec, NeurIPS 2017"),
	flat("gat", "gat", "mean", "graph attention with edge features", "Velickovic et al., Graph Attention Networks, ICLR 2018"),
	flat("gatv2", "gatv2", "mean", "dynamic graph attention with edge features", "Brody, Alon and Yahav, How Attentive are Graph Attention Networks?, ICLR 2022"),
	flat("gin", "gin", "sum", "graph isomorphism network", "Xu et al., How Powerful are Graph Neural Networks?, ICLR 2019"),
	flat("gine", "gine", "sum", "GIN with edge features", "Hu et al., Strategies for Pre-training Graph Neural Networks, ICLR 2020"),
	flat("egcn", "egcn", "mean", "edge-aware GCN, the form of the Open Graph Benchmark", "Hu et al., Open Graph Benchmark, NeurIPS 2020"),
	flat("mpnn", "mpnn", "mean", "edge-conditioned message passing", "Gilmer et al., Neural Message Passing for Quantum Chemistry, ICML 2017"),
	flat("rgcn", "rgcn", "mean", "a matrix per edge type", "Schlichtkrull et al., Modeling Relational Data with Graph Convolutional Networks, ESWC 2018"),
	flat("egnn", "egnn", "mean", "doubly normalised edge features as attention", "Gong and Cheng, Exploiting Edge Features in Graph Neural Networks, CVPR 2019"),
}

// flat is the row of a flat baseline: a convolution and a readout.
func flat(name, conv, readout, title, paper string) Spec {
	spec, err := nn.FindConv(conv)
	if err != nil {
		panic(fmt.Sprintf("model: registry: %v", err)) // a slip in the table above
	}
	return Spec{Name: name, Title: title, Paper: paper, Tasks: []string{graphClass}, Edges: spec.Edges,
		New: func(c Config) (Model, error) { return built(NewFlat(c, conv, readout)) }}
}

// built makes a constructor's result a Model: nil on an error, where the typed
// nil pointer would be a Model that is not nil.
func built[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
