package experiment

import (
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// carriedGradients are gradients that are never set to zero: each step adds its gradients to the
// clipped gradients of the step before. This mistake in the authors' node classification code acts
// as a kind of momentum, and is needed to reproduce their curves.
type carriedGradients []*tensor.Param

func newCarriedGradients(params []*tensor.Param) train.GradientHook {
	sums := make(carriedGradients, len(params))
	for i, p := range params {
		sums[i] = &tensor.Param{Name: p.Name, Value: tensor.New(p.Value.Shape()...)}
	}
	return sums
}

// Apply replaces gradients by the sums, which clipping then changes in place.
func (c carriedGradients) Apply(grads []*tensor.Tensor) {
	for i, g := range grads {
		if g == nil {
			continue
		}
		sum := c[i].Value
		data := sum.Data()
		for k, v := range g.Data() {
			data[k] += v
		}
		grads[i] = sum
	}
}

// State lists the sums.
func (c carriedGradients) State() []*tensor.Param { return c }
