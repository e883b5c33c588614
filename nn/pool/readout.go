package pool

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

// Readout turns the vertices of each sample into one vector: x [n,d] gives
// [samples,d] or a multiple of it. An empty sample reads out 0.
type Readout func(x *tensor.Tensor, of *tensor.Index) *tensor.Tensor

// readouts lists the readouts by name.
var readouts = map[string]Readout{
	"sum":          tensor.SegmentSum,
	"mean":         tensor.SegmentMean,
	"max":          tensor.SegmentMax,
	"max-mean-sum": MaxMeanSum,
}

// NewReadout returns a readout by name: sum, mean, max or max-mean-sum.
func NewReadout(name string) (Readout, error) {
	r, ok := readouts[name]
	if !ok {
		return nil, fmt.Errorf("pool: readout %q, expected sum, mean, max or max-mean-sum", name)
	}
	return r, nil
}

// MaxMeanSum is max ‖ mean ‖ sum, the readout of the authors' models, in their
// order: [n,d] gives [samples,3d].
func MaxMeanSum(x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return tensor.SegmentStats(x, of)
}
