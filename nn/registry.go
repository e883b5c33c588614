package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// ConvDims are the widths of a convolution. Layers that read no hyperedge features ignore Edge.
// Layers without attention ignore Heads.
type ConvDims struct {
	In, Out int // vertex features: input and output
	Edge    int // hyperedge features of the view
	Heads   int // attention heads, dividing Out; 0 means 4 if that divides Out, else 1
}

// heads returns the number of attention heads of a layer and the width of each: Out/heads, or Out
// if heads are averaged.
func (d ConvDims) heads(layer string, average bool) (heads, head int, err error) {
	heads = d.Heads
	if heads == 0 {
		heads = 1
		if d.Out%4 == 0 {
			heads = 4
		}
	}
	switch {
	case heads < 0:
		return 0, 0, fmt.Errorf("nn: %s: %d heads, expected 0 or more", layer, heads)
	case average:
		return heads, d.Out, nil
	case d.Out%heads != 0:
		return 0, 0, fmt.Errorf("nn: %s: the width is %d, expected a multiple of the %d heads", layer, d.Out, heads)
	}
	return heads, d.Out / heads, nil
}

// ConvSpec describes a registered convolution.
type ConvSpec struct {
	Name, Title, Paper string
	Edges              bool // reads edge features
	Types              bool // reads edge features as one-hot types, without a gradient
	Weights            bool // reads edge weights, with gradients
	Dual               bool // defined on any hypergraph, so also on the dual
	Attention          bool // has heads
	New                func(in Init, d ConvDims) (Conv, error)
}

// LinePrefix before the name of a convolution selects the line graph of a graph's edges instead of
// the dual hypergraph.
const LinePrefix = "line:"

// FindConv returns a registered convolution by name.
func FindConv(name string) (ConvSpec, error) {
	names := make([]string, len(convs))
	for i, s := range convs {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return ConvSpec{}, fmt.Errorf("nn: unknown convolution %q, expected one of: %s", name, strings.Join(names, ", "))
}

// Convs lists every convolution, in the order of the documentation.
func Convs() []ConvSpec { return slices.Clone(convs) }

var convs = []ConvSpec{
	{
		Name: "gcn", Title: "symmetrically normalised sum over neighbours", Weights: true,
		Paper: "Kipf and Welling, ICLR 2017",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewGCN(in, d, GCNConfig{}), nil },
	},
	{
		Name: "hyper", Title: "mean over hyperedges and back, what GCN becomes on the dual", Weights: true, Dual: true,
		Paper: "Jo et al., NeurIPS 2021; Bai, Zhang and Torr, Pattern Recognition 2021",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewHyperConv(in, d, HyperConvConfig{}), nil },
	},
	{
		Name: "hyper-attention", Title: "hypergraph convolution with attention to the hyperedges' features", Edges: true, Weights: true, Dual: true, Attention: true,
		Paper: "Bai, Zhang and Torr, Pattern Recognition 2021",
		New: func(in Init, d ConvDims) (Conv, error) {
			layer, err := NewHyperAttention(in, ConvDims{In: d.In, Out: d.Out, Heads: d.Heads}, HyperAttentionConfig{})
			return conv(&edgeMapped{Map: NewLinear(in.In("edge"), Dims{In: d.Edge, Out: d.In}), Conv: layer}, err)
		},
	},
	{
		Name: "sage", Title: "mean of the neighbours, plus a map of the node itself", Weights: true, Dual: true,
		Paper: "Hamilton, Ying and Leskovec, NeurIPS 2017",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewSAGE(in, d, SAGEConfig{}), nil },
	},
	{
		Name: "sage-max", Title: "maximum of the neighbours, plus a map of the node itself", Weights: true, Dual: true,
		Paper: "Hamilton, Ying and Leskovec, NeurIPS 2017",
		New: func(in Init, d ConvDims) (Conv, error) {
			return NewSAGE(in, d, SAGEConfig{Aggregate: AggregateMax}), nil
		},
	},
	{
		Name: "gat", Title: "attention over neighbours, by node and edge features", Edges: true, Weights: true, Attention: true,
		Paper: "Velickovic et al., ICLR 2018",
		New:   func(in Init, d ConvDims) (Conv, error) { return conv(NewGAT(in, d, GATConfig{})) },
	},
	{
		Name: "gatv2", Title: "attention whose ranking of neighbours depends on the node", Edges: true, Weights: true, Attention: true,
		Paper: "Brody, Alon and Yahav, ICLR 2022",
		New:   func(in Init, d ConvDims) (Conv, error) { return conv(NewGATv2(in, d, GATv2Config{})) },
	},
	{
		Name: "gin", Title: "MLP of the sum over neighbours", Weights: true, Dual: true,
		Paper: "Xu et al., ICLR 2019",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewGIN(in, d, GINConfig{Form: GINNormLast}), nil },
	},
	{
		Name: "gine", Title: "GIN with edge features in the messages", Edges: true, Weights: true, Dual: true,
		Paper: "Hu et al., ICLR 2020",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewGINE(in, d, GINConfig{Form: GINNormLast}), nil },
	},
	{
		Name: "pna", Title: "mean, minimum, maximum and spread of the messages, each at three scales of the degree", Edges: true,
		Paper: "Corso et al., NeurIPS 2020",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewPNA(in, d), nil },
	},
	{
		Name: "egcn", Title: "GCN with edge features added to the messages", Edges: true, Weights: true,
		Paper: "Hu et al. (Open Graph Benchmark), NeurIPS 2020",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewEGCN(in, d, EGCNConfig{}), nil },
	},
	{
		Name: "egcn-linear", Title: "EGCN without the ReLU of each message, as in the paper", Edges: true, Weights: true,
		Paper: "Jo et al., NeurIPS 2021, appendix A.1",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewEGCN(in, d, EGCNConfig{Form: EGCNLinear}), nil },
	},
	{
		Name: "mpnn", Title: "edge-conditioned convolution: the edge chooses the matrix", Edges: true, Weights: true,
		Paper: "Gilmer et al., ICML 2017",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewMPNN(in, d, MPNNConfig{Mean: true}), nil },
	},
	{
		Name: "mpnn-sum", Title: "MPNN with the sum over neighbours in place of their mean", Edges: true, Weights: true,
		Paper: "Gilmer et al., ICML 2017; Jo et al., NeurIPS 2021, appendix A.1",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewMPNN(in, d, MPNNConfig{}), nil },
	},
	{
		Name: "rgcn", Title: "a matrix per edge type", Edges: true, Types: true, Weights: true,
		Paper: "Schlichtkrull et al., ESWC 2018",
		New:   func(in Init, d ConvDims) (Conv, error) { return conv(NewRGCN(in, d, RGCNConfig{})) },
	},
	{
		Name: "egnn", Title: "doubly normalised edge features as attention", Edges: true, Weights: true,
		Paper: "Gong and Cheng, CVPR 2019",
		// The authors' definition. The restriction to edges and self-loops in the EHGNN paper would
		// need a term per triangle.
		New: func(in Init, d ConvDims) (Conv, error) { return conv(NewEGNN(in, d, EGNNConfig{})) },
	},
	{
		Name: "pointwise", Title: "a linear map of each node, edges ignored", Dual: true,
		Paper: "Zaheer et al. (Deep Sets), NeurIPS 2017",
		New:   func(in Init, d ConvDims) (Conv, error) { return NewPointwise(in, d), nil },
	},
}

// conv converts a constructor's result to a Conv. On an error it returns nil: a typed nil pointer
// would be a Conv that is not nil.
func conv[C Conv](c C, err error) (Conv, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// edgeMapped maps hyperedge features to the width of the vertices first.
type edgeMapped struct {
	Map  *Linear
	Conv Conv
}

func (e *edgeMapped) Params() []*tensor.Param { return Params(e.Map, e.Conv) }

func (e *edgeMapped) Forward(p *Pass, v graph.View) *tensor.Tensor {
	return e.Conv.Forward(p, v.WithE(e.Map.Forward(p, bind(p, v.E))))
}
