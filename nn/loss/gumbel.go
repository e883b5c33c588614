package loss

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/tensor"
)

// GumbelConfig describes a Gumbel-softmax.
type GumbelConfig struct {
	// Temperature is τ, 1 when zero. Towards 0 the samples become one-hot vectors and their
	// gradients become large.
	Temperature float64
	// Hard returns exact one-hot vectors with the gradient of the soft ones (straight-through).
	Hard bool
}

// Validate returns an error if the temperature is not a positive number.
func (c GumbelConfig) Validate() error {
	if c.Temperature != 0 && !(c.Temperature > 0 && !math.IsInf(c.Temperature, 1)) {
		return fmt.Errorf("loss: Gumbel-softmax: temperature %v, expected a finite number above 0, or 0 for 1", c.Temperature)
	}
	return nil
}

// Gumbel draws standard Gumbel noise of the given shape:
//
//	g = -log(-log u),  u uniform in (0,1).
//
// It is always finite. Draws follow row-major order.
func Gumbel(r *rand.Rand, dims ...int) *tensor.Tensor {
	g := tensor.New(dims...)
	for i := range g.Data() {
		// -log u is exponentially distributed.
		g.Data()[i] = float32(-math.Log(r.ExpFloat64()))
	}
	return g
}

// GumbelSoftmax samples from categories so that gradients reach the logits. The class with the
// largest logit + noise is a sample of softmax(logits), and
//
//	y = softmax((logits + g)/τ),  g = Gumbel noise,
//
// over the last axis is the smooth form of its one-hot vector. logits, noise (a result of Gumbel,
// which several samples may share) and the result [...,k] have the same shape. With Hard the result
// is that one-hot vector, in a tie that of the lower class, and its gradient is that of y. The
// error is that of c.Validate.
//
// Jang, Gu and Poole 2017, equation 2; Maddison, Mnih and Teh 2017.
func GumbelSoftmax(logits, noise *tensor.Tensor, c GumbelConfig) (*tensor.Tensor, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	sameShape("GumbelSoftmax", logits, noise)
	z := logits.Add(noise)
	if c.Temperature != 0 {
		z = z.MulScalar(float32(1 / c.Temperature))
	}
	y := z.Softmax()
	if !c.Hard {
		return y, nil
	}
	// y - detached y is exactly 0, so the sum is exactly one-hot.
	return largest(y).Add(y.Sub(y.Detach())), nil
}

// largest is 1 at the first largest element along the last axis and 0 elsewhere.
func largest(x *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(x.Shape()...)
	k := x.Dim(-1)
	for lo := 0; lo < x.Size(); lo += k {
		best := lo
		for i := lo + 1; i < lo+k; i++ {
			if x.Data()[i] > x.Data()[best] {
				best = i
			}
		}
		out.Data()[best] = 1
	}
	return out
}
