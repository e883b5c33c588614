package model

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
)

// Names of the tasks, as package task has them.
const (
	graphClass = "graph-classification"
	graphRegr  = "graph-regression"
	nodeClass  = "node-classification"
	edgeRecon  = "edge-reconstruction"
)

// ofGraphs are the tasks of a model with predictions per graph.
var ofGraphs = []string{graphClass, graphRegr}

const (
	ehgnnPaper = "Jo et al., Edge Representation Learning with Hypergraphs, NeurIPS 2021"
	gmtPaper   = "Baek, Kang and Hwang, Accurate Learning of Graph Representations with Graph Multiset Pooling, ICLR 2021"
)

// Registry lists every model, in the order help shows them.
var Registry = withOptions([]Spec{
	{
		Name: "hyperdrop", Title: "EHGNN edge layers, edges dropped by score, GCN over the kept edges", Paper: ehgnnPaper,
		Tasks: ofGraphs, Edges: true, Options: []string{"ratio", "score", "edge-hidden", "conv", "edge-conv", "edge-init", "virtual-node"},
		New: func(c Config) (Model, error) { return built(NewHyperDrop(c)) },
	},
	{
		Name: "hypercluster", Title: "EHGNN edge autoencoder, edges clustered to a few vectors and back", Paper: ehgnnPaper,
		Tasks: []string{edgeRecon}, Edges: true, EdgesOnly: true, Options: []string{"ratio", "clusters", "heads", "layer-norm"}, Fixed: []string{"dropout"},
		Sizes: func(c *Config, s Stats) { c.Clusters = s.EdgeClusters(c.Ratio) },
		New:   func(c Config) (Model, error) { return built(NewHyperCluster(c)) },
	},
	{
		Name: "ehgnn", Title: "HyperDrop that keeps every edge: scores weigh edges, none is dropped", Paper: ehgnnPaper + ", ablation",
		Tasks: ofGraphs, Edges: true, Options: []string{"score", "edge-hidden", "conv", "edge-conv", "edge-init", "virtual-node"}, Ratio: 1,
		New: func(c Config) (Model, error) { return built(NewEHGNN(c)) },
	},
	{
		Name: "randdrop", Title: "HyperDrop with the kept edges drawn at random", Paper: ehgnnPaper + ", ablation",
		Tasks: ofGraphs, Edges: true, Options: []string{"ratio", "score", "edge-hidden", "conv", "edge-conv", "edge-init", "virtual-node"},
		New: func(c Config) (Model, error) { return built(NewRandDrop(c)) },
	},
	{
		Name: "gcn-summed", Title: "the node layers and the readout of HyperDrop alone", Paper: ehgnnPaper + ", its ablation with the same readout",
		Tasks: ofGraphs, Options: []string{"conv"},
		New: func(c Config) (Model, error) { return built(NewGCNSummed(c)) },
	},
	{
		Name: "hypercluster-graph", Title: "EHGNN edge layers, edges clustered by HyperCluster beside the node readout", Paper: ehgnnPaper + ", ablation",
		Tasks: ofGraphs, Edges: true, Options: []string{"ratio", "clusters", "heads", "layer-norm", "conv", "edge-conv", "edge-init"}, Ratio: 0.25,
		Sizes: func(c *Config, s Stats) { c.Clusters = s.EdgeClusters(c.Ratio) },
		New:   func(c Config) (Model, error) { return built(NewEdgeCluster(c)) },
	},
	{
		Name: "hyperdrop-gmt", Title: "HyperDrop with GMT's pooling of nodes", Paper: ehgnnPaper + "; " + gmtPaper,
		Tasks: ofGraphs, Edges: true, Options: []string{"ratio", "score", "clusters", "heads", "layer-norm", "edge-hidden", "conv", "edge-conv", "edge-init", "virtual-node"}, PaperHeads: true,
		Sizes: gmtSeeds,
		New:   func(c Config) (Model, error) { return built(NewHyperDropGMT(c)) },
	},
	averaged("hyperdrop-mlp", "HyperDrop and the structure-blind mlp, predictions averaged", "hyperdrop", "mlp"),
	averaged("hyperdrop-committee", "HyperDrop, ehgnn-joint and gine-residual, predictions averaged", "hyperdrop", "ehgnn-joint", "gine-residual"),
	{
		Name: "ehgnn-joint", Title: "nodes and edges updated together in one pass over the incidence, both read out",
		Paper: "this project; named as future work by Jo et al., NeurIPS 2021",
		Tasks: ofGraphs, Edges: true, Options: []string{"edge-hidden"},
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
	{
		Name: "mlp", Title: "an MLP of summed node features and averaged edge features; sees no structure",
		Paper: "Errica, Podda, Bacciu and Micheli, A Fair Comparison of Graph Neural Networks for Graph Classification, ICLR 2020",
		Tasks: ofGraphs, Edges: true,
		New: func(c Config) (Model, error) { return built(NewMLP(c)) },
	},
	{
		Name: "gine-residual", Title: "GINE with batch normalisation, dropout and residuals; HyperDrop's readout",
		Paper: "Hu et al., Open Graph Benchmark, NeurIPS 2020; Luo, Shi and Wu, Unlocking the Potential of Classic GNNs for Graph-level Tasks, ICML 2025",
		Tasks: ofGraphs, Edges: true,
		New: func(c Config) (Model, error) { return built(NewGINEResidual(c)) },
	},
	{
		Name: "gatedgcn", Title: "gated GCN with edge features that are updated, batch normalisation, dropout and residuals; HyperDrop's readout",
		Paper: "Bresson and Laurent, Residual Gated Graph ConvNets, 2017; Dwivedi et al., Benchmarking Graph Neural Networks, JMLR 2023",
		Tasks: ofGraphs, Edges: true,
		New: func(c Config) (Model, error) { return built(NewGatedGCN(c)) },
	},
	{
		Name: "sortpool", Title: "nodes in order of a learned channel, read as a sequence",
		Paper: "Zhang, Cui, Neumann and Chen, An End-to-End Deep Learning Architecture for Graph Classification, AAAI 2018",
		Tasks: ofGraphs, Options: []string{"conv"},
		Sizes: func(c *Config, s Stats) { c.SortK = pool.SortPoolSize(s.Nodes, 0.6) },
		New:   func(c Config) (Model, error) { return built(NewSortPool(c)) },
	},
	{
		Name: "gmt", Title: "multi-head attention from learned seeds to nodes", Paper: gmtPaper,
		Tasks: ofGraphs, Options: []string{"clusters", "heads", "layer-norm", "conv"}, PaperHeads: true,
		Sizes: gmtSeeds,
		New:   func(c Config) (Model, error) { return built(NewGMT(c)) },
	},
	{
		Name: "diffpool", Title: "soft clusters of nodes by two networks; dense after the first pool",
		Paper: "Ying et al., Hierarchical Graph Representation Learning with Differentiable Pooling, NeurIPS 2018",
		Tasks: ofGraphs, Options: []string{"ratio", "clusters", "conv"}, Fixed: []string{"layers"}, Ratio: 0.25,
		Sizes: nodeClusters,
		New:   func(c Config) (Model, error) { return built(NewDiffPool(c)) },
	},
	{
		Name: "mincutpool", Title: "soft clusters of nodes that cut few edges; dense after the first pool",
		Paper: "Bianchi, Grattarola and Alippi, Spectral Clustering with Graph Neural Networks for Graph Pooling, ICML 2020",
		Tasks: ofGraphs, Options: []string{"ratio", "clusters", "conv"}, Fixed: []string{"layers"}, Ratio: 0.25,
		Sizes: nodeClusters,
		New:   func(c Config) (Model, error) { return built(NewMinCutPool(c)) },
	},
	hierarchical("topkpool", "keeps the nodes with the largest projection", "Gao and Ji, Graph U-Nets, ICML 2019", true,
		func(in nn.Init, dim int, keep pool.Keep) (pool.Pool, error) {
			return pool.NewTopKPool(in, dim, pool.GateConfig{Keep: keep})
		}),
	hierarchical("sagpool", "keeps the nodes that a graph convolution scores best", "Lee, Lee and Kang, Self-Attention Graph Pooling, ICML 2019", true,
		func(in nn.Init, dim int, keep pool.Keep) (pool.Pool, error) {
			return pool.NewSAGPool(in, dim, pool.SAGPoolConfig{GateConfig: pool.GateConfig{Keep: keep}})
		}),
	hierarchical("asap", "clusters around each node by attention, keeps the fittest", "Ranjan, Sanyal and Talukdar, ASAP, AAAI 2020", false,
		func(in nn.Init, dim int, keep pool.Keep) (pool.Pool, error) {
			return pool.NewASAPool(in, dim, pool.ASAPConfig{Keep: keep})
		}),
	hierarchical("edgepool", "contracts the best-scored edges", "Diehl, Edge Contraction Pooling for Graph Neural Networks, 2019", false,
		func(in nn.Init, dim int, _ pool.Keep) (pool.Pool, error) {
			return pool.NewEdgePool(in, dim, pool.EdgePoolConfig{}), nil
		}),
	hierarchical("haarpool", "low frequencies of a Haar basis over spectral clusters", "Wang et al., Haar Graph Pooling, ICML 2020", false,
		func(nn.Init, int, pool.Keep) (pool.Pool, error) { return pool.NewHaarPool(pool.HaarPoolConfig{}), nil }),
	{
		Name: "deep-hyperdrop", Title: "a deep stack of GCNs for nodes, edges dropped by score every fourth layer", Paper: ehgnnPaper,
		Tasks: []string{nodeClass}, Options: []string{"ratio", "score", "edge-hidden", "init-gain", "unnormalised"}, Form: ArcsAndLoops,
		New: func(c Config) (Model, error) {
			return built(NewDeepHyperDrop(DeepHyperDropConfig{Config: c, AsCode: c.Unnormalised}))
		},
	},
	{
		Name: "deep-hyperdrop-loops", Title: "deep-hyperdrop whose layers add self-loops of weight 1, which are never dropped",
		Paper: "this project, after " + ehgnnPaper,
		Tasks: []string{nodeClass}, Options: []string{"ratio", "score", "edge-hidden", "init-gain"}, Form: ArcsAlone,
		New: func(c Config) (Model, error) {
			return built(NewDeepHyperDrop(DeepHyperDropConfig{Config: c, Loops: true}))
		},
	},
	{
		Name: "deep-hyperdrop-hold", Title: "deep-hyperdrop-loops in which nodes that no kept edge leads to stay as they are",
		Paper: "this project, after " + ehgnnPaper,
		Tasks: []string{nodeClass}, Options: []string{"ratio", "score", "edge-hidden", "init-gain"}, Form: ArcsAlone,
		Ratio: 0.3, // of 0.3, 0.5 and 0.8 the best on Cora's validation part at 64 layers
		New: func(c Config) (Model, error) {
			return built(NewDeepHyperDrop(DeepHyperDropConfig{Config: c, Hold: true}))
		},
	},
	{
		Name: "deep-randdrop", Title: "deep-hyperdrop with the kept edges drawn at random", Paper: ehgnnPaper + ", ablation",
		Tasks: []string{nodeClass}, Options: []string{"ratio", "score", "edge-hidden", "init-gain", "unnormalised"}, Form: ArcsAndLoops,
		New: func(c Config) (Model, error) {
			return built(NewDeepHyperDrop(DeepHyperDropConfig{Config: c, AsCode: c.Unnormalised, Random: true}))
		},
	},
	deepGCN("deep-gcn", "a deep stack of GCNs for nodes",
		"Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017", false, false),
	deepGCN("deep-gcn-batchnorm", "deep-gcn with batch normalisation between the layers",
		"Ioffe and Szegedy, Batch Normalization, ICML 2015", true, false),
	deepGCN("deep-dropedge", "deep-gcn with edges dropped at random before the first layer, in training",
		"Rong, Huang, Xu and Huang, DropEdge: Towards Deep Graph Convolutional Networks on Node Classification, ICLR 2020", false, true),
})

// withOptions gives every model of a registry the options Config.Encode and
// Config.Members, and one of several parts what any of them reads.
func withOptions(specs []Spec) []Spec {
	for i, s := range specs {
		for _, part := range named(specs, s.parts) {
			for _, option := range part.Options {
				if !slices.Contains(specs[i].Options, option) {
					specs[i].Options = append(specs[i].Options, option)
				}
			}
		}
		specs[i].New = func(c Config) (Model, error) {
			switch {
			case c.Members < 0:
				return nil, fmt.Errorf("model: %s: members is %d, expected at least 1", s.Name, c.Members)
			case s.parts != nil:
				m, err := newEnsemble(named(specs, s.parts), c)
				if err != nil {
					return nil, fmt.Errorf("model: %s: of its parts, %w", s.Name, err)
				}
				return m, nil
			case c.Members > 1:
				return built(newEnsemble([]Spec{specs[i]}, c))
			case c.Encode:
				return built(newEncoded(s, c))
			}
			return s.New(c)
		}
	}
	return specs
}

// named are the specs of some names, in that order.
func named(specs []Spec, names []string) []Spec {
	var out []Spec
	for _, name := range names {
		i := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == name })
		out = append(out, specs[i]) // a slip in the registry panics
	}
	return out
}

// deepGCN is the row of a baseline of DeepHyperDrop. With DropEdge the share of
// edges kept is Config.Ratio, as it is of DeepHyperDrop.
func deepGCN(name, title, paper string, norm, drop bool) Spec {
	s := Spec{Name: name, Title: title, Paper: paper, Tasks: []string{nodeClass}, Options: []string{"init-gain"},
		New: func(c Config) (Model, error) {
			d := DeepGCNConfig{Config: c, BatchNorm: norm}
			if drop {
				if !(c.Ratio > 0 && c.Ratio <= 1) {
					return nil, fmt.Errorf("model: %s: ratio is %v, expected above 0 and at most 1", name, c.Ratio)
				}
				d.DropEdge = 1 - c.Ratio
			}
			return built(newDeepGCN(d, name))
		}}
	if drop {
		s.Options = append(s.Options, "ratio")
	}
	return s
}

// gmtSeeds is a quarter of the mean number of nodes, as GMT has it.
func gmtSeeds(c *Config, s Stats) { c.Clusters = Share(0.25, s.MeanNodes()) }

// nodeClusters is the ratio's share of the mean number of nodes.
func nodeClusters(c *Config, s Stats) { c.Clusters = Share(c.Ratio, s.MeanNodes()) }

// averaged is the row of HyperDrop and other models as an Ensemble.
func averaged(name, title string, parts ...string) Spec {
	return Spec{Name: name, Title: title, Paper: "this project", Tasks: ofGraphs, Edges: true, parts: parts}
}

// hierarchical is the row of a baseline that drops or contracts nodes.
func hierarchical(name, title, paper string, keepsEdges bool, newPool func(in nn.Init, dim int, keep pool.Keep) (pool.Pool, error)) Spec {
	options := []string{"ratio", "conv"}
	sized := name == "edgepool" || name == "haarpool" // by the graph, whatever the ratio
	if sized {
		options = options[1:]
	}
	return Spec{Name: name, Title: title, Paper: paper, Tasks: ofGraphs, Options: options, Ratio: 0.25,
		New: func(c Config) (Model, error) {
			if sized {
				c.Ratio = 1
			}
			return built(NewHierarchical(c, name, keepsEdges, newPool))
		}}
}

// flat is the row of a flat baseline: a convolution and a readout.
func flat(name, conv, readout, title, paper string) Spec {
	spec, err := nn.FindConv(conv)
	if err != nil {
		panic(fmt.Sprintf("model: registry: %v", err)) // a slip in the table above
	}
	var options []string
	if spec.Attention {
		options = []string{"heads"}
	}
	return Spec{Name: name, Title: title, Paper: paper, Tasks: ofGraphs, Edges: spec.Edges, Options: options, conv: conv,
		New: func(c Config) (Model, error) { return built(newFlat(c, name, conv, readout)) }}
}

// built makes a constructor's result a Model: nil on an error, where the typed
// nil pointer would be a Model that is not nil.
func built[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
