package tensor

// tinyGrad is the magnitude below which RoundGrad rounds a gradient to 0. It is far too small to
// change a weight (Adam's ε is 1e-8). It is also far above the smallest normal number, 1.2e-38, so
// products with weights and means over many rows stay normal.
const tinyGrad = 1e-20

// RoundGrad is x. Elements of its gradient smaller than 1e-20 are rounded to 0. Losses apply it to
// their logits, because the gradient of an example with a confident prediction can be arbitrarily
// small. Processors are very slow with denormal numbers, below 1.2e-38: a few per cent of them take
// half of the time of a training step.
func (x *Tensor) RoundGrad() *Tensor {
	return op(x.view(x.shape), func(b *back) { b.Set(0, roundTiny(b.G)) }, x)
}

// roundTiny rounds elements smaller than tinyGrad to 0. Its gradient does the same.
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
