package pool

import (
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// AttentionReadout is a weighted sum of the vertices of each sample, the weights
// being a softmax of scores that a learned map gives each vertex:
//
//	out_g = Σ_{i in g} softmax_i(gate(x_i))·f(x_i)
//
// with f the identity or a learned map. Input x [n,in], output [samples,in] or
// [samples,out]; an empty sample reads out 0. Li et al. 2016, equation 7, with
// the softmax of PyTorch Geometric's AttentionalAggregation for the paper's
// sigmoid, so that weights sum to 1.
type AttentionReadout struct {
	Gate nn.Rowwise // scores [n,1]
	Map  nn.Rowwise // f; nil for the identity
}

// NewAttentionReadout returns a readout from width dimIn to width dimOut, gate
// and map being linear; with dimOut 0 there is no map, and the width stays.
func NewAttentionReadout(in nn.Init, dimIn, dimOut int) *AttentionReadout {
	r := &AttentionReadout{Gate: nn.NewLinear(in.In("gate_nn"), dimIn, 1)}
	if dimOut > 0 {
		r.Map = nn.NewLinear(in.In("nn"), dimIn, dimOut)
	}
	return r
}

// Params lists the parameters of gate and map.
func (r *AttentionReadout) Params() []*tensor.Param {
	return nn.Params(r.Gate, r.Map)
}

// Forward reads out the vertices of each sample; the second result is the weight
// of each vertex [n,1].
func (r *AttentionReadout) Forward(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) (out, weight *tensor.Tensor) {
	x = p.Tape.Bind(x)
	weight = tensor.SegmentSoftmax(r.Gate.Forward(p, x), of)
	if r.Map != nil {
		x = r.Map.Forward(p, x)
	}
	return tensor.RaggedTN(weight, x, of).Reshape(of.Slots(), x.Dim(1)), weight
}
