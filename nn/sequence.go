package nn

import "github.com/ehgnn/ehgnn/tensor"

// Rowwise is a learned map of feature rows that ignores edges: Linear, MLP, LayerNorm,
// BatchNorm, a Sequence of them.
type Rowwise interface {
	Module
	// Forward maps [n,in] to [n,out].
	Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor
}

// Sequence applies maps one after the other. Its parts are built in scopes named
// by position, as in PyTorch's Sequential.
type Sequence []Rowwise

// Params lists the parameters of all parts in order.
func (s Sequence) Params() []*tensor.Param {
	return Each(s).Params()
}

// Forward maps [n,in] to [n,out].
func (s Sequence) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	for i := 0; i < len(s); i++ {
		part, ok := s[i].(interface {
			ForwardReLU(p *Pass, x *tensor.Tensor) *tensor.Tensor
		})
		if ok && s.reluAt(i+1) {
			x = part.ForwardReLU(p, x)
			i++
			continue
		}
		x = s[i].Forward(p, x)
	}
	return x
}

// reluAt reports whether part i exists and is a ReLU. The part before it can then apply it.
func (s Sequence) reluAt(i int) bool {
	if i >= len(s) {
		return false
	}
	_, ok := s[i].(ReLU)
	return ok
}

// ReLU is max(x, 0) as a part of a Sequence.
type ReLU struct{}

// Params lists nothing.
func (ReLU) Params() []*tensor.Param { return nil }

// Forward keeps the shape of x.
func (ReLU) Forward(_ *Pass, x *tensor.Tensor) *tensor.Tensor { return x.ReLU() }
