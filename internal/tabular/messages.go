package tabular

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// MessageSpec describes the message passing part of a network.
type MessageSpec struct {
	Hops   int  `json:"hops"`
	Lists  int  `json:"lists"`
	Labels bool `json:"labels,omitempty"` // states contain known labels
	// Mean and Deviation standardise labels that are numbers.
	Mean      float64 `json:"mean,omitempty"`
	Deviation float64 `json:"deviation,omitempty"`
	State     Inputs  `json:"state"` // transform of the columns of a state
}

// Sizes of the message passing part.
const (
	stateUnits   = 64
	messageUnits = 32 // of messages in each list
	mostHops     = 8
	mostLists    = 16
)

// messages is, for items i with states s_i and rows with inputs x,
//
//	h⁰_i = ReLU(E·s_i + e)
//	m_ij = ReLU(W_q·hˡ_j + C_q·gˡ_i + b_q)                      for each neighbour j of i in list q
//	hˡ⁺¹_i = hˡ_i + ReLU(O·(mean_q m_ij ‖ attention_q m_ij ‖ n_q) + o)   over all lists q
//
// where g is h, or h + ReLU(A·x + a) in the last layer, and n_q is log(1 + number of neighbours). Attention weighs by
// the softmax of a_q·m_ij over the neighbours of a list. The inputs of a row are x ‖ h of its item. If there is only
// one layer, it has no residual connection.
type messages struct {
	spec         *MessageSpec
	states       *expander
	labels       int // numbers that encode the label of an item
	enc, encBias *tensor.Param
	own, ownBias *tensor.Param
	layers       []messageLayer
}

type messageLayer struct {
	send, receive, bias *tensor.Param // [state,lists·message], [state,lists·message], [lists·message]
	attention           *tensor.Param // [lists,message]
	out, outBias        *tensor.Param // [lists·(2·message+1),state], [state]
}

// newMessages draws the weights for rows with so many inputs.
func newMessages(in nn.Init, s *Spec) *messages {
	m := &messages{spec: s.Messages, states: newExpander(&s.Messages.State)}
	width := s.Messages.State.Width()
	if s.Messages.Labels {
		m.labels = s.labelWidth()
		width += m.labels + 1
	}
	linear := func(name string, from, to int) (*tensor.Param, *tensor.Param) {
		bound := 1 / math.Sqrt(float64(max(from, 1)))
		return in.Uniform(name+".weight", bound, from, to), in.Uniform(name+".bias", bound, to)
	}
	m.enc, m.encBias = linear("state", width, stateUnits)
	m.own, m.ownBias = linear("own", s.Inputs.Width(), stateUnits)
	each := s.Messages.Lists * messageUnits
	for l := range s.Messages.Hops {
		at := fmt.Sprintf("hop.%d.", l)
		var c messageLayer
		c.send = in.Normal(at+"send", 1/math.Sqrt(stateUnits), stateUnits, each)
		c.receive, c.bias = linear(at+"receive", stateUnits, each)
		c.attention = in.Normal(at+"attention", 0.3, s.Messages.Lists, messageUnits)
		c.out, c.outBias = linear(at+"out", s.Messages.Lists*(2*messageUnits+1), stateUnits)
		m.layers = append(m.layers, c)
	}
	return m
}

// fitMessages describes the message passing part, fitted on the items of training rows.
func fitMessages(n *Neighbours, hops int, c *Config) (*MessageSpec, error) {
	if len(n.Lists) < 1 || len(n.Lists) > mostLists {
		return nil, fmt.Errorf("tabular: %d lists of neighbours, expected 1 to %d", len(n.Lists), mostLists)
	}
	s := &MessageSpec{Hops: hops, Lists: len(n.Lists), Labels: n.Label != nil}
	ids := sample(len(n.Item), c.Seed)
	x := make([]float32, len(ids)*n.Width)
	par.New(c.Threads).Rows(len(ids), expandGrain/max(n.Width, 1)+1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			n.State(x[k*n.Width:][:n.Width], n.Item[ids[k]])
		}
	})
	in, err := FitInputs(Rows{Static: Block{X: x, Cols: n.Width}}, lists.Repeat(true, n.Width), c.Seed, c.Threads)
	if err != nil {
		return nil, err
	}
	s.State = *in
	if s.Labels {
		known := slices.DeleteFunc(slices.Clone(n.Label), func(v float32) bool { return v != v })
		if s.Deviation = 1; len(known) > 0 {
			s.Mean, s.Deviation, _ = moments(known)
		}
		if !inverts(float32(s.Deviation)) {
			s.Deviation = 1
		}
	}
	return s, nil
}

// labelWidth is how many numbers encode the label of an item: one, or one for each class if there are more than two.
func (s *Spec) labelWidth() int {
	if s.Loss == CrossEntropy && s.Classes > 2 {
		return s.Classes
	}
	return 1
}

// Params lists the parameters in a fixed order.
func (m *messages) Params() []*tensor.Param {
	ps := []*tensor.Param{m.enc, m.encBias, m.own, m.ownBias}
	for _, l := range m.layers {
		ps = append(ps, l.send, l.receive, l.bias, l.attention, l.out, l.outBias)
	}
	return ps
}

// forward returns the states that message passing gives the items of rows with inputs x: [rows,stateUnits].
func (m *messages) forward(p *pass, x *inputs, s *sampler, a *around) *tensor.Tensor {
	state := p.Tape.New(len(a.items), m.enc.Value.Dim(0))
	m.fill(state.Data(), s, a.items)
	h := tensor.Affine(p.Tape.Constant(state), p.Var(m.enc), p.Var(m.encBias), tensor.AffineConfig{ReLU: true})
	own := x.affine(p.Var(m.own), p.Var(m.ownBias), true)
	for l := range m.layers {
		hop := &a.hops[l]
		receiver := tensor.Gather(h, p.Tape.Index(hop.receivers, h.Dim(0)))
		if h = m.layer(p, l, h, receiver, own, hop); l == 0 && a.first != nil {
			h = a.first.join(p.Tape, h)
		}
	}
	return h
}

// layer returns the new states of the receivers of a hop.
func (m *messages) layer(p *pass, l int, h, receiver, own *tensor.Tensor, hop *hop) *tensor.Tensor {
	c, lists, last := &m.layers[l], m.spec.Lists, l == len(m.layers)-1
	n := receiver.Dim(0)
	to := p.Tape.Index(hop.to, n*lists)
	of := p.Tape.Ints(len(hop.from))
	for k, t := range hop.to {
		of[k] = t % int32(lists)
	}
	g := receiver
	if last {
		g = g.Add(own)
	}
	var sent []*tensor.Tensor
	for q, w := range p.Var(c.send).Split(1, slices.Repeat([]int{messageUnits}, lists)...) {
		sent = append(sent, tensor.Gather(h, p.Tape.Index(hop.senders[q], h.Dim(0))).MatMul(w))
	}
	send := tensor.Concat(0, sent...)
	receive := tensor.Affine(g, p.Var(c.receive), p.Var(c.bias), tensor.AffineConfig{}).Reshape(n*lists, messageUnits)
	z := tensor.Gather(send, p.Tape.Index(hop.from, send.Dim(0))).Add(tensor.Gather(receive, to)).ReLU()
	score := z.Mul(tensor.Gather(p.Var(c.attention), p.Tape.Index(of, lists))).SumAxis(1).Reshape(len(of), 1)
	weighted := tensor.SegmentSum(z.Mul(tensor.SegmentSoftmax(score, to)), to).Reshape(n, lists*messageUnits)
	mean := tensor.SegmentMean(z, to).Reshape(n, lists*messageUnits)
	count := p.Tape.New(n, lists)
	copy(count.Data(), hop.count)
	update := tensor.Affine(tensor.Concat(1, mean, weighted, p.Tape.Constant(count)), p.Var(c.out), p.Var(c.outBias), tensor.AffineConfig{ReLU: true})
	update = p.dropout(2+l, update)
	if len(m.layers) == 1 {
		return update
	}
	return receiver.Add(update)
}

// fill writes the inputs of the states of items.
func (m *messages) fill(to []float32, s *sampler, items []int32) {
	width := m.enc.Value.Dim(0)
	if s.states != nil {
		s.pool.Rows(len(items), expandGrain/max(width, 1)+1, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				copy(to[k*width:][:width], s.states[int(items[k])*width:])
			}
		})
		return
	}
	columns := m.states.width
	s.pool.Rows(len(items), expandGrain/max(width, 1)+1, func(lo, hi int) {
		logs, row := make([]float32, len(m.states.logs)), make([]float32, s.Width)
		for k := lo; k < hi; k++ {
			dst := to[k*width:][:width]
			s.State(row, items[k])
			m.states.row(dst[:columns], row, nil, logs)
			if m.labels == 0 {
				continue
			}
			label := dst[columns:]
			clear(label)
			if v := s.Label[items[k]]; v == v {
				m.label(label, v)
			}
		}
	})
}

// label writes the encoding of a known label, followed by a one: a standardised number, or a one-hot vector for more than two classes.
func (m *messages) label(to []float32, v float32) {
	to[m.labels] = 1
	if m.labels == 1 {
		to[0] = min(max(float32((float64(v)-m.spec.Mean)/m.spec.Deviation), -clipZ), clipZ)
		return
	}
	to[int(v)] = 1
}
