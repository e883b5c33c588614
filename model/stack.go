package model

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// convReLU is a convolution followed by ReLU, in one pass if the layer supports it.
func convReLU(p *nn.Pass, c nn.Conv, v graph.View) *tensor.Tensor {
	if fused, ok := c.(interface {
		ForwardReLU(*nn.Pass, graph.View) *tensor.Tensor
	}); ok {
		return fused.ForwardReLU(p, v)
	}
	return c.Forward(p, v).ReLU()
}

// forwardConvs passes a view through convolutions with ReLU, which all use the same edges. It
// returns the output of each and the view with the output of the last.
func forwardConvs(p *nn.Pass, convs []nn.Conv, v graph.View) ([]*tensor.Tensor, graph.View) {
	xs := make([]*tensor.Tensor, len(convs))
	for l, c := range convs {
		xs[l] = convReLU(p, c, v)
		v = v.WithX(xs[l])
	}
	return xs, v
}

// newConvs builds a stack of the named convolution in the scopes convs.0, convs.1 and so on. edge
// is the width of edge features after the first layer.
func newConvs(in nn.Init, d Dims, s Stack, c NodeConv, edge int) ([]nn.Conv, error) {
	spec, err := nn.FindConv(c.convolution())
	if err != nil {
		return nil, err
	}
	if spec.Types && d.Edge == 0 {
		return nil, fmt.Errorf("convolution %s: edge_dim is 0, expected at least 1, as it reads types of edges", spec.Name)
	}
	var out []nn.Conv
	dims := nn.ConvDims{In: d.Node, Out: s.Hidden, Edge: d.Edge, Heads: c.Heads}
	for l := range s.Layers {
		conv, err := spec.New(in.In("convs", l), dims)
		if err != nil {
			return nil, err
		}
		out = append(out, conv)
		dims.In, dims.Edge = s.Hidden, edge
	}
	return out, nil
}

// newWeightedConvs is newConvs for models that learn edges through edge weights: from the second
// layer on, edges have learned features of width edge.
func newWeightedConvs(in nn.Init, d Dims, s Stack, c NodeConv, edge int) ([]nn.Conv, error) {
	if spec, err := nn.FindConv(c.convolution()); err == nil && !spec.Weights {
		return nil, fmt.Errorf("convolution %s reads no edge weights, through which edge scores learn; expected one of: %s",
			spec.Name, strings.Join(convsWhere(func(s nn.ConvSpec) bool { return s.Weights }), ", "))
	}
	return newConvs(in, d, s, c, edge)
}

// newEdgeConv builds a convolution over edges. checkEdgeConv has checked its name.
func newEdgeConv(in nn.Init, name string, d nn.ConvDims) (nn.Conv, error) {
	name = cmp.Or(name, "hyper")
	base, line := strings.CutPrefix(name, nn.LinePrefix)
	spec, err := nn.FindConv(base)
	if err != nil {
		return nil, err
	}
	conv, err := spec.New(in, d)
	if err == nil && line {
		conv = &nn.LineGraph{Conv: conv, NodeFeatures: spec.Edges}
	}
	return conv, err
}

// convsWhere lists the names of the convolutions with a property.
func convsWhere(has func(nn.ConvSpec) bool) []string {
	var names []string
	for _, s := range nn.Convs() {
		if has(s) {
			names = append(names, s.Name)
		}
	}
	return names
}
