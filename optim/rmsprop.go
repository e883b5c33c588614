package optim

import (
	"cmp"
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// RMSpropConfig holds the settings of RMSprop. Zero values mean PyTorch's defaults.
type RMSpropConfig struct {
	Alpha       float64 // decay rate of the squared gradient in [0,1); zero means 0.99
	Eps         float64 // added to the root; zero means 1e-8
	WeightDecay float64 // L2 term of the gradient
}

// RMSprop divides the gradient by a running root mean square:
//
//	g ← g + λ·w
//	v ← α·v + (1-α)·g²
//	w ← w - η·g / (√v + ε)
//
// Tieleman and Hinton 2012, lecture 6.5, in the form of torch.optim, not centred and without
// momentum.
type RMSprop struct {
	config RMSpropConfig
	params []*tensor.Param
	square []*tensor.Param
}

// NewRMSprop returns RMSprop over params.
func NewRMSprop(params []*tensor.Param, c RMSpropConfig) (*RMSprop, error) {
	if c.Alpha == 0 {
		c.Alpha = 0.99
	}
	if c.Eps == 0 {
		c.Eps = 1e-8
	}
	if err := cmp.Or(
		below("rmsprop", "Alpha", c.Alpha, 1),
		below("rmsprop", "Eps", c.Eps, math.Inf(1)),
		below("rmsprop", "WeightDecay", c.WeightDecay, math.Inf(1)),
	); err != nil {
		return nil, err
	}
	params = trainable(params)
	return &RMSprop{config: c, params: params, square: zerosLike(params, "square_avg")}, nil
}

// Params lists the parameters that Step changes.
func (r *RMSprop) Params() []*tensor.Param { return r.params }

// Step makes one update.
func (r *RMSprop) Step(lr float64, grads []*tensor.Tensor) {
	checkGrads("RMSprop", r.params, grads)
	rate, decay := float32(lr), float32(r.config.WeightDecay)
	alpha, eps := float32(r.config.Alpha), float32(r.config.Eps)
	fresh := float32(1 - r.config.Alpha)
	for i, p := range r.params {
		if grads[i] == nil {
			continue
		}
		w := p.Value.Data()
		g, v := grads[i].Data()[:len(w)], r.square[i].Value.Data()[:len(w)]
		for k := range w {
			d := g[k] + float32(decay*w[k])
			v[k] = float32(alpha*v[k]) + float32(float32(fresh*d)*d)
			root := float32(math.Sqrt(float64(v[k])))
			w[k] -= float32(rate*d) / (root + eps)
		}
	}
}

// State returns the running squares.
func (r *RMSprop) State() State { return State{Optimizer: "rmsprop", Tensors: r.square} }

// LoadState restores a state.
func (r *RMSprop) LoadState(s State) error { return load("rmsprop", s, 0, r.square) }
