package model

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/nn"
)

// Names of the tasks, as in package internal/task.
const (
	graphClass = "graph-classification"
	graphRegr  = "graph-regression"
	nodeClass  = "node-classification"
	edgeRecon  = "edge-reconstruction"
	edgeClass  = "edge-classification"
	edgeRegr   = "edge-regression"
	nodeRecon  = "node-reconstruction"
	graphRecon = "graph-reconstruction"
)

// The tasks of models with predictions per graph, and of models with predictions per edge.
var (
	ofGraphs = []string{graphClass, graphRegr}
	ofEdges  = []string{edgeClass, edgeRegr}
)

const (
	ehgnnPaper = "Jo et al., Edge Representation Learning with Hypergraphs, NeurIPS 2021"
	multiGNN   = "Egressy et al., Provably Powerful Graph Neural Networks for Directed Multigraphs, AAAI 2024"
	gmtPaper   = "Baek, Kang and Hwang, Accurate Learning of Graph Representations with Graph Multiset Pooling, ICLR 2021"
)

// Specs lists every model, in the order of the help.
func Specs() []Spec { return slices.Clone(registry) }

var registry = []Spec{
	of(Spec{
		Name: "hyperdrop", Title: "EHGNN edge layers, edges dropped by score, GCN over the kept edges", Paper: ehgnnPaper,
		Tasks: ofGraphs, Edges: true,
	}, HyperDropConfig{}, NewHyperDrop),
	of(Spec{
		Name: "hypercluster", Title: "EHGNN edge autoencoder: edges pooled to a few clusters and reconstructed", Paper: ehgnnPaper,
		Tasks: []string{edgeRecon}, Edges: true, EdgesOnly: true, EdgeClusters: true,
	}, HyperClusterConfig{}, NewHyperCluster),
	of(Spec{
		Name: "gmpool-edges", Title: "edges reconstructed from pooled nodes: edge-aware layers, GMPool of nodes, a decoder without edge features",
		Paper: gmtPaper + "; the baseline of " + ehgnnPaper,
		Tasks: []string{edgeRecon}, Edges: true,
	}, EdgeAutoencoderConfig{Conv: "mpnn"}, NewEdgeAutoencoder),
	of(Spec{
		Name: "topkpool-edges", Title: "gmpool-edges with top-k pooling of nodes in place of GMPool",
		Paper: "Gao and Ji, Graph U-Nets, ICML 2019; the baseline of " + ehgnnPaper,
		Tasks: []string{edgeRecon}, Edges: true,
	}, EdgeAutoencoderConfig{Conv: "mpnn", TopK: true}, NewEdgeAutoencoder),
	of(Spec{
		Name: "gmpool-nodes", Title: "nodes reconstructed from pooled nodes: GCN, GMPool, GCN", Paper: gmtPaper,
		Tasks: []string{nodeRecon},
	}, NodeAutoencoderConfig{}, NewNodeAutoencoder),
	paired("hypercluster-both", "hypercluster for the edges and gmpool-nodes for the nodes", "hypercluster", ehgnnPaper),
	paired("gmpool-both", "gmpool-edges for the edges and gmpool-nodes for the nodes", "gmpool-edges", "the baseline of "+ehgnnPaper),
	paired("topkpool-both", "topkpool-edges for the edges and gmpool-nodes for the nodes", "topkpool-edges", "the baseline of "+ehgnnPaper),
	of(Spec{
		Name: "ehgnn", Title: "HyperDrop that keeps every edge: scores weigh edges, none is dropped", Paper: ehgnnPaper + ", ablation",
		Tasks: ofGraphs, Edges: true,
	}, EHGNNConfig{}, NewEHGNN),
	of(Spec{
		Name: "randdrop", Title: "HyperDrop with the kept edges drawn at random", Paper: ehgnnPaper + ", ablation",
		Tasks: ofGraphs, Edges: true,
	}, HyperDropConfig{}, NewRandDrop),
	of(Spec{
		Name: "gcn-summed", Title: "the node layers and the readout of HyperDrop alone", Paper: ehgnnPaper + ", its ablation with the same readout",
		Tasks: ofGraphs,
	}, GCNSummedConfig{}, NewGCNSummed),
	of(Spec{
		Name: "hypercluster-graph", Title: "EHGNN edge layers, edges clustered by HyperCluster, with a readout of nodes", Paper: ehgnnPaper + ", ablation",
		Tasks: ofGraphs, Edges: true, EdgeClusters: true,
	}, EdgeClusterConfig{Ratio: 0.25}, NewEdgeCluster),
	of(Spec{
		Name: "hyperdrop-gmt", Title: "HyperDrop with GMT's pooling of nodes", Paper: ehgnnPaper + "; " + gmtPaper,
		Tasks: ofGraphs, Edges: true, PaperHeads: true,
	}, HyperDropGMTConfig{}, NewHyperDropGMT),
	averaged("hyperdrop-mlp", "HyperDrop and the structure-blind mlp, predictions averaged", "hyperdrop", "mlp"),
	averaged("hyperdrop-committee", "HyperDrop, ehgnn-joint and gine-residual, predictions averaged", "hyperdrop", "ehgnn-joint", "gine-residual"),
	of(Spec{
		Name: "ehgnn-joint", Title: "nodes and edges updated together in one pass over the incidence, both read out",
		Paper: "this project; named as future work by Jo et al., NeurIPS 2021",
		Tasks: ofGraphs, Edges: true,
	}, JointConfig{}, NewJoint),
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
	of(Spec{
		Name: "mlp", Title: "an MLP of summed node features and averaged edge features; sees no structure",
		Paper: "Errica, Podda, Bacciu and Micheli, A Fair Comparison of Graph Neural Networks for Graph Classification, ICLR 2020",
		Tasks: ofGraphs, Edges: true,
	}, MLPConfig{}, NewMLP),
	of(Spec{
		Name: "gine-residual", Title: "GINE with batch normalisation, dropout and residuals; HyperDrop's readout",
		Paper: "Hu et al., Open Graph Benchmark, NeurIPS 2020; Luo, Shi and Wu, Unlocking the Potential of Classic GNNs for Graph-level Tasks, ICML 2025",
		Tasks: ofGraphs, Edges: true,
	}, ResidualConfig{}, NewGINEResidual),
	of(Spec{
		Name: "gatedgcn", Title: "gated GCN with edge features that are updated, batch normalisation, dropout and residuals; HyperDrop's readout",
		Paper: "Bresson and Laurent, Residual Gated Graph ConvNets, 2017; Dwivedi et al., Benchmarking Graph Neural Networks, JMLR 2023",
		Tasks: ofGraphs, Edges: true,
		Cost: 3, // several rows of the hidden width for every arc and layer
	}, ResidualConfig{}, NewGatedGCN),
	of(Spec{
		Name: "sortpool", Title: "nodes in order of a learned channel, read as a sequence",
		Paper: "Zhang, Cui, Neumann and Chen, An End-to-End Deep Learning Architecture for Graph Classification, AAAI 2018",
		Tasks: ofGraphs,
	}, SortPoolConfig{}, NewSortPool),
	of(Spec{
		Name: "gmt", Title: "multi-head attention from learned seeds to nodes", Paper: gmtPaper,
		Tasks: ofGraphs, PaperHeads: true,
	}, GMTConfig{}, NewGMT),
	of(Spec{
		Name: "diffpool", Title: "soft clusters of nodes by two networks; dense after the first pool",
		Paper: "Ying et al., Hierarchical Graph Representation Learning with Differentiable Pooling, NeurIPS 2018",
		Tasks: ofGraphs,
	}, DenseConfig{Ratio: 0.25}, NewDiffPool),
	of(Spec{
		Name: "mincutpool", Title: "soft clusters of nodes that cut few edges; dense after the first pool",
		Paper: "Bianchi, Grattarola and Alippi, Spectral Clustering with Graph Neural Networks for Graph Pooling, ICML 2020",
		Tasks: ofGraphs,
	}, DenseConfig{Ratio: 0.25}, NewMinCutPool),
	of(Spec{
		Name: "topkpool", Title: "keeps the nodes with the largest projection", Paper: "Gao and Ji, Graph U-Nets, ICML 2019",
		Tasks: ofGraphs,
	}, SelectConfig{Ratio: 0.25}, NewTopKPool),
	of(Spec{
		Name: "sagpool", Title: "keeps the nodes that a graph convolution scores best", Paper: "Lee, Lee and Kang, Self-Attention Graph Pooling, ICML 2019",
		Tasks: ofGraphs,
	}, SelectConfig{Ratio: 0.25}, NewSAGPool),
	of(Spec{
		Name: "asap", Title: "clusters around each node by attention, keeps the fittest", Paper: "Ranjan, Sanyal and Talukdar, ASAP, AAAI 2020",
		Tasks: ofGraphs, grows: asapLoad,
	}, SelectConfig{Ratio: 0.25}, NewASAP),
	of(Spec{
		Name: "edgepool", Title: "contracts the best-scored edges", Paper: "Diehl, Edge Contraction Pooling for Graph Neural Networks, 2019",
		Tasks: ofGraphs,
	}, HierarchicalConfig{}, NewEdgePool),
	of(Spec{
		Name: "haarpool", Title: "low frequencies of a Haar basis over spectral clusters", Paper: "Wang et al., Haar Graph Pooling, ICML 2020",
		Tasks: ofGraphs, grows: haarLoad,
	}, HierarchicalConfig{}, NewHaarPool),
	of(Spec{
		Name: "deep-hyperdrop", Title: "a deep stack of GCNs for nodes, edges dropped by score every fourth layer", Paper: ehgnnPaper,
		Tasks: []string{nodeClass}, Form: ArcsAndLoops,
	}, DeepHyperDropConfig{Variant: Published}, NewDeepHyperDrop),
	of(Spec{
		Name: "deep-hyperdrop-loops", Title: "deep-hyperdrop whose layers add self-loops of weight 1, which are never dropped",
		Paper: "this project, after " + ehgnnPaper,
		Tasks: []string{nodeClass}, Form: ArcsAlone,
	}, DeepHyperDropConfig{Variant: Loops}, NewDeepHyperDrop),
	of(Spec{
		Name: "deep-hyperdrop-hold", Title: "deep-hyperdrop-loops in which nodes without a kept incoming edge do not change",
		Paper: "this project, after " + ehgnnPaper,
		Tasks: []string{nodeClass}, Form: ArcsAlone,
	}, DeepHyperDropConfig{Variant: Hold, Ratio: 0.3}, NewDeepHyperDrop), // of 0.3, 0.5 and 0.8 the best on Cora's validation set with 64 layers
	of(Spec{
		Name: "deep-randdrop", Title: "deep-hyperdrop with the kept edges drawn at random", Paper: ehgnnPaper + ", ablation",
		Tasks: []string{nodeClass}, Form: ArcsAndLoops,
	}, DeepHyperDropConfig{Variant: Random}, NewDeepHyperDrop),
	of(Spec{
		Name: "deep-gcn", Title: "a deep stack of GCNs for nodes",
		Paper: "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017",
		Tasks: []string{nodeClass},
	}, DeepGCNConfig{}, NewDeepGCN),
	of(Spec{
		Name: "deep-gcn-batchnorm", Title: "deep-gcn with batch normalisation between the layers",
		Paper: "Ioffe and Szegedy, Batch Normalization, ICML 2015",
		Tasks: []string{nodeClass},
	}, DeepGCNConfig{BatchNorm: true}, NewDeepGCN),
	of(Spec{
		Name: "deep-dropedge", Title: "deep-gcn with edges dropped at random before the first layer, in training",
		Paper: "Rong, Huang, Xu and Huang, DropEdge: Towards Deep Graph Convolutional Networks on Node Classification, ICLR 2020",
		Tasks: []string{nodeClass},
	}, DropEdgeConfig{}, NewDropEdge),
	of(Spec{
		Name: "ehgnn-joint-node", Title: "nodes and edges updated together in one pass over the incidence, nodes read out",
		Paper: "this project; named as future work by Jo et al., NeurIPS 2021",
		Tasks: []string{nodeClass}, Edges: true,
	}, JointConfig{}, NewJointNodes),
	of(Spec{
		Name: AutoName, Title: "boosted trees and a network on columns of each edge and of the known labels around it, chosen by validation",
		Paper: "this project; Ke et al., LightGBM, NeurIPS 2017; Gorishniy et al., TabM, ICLR 2025",
		Tasks: ofEdges, Edges: true, Fitted: true,
	}, AutoConfig{Quality: QualityGood}, NewAuto),
	of(Spec{
		Name: "ehgnn-edge", Title: "EHGNN edge layers; the input of an edge is its features and those of its nodes", Paper: ehgnnPaper,
		Tasks: ofEdges, Edges: true,
	}, DualStackConfig{}, NewDualStack),
	of(Spec{
		Name: "ehgnn-roles", Title: "EHGNN edge layers that differ for the edges that leave a node and those that enter it", Paper: "this project, after " + ehgnnPaper,
		Tasks: ofEdges, Edges: true,
	}, RoleStackConfig{}, NewRoleStack),
	of(Spec{
		Name: "ehgnn-joint-edge", Title: "nodes and edges updated together in one pass over the incidence, edges read out",
		Paper: "this project; named as future work by Jo et al., NeurIPS 2021",
		Tasks: ofEdges, Edges: true,
	}, JointConfig{}, NewJointDecoder),
	of(Spec{
		Name: "gin-edge", Title: "GIN in both directions of the edges, with edges that are updated from their nodes",
		Paper: multiGNN + "; Hu et al., ICLR 2020",
		Tasks: ofEdges, Edges: true,
	}, EdgeUpdatesConfig{}, NewGINEdge),
	of(Spec{
		Name: "pna-edge", Title: "gin-edge with principal neighbourhood aggregation in place of GIN",
		Paper: multiGNN + "; Corso et al., Principal Neighbourhood Aggregation for Graph Nets, NeurIPS 2020",
		Tasks: ofEdges, Edges: true,
		Cost: 3, // several rows for every edge, direction and layer
	}, EdgeUpdatesConfig{}, NewPNAEdge),
	of(Spec{
		Name: "linegraph-edge", Title: "ehgnn-edge with GraphSAGE on the line graph, where edges that share a node are neighbours",
		Paper: "the alternative to the dual in " + ehgnnPaper + "; Hamilton, Ying and Leskovec, NeurIPS 2017",
		Tasks: ofEdges, Edges: true, grows: lineGraphLoad,
	}, DualStackConfig{}, NewLineGraphEdge),
	of(Spec{
		Name: "attention-edge", Title: "ehgnn-edge with attention between edges and nodes in place of means",
		Paper: "Bai, Zhang and Torr, Hypergraph Convolution and Hypergraph Attention, Pattern Recognition 2021",
		Tasks: ofEdges, Edges: true,
		Cost: 1.5, // attention weights for every end of an edge
	}, AttentionEdgeConfig{}, NewAttentionEdge),
	of(Spec{
		Name: "mlp-edge", Title: "an MLP of the features of an edge and of its nodes; reads no other edge", Paper: "the baseline without structure",
		Tasks: ofEdges, Edges: true,
	}, EndsMLPConfig{}, NewEndsMLP),
}

// averaged returns the row of an Ensemble of HyperDrop and other models.
func averaged(name, title string, parts ...string) Spec {
	return Spec{Name: name, Title: title, Paper: "this project", Tasks: ofGraphs, Edges: true, parts: parts}
}

// paired returns the row of a Pair: an autoencoder of edges and that of nodes.
func paired(name, title, edges, paper string) Spec {
	return Spec{Name: name, Title: title, Paper: paper, Tasks: []string{graphRecon}, Edges: true, EdgeClusters: edges == "hypercluster",
		parts: []string{"gmpool-nodes", edges}, paired: true}
}

// flat returns the row of a flat baseline: a convolution and a readout.
func flat(name, conv, readout, title, paper string) Spec {
	spec, err := nn.FindConv(conv)
	if err != nil {
		panic(fmt.Sprintf("model: registry: %v", err)) // a mistake in the table above
	}
	return of(Spec{Name: name, Title: title, Paper: paper, Tasks: ofGraphs, Edges: spec.Edges},
		FlatConfig{Conv: conv, Readout: readout},
		func(in nn.Init, d Dims, c FlatConfig) (*Flat, error) { return newFlat(in, d, c, name) })
}
