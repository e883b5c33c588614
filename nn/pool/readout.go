package pool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Readout turns the vertices of each sample into one vector: x [n,d] gives [samples,Width()]. of is
// the sample of each vertex.
type Readout interface {
	nn.Module
	Forward(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor
	Width() int
}

// ReadoutSpec describes a registered readout.
type ReadoutSpec struct {
	Name, Title, Paper string
	New                func(in nn.Init, dim int) Readout // for vertices of width dim
}

// NewReadout returns a registered readout by name, for vertices of width dim.
func NewReadout(in nn.Init, name string, dim int) (Readout, error) {
	names := make([]string, len(readouts))
	for i, s := range readouts {
		if s.Name == name {
			return s.New(in, dim), nil
		}
		names[i] = s.Name
	}
	return nil, fmt.Errorf("pool: unknown readout %q, expected one of: %s", name, strings.Join(names, ", "))
}

// Readouts lists every readout that is chosen by name, in the order of the documentation.
func Readouts() []ReadoutSpec { return slices.Clone(readouts) }

var readouts = []ReadoutSpec{
	{
		Name: "sum", Title: "sum over the vertices",
		New: func(_ nn.Init, dim int) Readout { return segmentReadout{tensor.SegmentSum, dim} },
	},
	{
		Name: "mean", Title: "mean over the vertices",
		New: func(_ nn.Init, dim int) Readout { return segmentReadout{tensor.SegmentMean, dim} },
	},
	{
		Name: "max", Title: "maximum over the vertices, channel by channel",
		New: func(_ nn.Init, dim int) Readout { return segmentReadout{tensor.SegmentMax, dim} },
	},
	{
		Name: "max-mean-sum", Title: "maximum, mean and sum side by side", Paper: "Jo et al., NeurIPS 2021",
		New: func(_ nn.Init, dim int) Readout { return segmentReadout{MaxMeanSum, 3 * dim} },
	},
	{
		Name: "set2set", Title: "three rounds of attention with queries from an LSTM", Paper: "Vinyals, Bengio and Kudlur, ICLR 2016",
		New: func(in nn.Init, dim int) Readout { return NewSet2Set(in, dim, Set2SetConfig{Steps: 3}) },
	},
	{
		Name: "attention", Title: "weighted sum with weights from a learned score", Paper: "Li et al., ICLR 2016",
		New: func(in nn.Init, dim int) Readout {
			return NewAttentionReadout(in, nn.Dims{In: dim, Out: dim})
		},
	},
	{
		Name: "deepset", Title: "a map of the sum of mapped vertices", Paper: "Zaheer et al. (Deep Sets), NeurIPS 2017",
		New: func(in nn.Init, dim int) Readout {
			return NewDeepSet(in, DeepSetDims{In: dim, Hidden: dim, Out: dim})
		},
	},
}

// segmentReadout is a readout without parameters. The readout of an empty sample is 0.
type segmentReadout struct {
	reduce func(x *tensor.Tensor, of *tensor.Index) *tensor.Tensor
	width  int
}

// Params lists nothing.
func (segmentReadout) Params() []*tensor.Param { return nil }

// Forward reads out the vertices of each sample.
func (r segmentReadout) Forward(_ *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return r.reduce(x, of)
}

// Width is the width of the result.
func (r segmentReadout) Width() int { return r.width }

// MaxMeanSum is max ‖ mean ‖ sum, the readout of the authors' models, in their order: [n,d] gives
// [samples,3d]. The readout of an empty sample is 0.
func MaxMeanSum(x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return tensor.SegmentStats(x, of)
}
