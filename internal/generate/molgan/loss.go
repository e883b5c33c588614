package molgan

import (
	"math"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// interpolate returns graphs on the lines between real and generated graphs, with share eps of the real
// one, as variables of a tape.
func interpolate(t *tensor.Tape, a, b graphs, eps []float32) graphs {
	mix := func(x, y *tensor.Tensor) *tensor.Tensor {
		out := t.New(x.Shape()...)
		each := x.Size() / len(eps)
		for i, v := range x.Data() {
			e := eps[i/each]
			out.Data()[i] = e*v + (1-e)*y.Data()[i]
		}
		return t.Variable(out)
	}
	return graphs{layout: a.layout, bonds: mix(a.bonds, b.bonds), atoms: mix(a.atoms, b.atoms)}
}

// penalty returns the gradient penalty of WGAN-GP, with separate norms for bonds and atoms:
//
//	mean (‖∂D/∂A‖ - 1)² + mean (‖∂D/∂X‖ - 1)²
//
// The means are over the graphs of g, whose tensors must be variables. The penalty can be
// differentiated with respect to the parameters. A row of bonds is two entries of the matrix A, and
// each has half of its gradient. If reference is true, the second gradient is that of the sum of
// the features below the score.
func penalty(p *nn.Pass, k *critic, g graphs, reference bool) *tensor.Tensor {
	score, features := k.scoreAndFeatures(p, g)
	by := p.Tape.GradGraph(score, g.bonds, g.atoms)
	if reference {
		by[1] = p.Tape.GradGraph(features, g.atoms)[0]
	}
	away := func(gradient *tensor.Tensor, square float32) *tensor.Tensor {
		norm := gradient.Reshape(g.graphs, -1).Square().SumAxis(1).MulScalar(square).AddScalar(leastSquare).Sqrt()
		return norm.AddScalar(-1).Square().Mean()
	}
	return away(by[0], 0.5).Add(away(by[1], 1))
}

// leastSquare is added to a squared norm, so that its root is differentiable at 0.
const leastSquare = 1e-12

// criticLoss is the loss of a discriminator with its parts.
type criticLoss struct{ total, distance, penalty *tensor.Tensor }

// newCriticLoss returns mean D(fake) - mean D(real), the distance, plus the penalty times its
// factor in c.
func newCriticLoss(p *nn.Pass, k *critic, ls *layouts, real, fake graphs, eps []float32, c Config) criticLoss {
	scores := k.forward(p, ls.join(p.Tape, real, fake))
	l := criticLoss{distance: scores.Slice(0, real.graphs, real.graphs+fake.graphs).Mean().Sub(scores.Slice(0, 0, real.graphs).Mean())}
	l.penalty = penalty(p, k, interpolate(p.Tape, real, fake, eps), c.ReferenceLoss)
	l.total = l.distance.Add(l.penalty.MulScalar(float32(c.Penalty)))
	return l
}

// rewardLoss returns the sum of the mean squared errors for real and for generated graphs. rewards
// lists the rewards in this order. Both batches have the same size.
func rewardLoss(p *nn.Pass, k *critic, ls *layouts, real, fake graphs, rewards []float32) *tensor.Tensor {
	y := k.forward(p, ls.join(p.Tape, real, fake)).Sigmoid()
	return y.Sub(tensor.FromSlice(rewards, len(rewards), 1)).Square().Sum().MulScalar(1 / float32(real.graphs))
}

// maxAlpha is the largest weight of the reward in the loss of the generator, for a reward close to
// 0.
const maxAlpha = 100

// generatorLoss returns λ·L_W + (1-λ)·α·L_R with L_W = -mean D(fake), L_R = -mean V(fake) and the
// constant α = |L_W/L_R|.
func generatorLoss(p *nn.Pass, discriminator, reward *critic, fake graphs, lambda float64) *tensor.Tensor {
	byD := discriminator.forward(p, fake).Mean().Neg()
	if lambda == 1 {
		return byD
	}
	byV := reward.forward(p, fake).Sigmoid().Mean().Neg()
	alpha := min(max(byD.Item()/byV.Item(), -byD.Item()/byV.Item()), maxAlpha)
	return byD.MulScalar(float32(lambda)).Add(byV.MulScalar(float32(1-lambda) * alpha))
}

// finite reports whether all losses are finite numbers.
func finite(losses ...float32) bool {
	for _, v := range losses {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
