package tensor

// tinyGrad is the size below which RoundGrad takes a gradient for 0: far below what
// moves a weight (Adam's ε is 1e-8), and so far above the smallest normal number,
// 1.2e-38, that products with weights and means over many rows stay above it.
const tinyGrad = 1e-20

// RoundGrad is x. A gradient that comes back to it has its elements below 1e-20
// rounded to 0. Losses do so with their logits: an example that a model is sure of has
// a gradient of any size, and processors multiply numbers below 1.2e-38 in software,
// which makes a few per cent of such numbers half of the time of a training step.
func (x *Tensor) RoundGrad() *Tensor {
	return op(x.view(x.shape), func(b *back) { b.Set(0, roundTiny(b.G)) }, x)
}

// roundTiny rounds elements below tinyGrad to 0, and so do its gradients.
func roundTiny(x *Tensor) *Tensor {
	out := tapeOf(x).alloc(x.shape)
	for i, v := range x.data {
		if v < tinyGrad && v > -tinyGrad {
			v = 0
		}
		out.data[i] = v
	}
	return op(out, func(b *back) { b.Set(0, roundTiny(b.G)) }, x)
}
