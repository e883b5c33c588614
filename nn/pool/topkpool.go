package pool

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// ScoreAct is the activation of scores.
type ScoreAct uint8

// The activations. The zero value is that of the papers.
const (
	ScoreTanh ScoreAct = iota
	ScoreSigmoid
	ScoreIdentity
)

// GateConfig describes how many vertices a node-drop pool keeps and how scores gate them.
type GateConfig struct {
	// Keep with MinScore makes scores a softmax over the vertices of each sample. Act is then not
	// used.
	Keep Keep
	// Act is applied to the scores if Keep has no MinScore.
	Act ScoreAct
	// Multiplier is a constant factor of the kept features, 1 when zero.
	Multiplier float32
}

// score is the activation of raw scores [n].
func (c GateConfig) score(raw *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	switch {
	case c.Keep.MinScore != nil:
		return tensor.SegmentSoftmax(raw, of)
	case c.Act == ScoreSigmoid:
		return raw.Sigmoid()
	case c.Act == ScoreIdentity:
		return raw
	}
	return raw.Tanh()
}

// gate keeps the vertices with the best scores and multiplies their features by these scores.
// Gradients reach the scorer only through the gates of kept vertices.
func (c GateConfig) gate(v graph.View, score *tensor.Tensor) Result {
	keep := TopK(score.Data(), v.VertexOf, c.Keep)
	kept := v.KeepVertices(keep)
	gate := tensor.Gather(score.Reshape(-1, 1), tensor.MustIndex(keep, score.Size()))
	if c.Multiplier != 0 && c.Multiplier != 1 {
		gate = gate.MulScalar(c.Multiplier)
	}
	return Result{View: kept.WithX(kept.X.Mul(gate)), Keep: keep, Score: score}
}

// TopKPool keeps the vertices with the largest projection on a learned direction:
//
//	s = act(X·p/‖p‖),  idx = top_k(s) per sample,  X' = multiplier·(s ⊙ X)[idx]
//
// with act = tanh. With a minimum score s = softmax(X·p) over each sample. If p = 0 the direction
// is undefined and the score is act(0).
//
// Input: a view with X [n,d], a graph or a dual. Output: the kept vertices by descending score
// within each sample (with a minimum score, in their order) and the edges that View.KeepVertices
// leaves between them; there may be none. A sample without vertices keeps its place. Ties go to the
// lower index.
//
// Gao and Ji 2019 (Graph U-Nets), section 3.1; Cangea et al. 2018. The minimum score is that of
// Knyazev, Taylor and Amer 2019. The name of the parameter is PyTorch Geometric's.
type TopKPool struct {
	Direction *tensor.Param // select.weight [1,d]
	GateConfig
}

// NewTopKPool returns a pool of vertices of width dim with a direction uniform in ±1/sqrt(dim), or
// the error of c.Keep.Validate.
func NewTopKPool(in nn.Init, dim int, c GateConfig) (*TopKPool, error) {
	if err := c.Keep.Validate(); err != nil {
		return nil, err
	}
	return &TopKPool{GateConfig: c, Direction: in.Uniform("select.weight", 1/math.Sqrt(float64(max(dim, 1))), 1, dim)}, nil
}

// Params lists the direction.
func (t *TopKPool) Params() []*tensor.Param { return []*tensor.Param{t.Direction} }

// Forward scores vertices by their features and keeps the best.
func (t *TopKPool) Forward(p *nn.Pass, v graph.View) Result { return t.ForwardBy(p, v, v.X) }

// ForwardBy is Forward with scores from other features of the vertices, by [n,d]. It gates and
// keeps the features of v.
func (t *TopKPool) ForwardBy(p *nn.Pass, v graph.View, by *tensor.Tensor) Result {
	w := p.Var(t.Direction)
	raw := by.MatMulT(w)
	if t.Keep.MinScore == nil {
		raw = raw.Mul(inverseNorm(w))
	}
	return t.gate(v, t.score(raw.Reshape(-1), v.VertexOf))
}

// inverseNorm is 1/‖w‖, and the constant 0 where w = 0.
func inverseNorm(w *tensor.Tensor) *tensor.Tensor {
	square := w.Square().Sum()
	if square.Item() == 0 {
		return tensor.Scalar(0)
	}
	return square.Rsqrt()
}
