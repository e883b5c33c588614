package pool

import (
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Set2SetConfig describes a Set2Set.
type Set2SetConfig struct {
	Steps int // rounds of attention, 1 when zero
	// GRU replaces the LSTM with a gated recurrent unit.
	GRU bool
}

// Set2Set is a readout by repeated attention. The query of each step depends on the results of the
// previous steps (Vinyals, Bengio and Kudlur 2016, equations 3 to 7):
//
//	q_t = LSTM(q*_{t-1}),  α_t = softmax over the sample of x·q_t
//	r_t = Σ α_t·x,  q*_t = q_t ‖ r_t
//
// It starts from q*_0 = 0 and returns q*_T. Input: x [n,d]. Output: [samples,2d]. An empty sample
// has r = 0 but still a query q, as in PyTorch Geometric.
type Set2Set struct {
	LSTM *nn.LSTMCell // nil with GRU
	GRU  *nn.GRUCell  // nil without GRU
	Set2SetConfig

	dim int // of the vertices
}

// NewSet2Set returns a readout of vertices of width dim, with parameters
// lstm.weight_ih_l0 and so on, or gru.weight_ih_l0.
func NewSet2Set(in nn.Init, dim int, c Set2SetConfig) *Set2Set {
	c.Steps = max(c.Steps, 1)
	s := &Set2Set{Set2SetConfig: c, dim: dim}
	cell := nn.RecurrentConfig{Suffix: "_l0"}
	if c.GRU {
		s.GRU = nn.NewGRUCell(in.In("gru"), nn.Dims{In: 2 * dim, Out: dim}, cell)
	} else {
		s.LSTM = nn.NewLSTMCell(in.In("lstm"), nn.Dims{In: 2 * dim, Out: dim}, cell)
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

// Width is the width of the result.
func (s *Set2Set) Width() int { return 2 * s.dim }

// Forward reads out the vertices of each sample.
func (s *Set2Set) Forward(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	samples, d := of.Slots(), x.Dim(1)
	x = p.Tape.Bind(x)
	query := tensor.New(samples, 2*d)
	h := tensor.New(samples, d)
	c := h
	for range s.Steps {
		if s.GRU != nil {
			h = s.GRU.Forward(p, query, h)
		} else {
			h, c = s.LSTM.Forward(p, query, h, c)
		}
		share := tensor.SegmentSoftmax(tensor.RaggedNT(x, h.Reshape(samples, 1, d), of), of)
		result := tensor.RaggedTN(share, x, of).Reshape(samples, d)
		query = tensor.Concat(1, h, result)
	}
	return query
}
