package task

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// problem is the task's. Of an ensemble each member learns by its own loss, as it
// would alone: the gradient is that of the sum of their losses, so that it keeps its
// size beside the L2 term, and the number is their mean. The scores, and with them the
// epoch that is kept, are those of the averaged predictions.
func (s *Session) problem() train.Problem {
	p := s.task.Problem(s.Model, &s.Settings)
	models := s.members()
	if len(models) == 1 {
		return p
	}
	members := make([]train.Problem, len(models))
	for k, m := range models {
		members[k] = s.task.Problem(m, &s.Settings)
	}
	p.Loss = func(pass *nn.Pass, b *graph.Batch) (sum *tensor.Tensor, weight float64) {
		for k, m := range members {
			l, w := m.Loss(pass, b)
			switch {
			case w == 0:
				return nil, 0
			case k == 0:
				sum, weight = l, w
			default:
				sum = sum.Add(l)
			}
		}
		return sum.Sub(sum.Detach().MulScalar(1 - 1/float32(len(members)))), weight
	}
	return p
}

// config is the training of the session. The gradient of an ensemble is as many times
// longer as members stand side by side, the root of their number; so is its bound.
func (s *Session) config() train.Config {
	c := s.Settings.Train
	c.Threads = s.Threads
	c.ClipNorm *= math.Sqrt(float64(len(s.members())))
	return c
}

// members are the models of an ensemble, or the one model.
func (s *Session) members() []model.Model {
	if e, ok := s.Model.(*model.Ensemble); ok {
		return e.Members
	}
	return []model.Model{s.Model}
}
