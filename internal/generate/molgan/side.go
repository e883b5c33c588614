package molgan

import (
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// group is a list of parameters with one learning rate.
type group struct {
	params []*tensor.Param
	rate   float64
}

// side is a network in training, with an optimiser for each learning rate.
type side struct {
	groups []group
	opts   []optim.Optimizer
	wrt    []*tensor.Tensor
}

// newSide returns a side with Adam and the decay rates of WGAN-GP. Groups without parameters are
// left out.
func newSide(groups ...group) (*side, error) {
	s := &side{}
	for _, g := range groups {
		if len(g.params) == 0 {
			continue
		}
		o, err := optim.NewAdam(g.params, optim.AdamConfig{Betas: [2]float64{0.5, 0.999}})
		if err != nil {
			return nil, err
		}
		s.groups, s.opts = append(s.groups, g), append(s.opts, o)
	}
	return s, nil
}

// step updates all parameters by the gradient of a loss, with the learning rates times factor.
func (s *side) step(tape *tensor.Tape, loss *tensor.Tensor, factor float64) {
	s.wrt = s.wrt[:0]
	for _, g := range s.groups {
		for _, p := range g.params {
			s.wrt = append(s.wrt, tape.Watch(p))
		}
	}
	grads := tape.Grad(loss, s.wrt...)
	for i, o := range s.opts {
		n := len(s.groups[i].params)
		o.Step(s.groups[i].rate*factor, grads[:n])
		grads = grads[n:]
	}
}

// params returns the tensors of a side in a checkpoint: parameters and states of the optimisers.
func (s *side) params() []*tensor.Param {
	var out []*tensor.Param
	for i, g := range s.groups {
		out = append(append(out, g.params...), s.opts[i].State().Tensors...)
	}
	return out
}
