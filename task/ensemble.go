package task

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// problem is the task's. Of an ensemble each member learns by its own loss, as it
// would alone; the scores, and with them the epoch that is kept, are those of the
// averaged predictions.
func (s *Session) problem() train.Problem {
	p := s.task.Problem(s.Model, s.Settings)
	e, ok := s.Model.(*model.Ensemble)
	if !ok {
		return p
	}
	members := make([]train.Problem, len(e.Members))
	for k, m := range e.Members {
		members[k] = s.task.Problem(m, s.Settings)
	}
	p.Loss = func(pass *nn.Pass, b *graph.Batch) (mean *tensor.Tensor, weight float64) {
		for k, m := range members {
			l, w := m.Loss(pass, b)
			switch {
			case w == 0:
				return nil, 0
			case k == 0:
				mean, weight = l, w
			default:
				mean = mean.Add(l)
			}
		}
		return mean.MulScalar(1 / float32(len(members))), weight
	}
	return p
}
