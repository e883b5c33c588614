package pool

import (
	"errors"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// RandDropPool is HyperDropPool with random selection, the ablation of the paper. The learned
// scores still weigh the edges, but the edges that stay are drawn uniformly in every training pass.
// In evaluation all edges stay.
//
//	z = tanh(HyperConv(G*)),  idx = random k of m per graph,  W = clamp(z, 0, 1)[idx]
//
// Input and output are as in HyperDropPool. Result.Keep is nil in evaluation. The paper does not
// say what the scores do or how evaluation works. This is the project's interpretation.
type RandDropPool struct{ HyperDropPool }

// NewRandDropPool returns a pool for edge representations of width dim. It returns an error if
// c.Keep is not a valid fraction or count: a minimum score has no meaning here.
func NewRandDropPool(in nn.Init, dim int, c HyperDropPoolConfig) (*RandDropPool, error) {
	if c.Keep.MinScore != nil {
		return nil, errors.New("pool: RandDropPool: keep is a minimum score, expected a fraction or a count")
	}
	drop, err := NewHyperDropPool(in, dim, c)
	if err != nil {
		return nil, err
	}
	return &RandDropPool{*drop}, nil
}

// Forward scores the edges of v and, in training, keeps some of them.
func (r *RandDropPool) Forward(p *nn.Pass, v graph.View) Result {
	z := r.score(p, v)
	if !p.Train {
		return r.weigh(v, z, nil)
	}
	draw := make([]float32, z.Size())
	for e := range draw {
		draw[e] = p.Rand.Float32()
	}
	return r.weigh(v, z, TopK(draw, v.EdgeOf, r.Keep))
}
