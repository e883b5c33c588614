package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// RandDrop is HyperDrop with the selection left to chance, the ablation of the
// paper: the learned scores still weigh the edges, but which of them stay
// is drawn uniformly, anew in every training pass. In evaluation all edges stay.
//
//	z = tanh(HyperConv(G*)),  idx = random k of m per graph,  W = clamp(z, 0, 1)[idx]
//
// Input and output are as in HyperDrop; Result.Keep is nil in evaluation. The
// paper says neither what the scores do nor what evaluation does; this is the
// project's reading.
type RandDrop struct{ HyperDrop }

// NewRandDrop returns a pool for edge representations of width dim. keep is a
// fraction or a count; a minimum score has no meaning here and panics.
func NewRandDrop(in nn.Init, dim int, keep Keep) *RandDrop {
	if keep.MinScore != nil {
		panic("pool: RandDrop with a minimum score, expected a fraction or a count")
	}
	return &RandDrop{*NewHyperDrop(in, dim, keep)}
}

// Forward scores the edges of v and, in training, keeps some of them.
func (r *RandDrop) Forward(p *nn.Pass, v graph.View) Result {
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
