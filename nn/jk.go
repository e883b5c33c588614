package nn

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

// Jump names a way to join the outputs of a stack of layers.
type Jump string

// The ways of the paper: all side by side, the largest element-wise, and a
// weighted sum with weights from an LSTM over the layers.
const (
	JumpConcat Jump = "concat"
	JumpMax    Jump = "max"
	JumpLSTM   Jump = "lstm"
)

// JumpingKnowledge joins the outputs x_1 ... x_L of L layers, so that each
// vertex can use what it knew at any depth (Xu et al. 2018, section 4):
//
//	concat  x_1 ‖ ... ‖ x_L
//	max     max_l x_l, element by element
//	lstm    Σ_l α_l·x_l,  α = softmax over l of w·[→h_l ‖ ←h_l] + b
//
// with the states of an LSTM that runs over the layers in both directions, of
// width L·d/2 each. Input: L matrices [n,d]; output [n,L·d] for concat, else
// [n,d]. In a maximum, ties share the gradient evenly. The max form keeps the
// size of what follows independent of the depth; concat is what GMT and the flat
// baselines use.
type JumpingKnowledge struct {
	Mode              Jump
	Forwards, Reverse *LSTMCell // nil but for lstm
	Att               *Linear   // nil but for lstm
	layers, dim       int
}

// NewJumpingKnowledge returns a join of layers outputs of width dim each. It
// fails on an unknown mode and without any layer or width. Parameters exist for
// lstm only.
func NewJumpingKnowledge(in Init, mode Jump, dim, layers int) (*JumpingKnowledge, error) {
	if dim < 1 || layers < 1 {
		return nil, fmt.Errorf("nn: jumping knowledge over %d layers of width %d, expected at least one of each", layers, dim)
	}
	j := &JumpingKnowledge{Mode: mode, layers: layers, dim: dim}
	switch mode {
	case JumpConcat, JumpMax:
	case JumpLSTM:
		state := max(layers*dim/2, 1)
		j.Forwards = NewLSTMCell(in.In("lstm"), dim, state, RecurrentConfig{Suffix: "_l0"})
		j.Reverse = NewLSTMCell(in.In("lstm"), dim, state, RecurrentConfig{Suffix: "_l0_reverse"})
		j.Att = NewLinear(in.In("att"), 2*state, 1)
	default:
		return nil, fmt.Errorf("nn: jumping knowledge %q, expected %s, %s or %s", mode, JumpConcat, JumpMax, JumpLSTM)
	}
	return j, nil
}

// Width is the width of the result.
func (j *JumpingKnowledge) Width() int {
	if j.Mode == JumpConcat {
		return j.layers * j.dim
	}
	return j.dim
}

// Params lists the parameters of the LSTM and the scorer, if there are any.
func (j *JumpingKnowledge) Params() []*tensor.Param {
	if j.Mode != JumpLSTM {
		return nil
	}
	return Params(j.Forwards, j.Reverse, j.Att)
}

// Forward joins the outputs of the layers, first layer first. It panics with
// *tensor.ShapeError unless there are as many as announced, of the announced
// width.
func (j *JumpingKnowledge) Forward(p *Pass, xs ...*tensor.Tensor) *tensor.Tensor {
	j.check(xs)
	switch j.Mode {
	case JumpMax:
		return stack(xs).MaxAxis(1).Reshape(-1, j.dim)
	case JumpLSTM:
		return j.attend(p, xs)
	}
	return tensor.Concat(1, xs...)
}

func (j *JumpingKnowledge) check(xs []*tensor.Tensor) {
	ok := len(xs) == j.layers
	found := make([][]int, len(xs))
	for i, x := range xs {
		found[i] = x.Shape()
		ok = ok && x.Rank() == 2 && x.Dim(1) == j.dim && x.Dim(0) == xs[0].Dim(0)
	}
	if !ok {
		panic(&tensor.ShapeError{Op: "JumpingKnowledge", Shapes: found,
			Want: fmt.Sprintf("%d matrices of width %d with equally many rows", j.layers, j.dim)})
	}
}

// stack is [n,L,d] from L matrices [n,d].
func stack(xs []*tensor.Tensor) *tensor.Tensor {
	rows := make([]*tensor.Tensor, len(xs))
	for i, x := range xs {
		rows[i] = x.Reshape(x.Dim(0), 1, x.Dim(1))
	}
	return tensor.Concat(1, rows...)
}

func (j *JumpingKnowledge) attend(p *Pass, xs []*tensor.Tensor) *tensor.Tensor {
	n, last := xs[0].Dim(0), len(xs)-1
	scores := make([]*tensor.Tensor, len(xs))
	zero := tensor.New(n, j.Forwards.Dim())
	ahead, back := make([]*tensor.Tensor, len(xs)), make([]*tensor.Tensor, len(xs))
	h, c, hr, cr := zero, zero, zero, zero
	for l := range xs {
		h, c = j.Forwards.Forward(p, xs[l], h, c)
		hr, cr = j.Reverse.Forward(p, xs[last-l], hr, cr)
		ahead[l], back[last-l] = h, hr
	}
	for l := range xs {
		scores[l] = j.Att.Forward(p, tensor.Concat(1, ahead[l], back[l]))
	}
	share := tensor.Concat(1, scores...).Softmax().Reshape(n, len(xs), 1)
	return stack(xs).Mul(share).SumAxis(1).Reshape(n, j.dim)
}
