package optim

import (
	"cmp"
	"errors"
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// SGDConfig holds the settings of SGD. The zero value is plain gradient descent.
type SGDConfig struct {
	Momentum    float64 // in [0,1)
	Nesterov    bool    // Nesterov momentum; needs Momentum above 0
	WeightDecay float64 // L2 term of the gradient
}

// SGD is stochastic gradient descent with momentum µ and weight decay λ:
//
//	g ← g + λ·w
//	b ← µ·b + g
//	w ← w - η·b         or, with Nesterov,  w ← w - η·(g + µ·b)
//
// Sutskever et al. 2013, in the form of torch.optim, without dampening.
type SGD struct {
	config SGDConfig
	params []*tensor.Param
	moment []*tensor.Param // nil without momentum
}

// NewSGD returns SGD over params.
func NewSGD(params []*tensor.Param, c SGDConfig) (*SGD, error) {
	if err := cmp.Or(
		below("sgd", "Momentum", c.Momentum, 1),
		below("sgd", "WeightDecay", c.WeightDecay, math.Inf(1)),
	); err != nil {
		return nil, err
	}
	if c.Nesterov && c.Momentum == 0 {
		return nil, errors.New("optim: sgd: Nesterov needs a Momentum above 0")
	}
	s := &SGD{config: c, params: trainable(params)}
	if c.Momentum > 0 {
		s.moment = zerosLike(s.params, "momentum_buffer")
	}
	return s, nil
}

// Params lists the parameters that Step changes.
func (s *SGD) Params() []*tensor.Param { return s.params }

// Step makes one update.
func (s *SGD) Step(lr float64, grads []*tensor.Tensor) {
	checkGrads("SGD", s.params, grads)
	rate, decay, mu := float32(lr), float32(s.config.WeightDecay), float32(s.config.Momentum)
	for i, p := range s.params {
		if grads[i] == nil {
			continue
		}
		w := p.Value.Data()
		g := grads[i].Data()[:len(w)]
		// Products are rounded before they are added, as in the kernels, so that no compiler fuses
		// them on some platforms only.
		if s.moment == nil {
			for k := range w {
				d := g[k] + float32(decay*w[k])
				w[k] -= float32(rate * d)
			}
			continue
		}
		b := s.moment[i].Value.Data()[:len(w)]
		for k := range w {
			d := g[k] + float32(decay*w[k])
			b[k] = float32(mu*b[k]) + d
			step := b[k]
			if s.config.Nesterov {
				step = d + float32(mu*b[k])
			}
			w[k] -= float32(rate * step)
		}
	}
}

// State returns the momentum, if there is one.
func (s *SGD) State() State { return State{Optimizer: "sgd", Tensors: s.moment} }

// LoadState restores a state.
func (s *SGD) LoadState(from State) error { return load("sgd", from, 0, s.moment) }
