package nn

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// ConvDims are the widths a convolution is built for.
type ConvDims struct {
	In, Out int
	Edge    int // width of the view's hyperedge features
	Heads   int // of attention, dividing Out; 0 for the layer's own number
}

// heads is the number of attention heads, each of width Out/heads.
func (d ConvDims) heads() int {
	switch {
	case d.Heads > 0:
		return d.Heads
	case d.Out%4 == 0:
		return 4
	}
	return 1
}

// ConvSpec describes a registered convolution.
type ConvSpec struct {
	Name, Title, Paper string
	Edges              bool // reads edge features
	Types              bool // reads them as one-hot types, to which no gradient goes
	Weights            bool // reads edge weights, with gradients
	Dual               bool // defined on any hypergraph, so on the dual
	Attention          bool // has heads
	New                func(in Init, d ConvDims) Conv
}

// LinePrefix before the name of a convolution runs it on the line graph of a
// graph's edges in place of the dual hypergraph.
const LinePrefix = "line:"

// FindConv returns a registered convolution by name.
func FindConv(name string) (ConvSpec, error) {
	names := make([]string, len(Convs))
	for i, s := range Convs {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return ConvSpec{}, fmt.Errorf("nn: unknown convolution %q, expected one of: %s", name, strings.Join(names, ", "))
}

// Convs lists every convolution, in the order documentation shows them.
var Convs = []ConvSpec{
	{
		Name: "gcn", Title: "symmetrically normalised sum over neighbours", Weights: true,
		Paper: "Kipf and Welling, ICLR 2017",
		New:   func(in Init, d ConvDims) Conv { return NewGCN(in, d.In, d.Out, GCNConfig{}) },
	},
	{
		Name: "hyper", Title: "mean over hyperedges and back, what GCN becomes on the dual", Weights: true, Dual: true,
		Paper: "Jo et al., NeurIPS 2021; Bai, Zhang and Torr, Pattern Recognition 2021",
		New:   func(in Init, d ConvDims) Conv { return NewHyperConv(in, d.In, d.Out, HyperConvConfig{}) },
	},
	{
		Name: "hyper-attention", Title: "hypergraph convolution with attention to the hyperedges' features", Edges: true, Weights: true, Dual: true, Attention: true,
		Paper: "Bai, Zhang and Torr, Pattern Recognition 2021",
		New: func(in Init, d ConvDims) Conv {
			h := d.heads()
			return &edgeMapped{Map: NewLinear(in.In("edge"), d.Edge, d.In),
				Conv: NewHyperAttention(in, d.In, d.Out/h, HyperAttentionConfig{Heads: h})}
		},
	},
	{
		Name: "sage", Title: "mean of the neighbours beside the node itself", Weights: true, Dual: true,
		Paper: "Hamilton, Ying and Leskovec, NeurIPS 2017",
		New:   func(in Init, d ConvDims) Conv { return NewSAGE(in, d.In, d.Out, SAGEConfig{}) },
	},
	{
		Name: "sage-max", Title: "maximum of the neighbours beside the node itself", Weights: true, Dual: true,
		Paper: "Hamilton, Ying and Leskovec, NeurIPS 2017",
		New:   func(in Init, d ConvDims) Conv { return NewSAGE(in, d.In, d.Out, SAGEConfig{Aggregate: AggregateMax}) },
	},
	{
		Name: "gat", Title: "attention over neighbours, by node and edge features", Edges: true, Weights: true, Attention: true,
		Paper: "Velickovic et al., ICLR 2018",
		New: func(in Init, d ConvDims) Conv {
			h := d.heads()
			return NewGAT(in, d.In, d.Out/h, GATConfig{Heads: h, EdgeDim: d.Edge})
		},
	},
	{
		Name: "gatv2", Title: "attention that ranks neighbours by the node that asks", Edges: true, Weights: true, Attention: true,
		Paper: "Brody, Alon and Yahav, ICLR 2022",
		New: func(in Init, d ConvDims) Conv {
			h := d.heads()
			return NewGATv2(in, d.In, d.Out/h, GATv2Config{GATConfig: GATConfig{Heads: h, EdgeDim: d.Edge}})
		},
	},
	{
		Name: "gin", Title: "MLP of the sum over neighbours", Weights: true, Dual: true,
		Paper: "Xu et al., ICLR 2019",
		New:   func(in Init, d ConvDims) Conv { return NewGIN(in, d.In, d.Out, GINConfig{Form: GINNormLast}) },
	},
	{
		Name: "gine", Title: "GIN with edge features in the messages", Edges: true, Weights: true, Dual: true,
		Paper: "Hu et al., ICLR 2020",
		New: func(in Init, d ConvDims) Conv {
			return NewGINE(in, d.In, d.Out, GINEConfig{GINConfig: GINConfig{Form: GINNormLast}, EdgeDim: d.Edge})
		},
	},
	{
		Name: "egcn", Title: "GCN with edge features added to the messages", Edges: true, Weights: true,
		Paper: "Hu et al. (Open Graph Benchmark), NeurIPS 2020",
		New:   func(in Init, d ConvDims) Conv { return NewEGCN(in, d.In, d.Edge, d.Out, EGCNConfig{}) },
	},
	{
		Name: "mpnn", Title: "edge-conditioned convolution: the edge chooses the matrix", Edges: true, Weights: true,
		Paper: "Gilmer et al., ICML 2017",
		New:   func(in Init, d ConvDims) Conv { return NewMPNN(in, d.In, d.Edge, d.Out, MPNNConfig{Mean: true}) },
	},
	{
		Name: "rgcn", Title: "a matrix per edge type", Edges: true, Types: true, Weights: true,
		Paper: "Schlichtkrull et al., ESWC 2018",
		New:   func(in Init, d ConvDims) Conv { return NewRGCN(in, d.In, d.Out, RGCNConfig{Relations: d.Edge}) },
	},
	{
		Name: "egnn", Title: "doubly normalised edge features as attention", Edges: true, Weights: true,
		Paper: "Gong and Cheng, CVPR 2019",
		// The definition of the authors; restricted to edges and self-loops, as the
		// EHGNN paper writes it, it costs a term per triangle.
		New: func(in Init, d ConvDims) Conv { return NewEGNN(in, d.In, d.Edge, d.Out, EGNNConfig{}) },
	},
	{
		Name: "pointwise", Title: "a linear map of each node, edges ignored", Dual: true,
		Paper: "Zaheer et al. (Deep Sets), NeurIPS 2017",
		New:   func(in Init, d ConvDims) Conv { return NewPointwise(in, d.In, d.Out) },
	},
}

// edgeMapped maps hyperedge features to the width its convolution wants.
type edgeMapped struct {
	Map  *Linear
	Conv Conv
}

func (e *edgeMapped) Params() []*tensor.Param { return Params(e.Map, e.Conv) }

func (e *edgeMapped) Forward(p *Pass, v graph.View) *tensor.Tensor {
	return e.Conv.Forward(p, v.WithE(e.Map.Forward(p, bind(p, v.E))))
}
