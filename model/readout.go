package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// readouts are the values of FlatConfig.Readout.
var readouts = []string{"sum", "mean", "max", "max-mean-sum", "set2set", "attention", "deepset"}

// checkReadout checks the name of a readout.
func checkReadout(name string) error {
	if slices.Contains(readouts, name) {
		return nil
	}
	return fmt.Errorf("readout is %q, expected one of: %s", name, strings.Join(readouts, ", "))
}

// A readout makes a vector of each graph from those of its nodes.
type readout struct {
	forward func(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor
	params  []*tensor.Param
	width   int
}

// newReadout builds a named readout for nodes of width dim.
func newReadout(in nn.Init, name string, dim int) (readout, error) {
	switch name {
	case "set2set":
		r := pool.NewSet2Set(in, dim, pool.Set2SetConfig{Steps: 3})
		return readout{r.Forward, r.Params(), 2 * dim}, nil
	case "attention":
		r := pool.NewAttentionReadout(in, dim, dim)
		return readout{func(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
			y, _ := r.Forward(p, x, of)
			return y
		}, r.Params(), dim}, nil
	case "deepset":
		r := nn.NewDeepSet(in, dim, dim, dim, nn.DeepSetConfig{})
		return readout{func(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
			return r.Forward(p, graph.View{X: x, VertexOf: of})
		}, r.Params(), dim}, nil
	}
	r, err := pool.NewReadout(name)
	if err != nil {
		return readout{}, err
	}
	if name == "max-mean-sum" {
		dim *= 3
	}
	return readout{func(_ *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor { return r(x, of) }, nil, dim}, nil
}
