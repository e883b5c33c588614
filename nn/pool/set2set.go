package pool

import (
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Set2SetConfig describes a Set2Set.
type Set2SetConfig struct {
	Steps int // rounds of attention, 1 when zero
	// GRU takes a gated recurrent unit in the place of the LSTM.
	GRU bool
}

// Set2Set is a readout that asks the vertices of each sample several times, each
// question depending on the answers before (Vinyals, Bengio and Kudlur 2016,
// equations 3 to 7):
//
//	q_t = LSTM(q*_{t-1}),  α_t = softmax over the sample of x·q_t
//	r_t = Σ α_t·x,  q*_t = q_t ‖ r_t
//
// from q*_0 = 0, returning q*_T. Input x [n,d], output [samples,2d]. An empty
// sample has r = 0, but not q: the questions do not stop for want of answers, as
// in PyTorch Geometric.
type Set2Set struct {
	LSTM *nn.LSTMCell // nil with GRU
	GRU  *nn.GRUCell  // nil without
	Set2SetConfig
}

// NewSet2Set returns a readout of vertices of width dim, with parameters
// lstm.weight_ih_l0 and so on, or gru.weight_ih_l0.
func NewSet2Set(in nn.Init, dim int, c Set2SetConfig) *Set2Set {
	c.Steps = max(c.Steps, 1)
	s := &Set2Set{Set2SetConfig: c}
	cell := nn.RecurrentConfig{Suffix: "_l0"}
	if c.GRU {
		s.GRU = nn.NewGRUCell(in.In("gru"), 2*dim, dim, cell)
	} else {
		s.LSTM = nn.NewLSTMCell(in.In("lstm"), 2*dim, dim, cell)
	}
	return s
}

// Params lists the parameters of the cell.
func (s *Set2Set) Params() []*tensor.Param {
	if s.GRU != nil {
		return s.GRU.Params()
	}
	return s.LSTM.Params()
}

// Forward reads out the vertices of each sample.
func (s *Set2Set) Forward(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	samples, d := of.Slots(), x.Dim(1)
	x = p.Tape.Bind(x)
	question := tensor.New(samples, 2*d)
	h := tensor.New(samples, d)
	c := h
	for range s.Steps {
		if s.GRU != nil {
			h = s.GRU.Forward(p, question, h)
		} else {
			h, c = s.LSTM.Forward(p, question, h, c)
		}
		share := tensor.SegmentSoftmax(tensor.RaggedNT(x, h.Reshape(samples, 1, d), of), of)
		answer := tensor.RaggedTN(share, x, of).Reshape(samples, d)
		question = tensor.Concat(1, h, answer)
	}
	return question
}
