package session

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// problem is the task's problem. Each member of an ensemble has its own loss, as if it were trained
// alone. The gradient is that of the sum of the losses, so that it does not shrink relative to the
// L2 term; the reported loss is their mean. Scores, and the choice of the best epoch, use the
// averaged predictions.
func (s *Session) problem() train.Problem {
	p := s.Task.Problem(s.Model, &s.Settings)
	models := s.members()
	if len(models) == 1 {
		return p
	}
	members := lists.Map(models, func(m model.Model) train.Problem { return s.Task.Problem(m, &s.Settings) })
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

// Config is the configuration of the training. The gradient of an ensemble of n members is about √n
// times as long as that of one member, so the clipping norm is multiplied by √n.
func (s *Session) Config() train.Config {
	c := s.Settings.Train
	c.Threads = s.Threads
	c.ClipNorm *= math.Sqrt(float64(len(s.members())))
	_, c.EdgeCodes = s.Model.(*model.Auto)
	return c
}

// members returns the models of an ensemble, or the only model.
func (s *Session) members() []model.Model {
	if e, ok := s.Model.(*model.Ensemble); ok {
		return e.Members
	}
	return []model.Model{s.Model}
}

// trainingGraphs returns the graphs of the training part, or the components of its one graph if
// components are batched.
func (s *Session) trainingGraphs() []*graph.Graph {
	graphs := s.Graphs(source.PartTrain)
	if s.Task.Level == settings.Edges && !s.Settings.Collection() && len(graphs) == 1 && s.Settings.Train.BatchSize > 0 {
		return graphs[0].Components()
	}
	return graphs
}
