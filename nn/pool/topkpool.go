package pool

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// ScoreAct is the activation of scores.
type ScoreAct uint8

// The activations; the zero value is that of the papers.
const (
	ScoreTanh ScoreAct = iota
	ScoreSigmoid
	ScoreIdentity
)

// GateConfig describes how many vertices a pool of the node-drop family keeps and how
// scores gate them.
type GateConfig struct {
	// Keep with MinScore makes scores a softmax over the vertices of each sample;
	// Act is not used then.
	Keep Keep
	// Act is applied to the scores otherwise.
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

// gate keeps the vertices with the best scores and multiplies their features by
// them. Gradients reach the scorer only through the gates of kept vertices.
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
// with act = tanh, and with a minimum score s = softmax(X·p) over each sample
// instead. Where p = 0 the direction is undefined and the score is act(0).
//
// Input: a view with X [n,d], be it a graph or a dual; output: the kept vertices
// in order of falling score per sample (with a minimum score, in their order) and
// what View.KeepVertices leaves between them, which may be no edge at all. A
// sample without vertices keeps its place. Ties go to the lower index.
//
// Gao and Ji 2019 (Graph U-Nets), section 3.1; Cangea et al. 2018; the minimum
// score is that of Knyazev, Taylor and Amer 2019. The name of the parameter is
// PyTorch Geometric's.
type TopKPool struct {
	Direction *tensor.Param // select.weight [1,d]
	GateConfig
}

// NewTopKPool returns a pool of vertices of width dim, its direction uniform in
// ±1/sqrt(dim), or the error of c.Keep.Validate.
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

// ForwardBy is Forward with scores from other features of the vertices, by
// [n,d]; what is gated and kept are the features of v.
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
