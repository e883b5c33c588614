package model

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// convReLU is a convolution followed by ReLU, in one pass where the layer can.
func convReLU(p *nn.Pass, c nn.Conv, v graph.View) *tensor.Tensor {
	if fused, ok := c.(interface {
		ForwardReLU(*nn.Pass, graph.View) *tensor.Tensor
	}); ok {
		return fused.ForwardReLU(p, v)
	}
	return c.Forward(p, v).ReLU()
}

// checkConvs checks the names of convolutions: that of nodes, and that of edges,
// which works on the dual unless "line:" stands before it.
func checkConvs(conv, edgeConv string) error {
	if conv != "" {
		if _, err := nn.FindConv(conv); err != nil {
			return err
		}
	}
	if edgeConv == "" {
		return nil
	}
	base, line := strings.CutPrefix(edgeConv, nn.LinePrefix)
	spec, err := nn.FindConv(base)
	if err == nil && !line && !spec.Dual {
		err = fmt.Errorf("convolution %s is not defined on the dual hypergraph, whose hyperedges join any number of edges; use %s%s, or one of: %s",
			edgeConv, nn.LinePrefix, edgeConv, strings.Join(convsWhere(func(s nn.ConvSpec) bool { return s.Dual }), ", "))
	}
	return err
}

// newConvs builds a stack of the named convolution, gcn when empty, under
// convs.0, convs.1 and so on; edge is the width of edge features after the first
// layer.
func newConvs(in nn.Init, name string, c Config, edge int) ([]nn.Conv, error) {
	if name == "" {
		name = "gcn"
	}
	spec, err := nn.FindConv(name)
	if err != nil {
		return nil, err
	}
	if spec.Types && c.EdgeDim == 0 {
		return nil, fmt.Errorf("model: convolution %s: edge_dim is 0, expected at least 1, as it reads types of edges", name)
	}
	out := make([]nn.Conv, c.Layers)
	d := nn.ConvDims{In: c.NodeDim, Out: c.Hidden, Edge: c.EdgeDim, Heads: c.Heads}
	if err := checkHeads(spec, d); err != nil {
		return nil, err
	}
	for l := range out {
		if out[l], err = spec.New(in.In("convs", l), d); err != nil {
			return nil, err
		}
		d.In, d.Edge = c.Hidden, edge
	}
	return out, nil
}

// newWeightedConvs is newConvs for models that learn edges, and through edge
// weights: from the second layer on, edges have learned features.
func newWeightedConvs(in nn.Init, model string, c Config) ([]nn.Conv, error) {
	if c.Conv != "" {
		if spec, err := nn.FindConv(c.Conv); err == nil && !spec.Weights {
			return nil, fmt.Errorf("model: %s: convolution %s reads no edge weights, through which edge scores learn; expected one of: %s",
				model, c.Conv, strings.Join(convsWhere(func(s nn.ConvSpec) bool { return s.Weights }), ", "))
		}
	}
	return newConvs(in, c.Conv, c, c.edgeHidden())
}

// newEdgeConv, for a name that checkConvs has passed, builds the named convolution for the dual, hyper when empty; with
// "line:" before the name, for the line graph.
func newEdgeConv(in nn.Init, name string, d nn.ConvDims) (nn.Conv, error) {
	if name == "" {
		name = "hyper"
	}
	base, line := strings.CutPrefix(name, nn.LinePrefix)
	spec, err := nn.FindConv(base)
	if err == nil {
		err = checkHeads(spec, d)
	}
	if err != nil {
		return nil, err
	}
	conv, err := spec.New(in, d)
	if err == nil && line {
		conv = &nn.LineGraph{Conv: conv, NodeFeatures: spec.Edges}
	}
	return conv, err
}

// checkHeads makes sure that heads which are given divide the width.
func checkHeads(spec nn.ConvSpec, d nn.ConvDims) error {
	if spec.Attention && d.Heads > 0 && d.Out%d.Heads != 0 {
		return fmt.Errorf("model: %s: the width is %d, expected a multiple of the %d heads", spec.Name, d.Out, d.Heads)
	}
	return nil
}

// convsWhere lists the names of the convolutions that have a property.
func convsWhere(has func(nn.ConvSpec) bool) []string {
	var names []string
	for _, s := range nn.Convs {
		if has(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

func convParams(convs []nn.Conv) []*tensor.Param {
	var out []*tensor.Param
	for _, c := range convs {
		out = append(out, c.Params()...)
	}
	return out
}
