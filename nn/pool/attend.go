package pool

import (
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// AttentionReadout is a weighted sum over the vertices of each sample, with weights from a softmax
// of learned scores:
//
//	out_g = Σ_{i in g} softmax_i(gate(x_i))·f(x_i)
//
// f is the identity or a learned map. Input: x [n,in]. Output: [samples,in] or [samples,out]. The
// readout of an empty sample is 0. Li et al. 2016, equation 7, with a softmax instead of the
// paper's sigmoid, as in PyTorch Geometric's AttentionalAggregation, so that weights sum to 1.
type AttentionReadout struct {
	Gate nn.Rowwise // scores [n,1]
	Map  nn.Rowwise // f; nil for the identity

	width int // of the result
}

// NewAttentionReadout returns a readout from vertices of width d.In to vectors of width d.Out, with
// a linear gate and a linear map. If d.Out is 0, there is no map and the width stays d.In.
func NewAttentionReadout(in nn.Init, d nn.Dims) *AttentionReadout {
	r := &AttentionReadout{Gate: nn.NewLinear(in.In("gate_nn"), nn.Dims{In: d.In, Out: 1}), width: d.In}
	if d.Out > 0 {
		r.Map, r.width = nn.NewLinear(in.In("nn"), nn.Dims{In: d.In, Out: d.Out}), d.Out
	}
	return r
}

// Params lists the parameters of gate and map.
func (r *AttentionReadout) Params() []*tensor.Param { return nn.Params(r.Gate, r.Map) }

// Width is the width of the result.
func (r *AttentionReadout) Width() int { return r.width }

// Forward reads out the vertices of each sample.
func (r *AttentionReadout) Forward(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	out, _ := r.ForwardAttention(p, x, of)
	return out
}

// ForwardAttention is Forward with the weight of each vertex [n,1].
func (r *AttentionReadout) ForwardAttention(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) (out, weight *tensor.Tensor) {
	x = p.Tape.Bind(x)
	weight = tensor.SegmentSoftmax(r.Gate.Forward(p, x), of)
	if r.Map != nil {
		x = r.Map.Forward(p, x)
	}
	return tensor.RaggedTN(weight, x, of).Reshape(of.Slots(), x.Dim(1)), weight
}
