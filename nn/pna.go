package nn

import (
	"cmp"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// PNA is principal neighbourhood aggregation: four aggregates of the messages to a node, each at
// three scales,
//
//	m_k  = A·x_v + B·x_u + C·f_e + c                       for an arc k from u to v along e
//	a_v  = mean ‖ min ‖ max ‖ std of m_k                   over arcs k into v
//	x'_v = P·( x_v ‖ a_v ‖ s_v·a_v ‖ t_v·a_v ) + b
//	s_v  = log(1+d_v)/δ,  t_v = δ/log(1+max(d_v,1))        amplification and attenuation
//
// d_v counts the arcs into v. A node without arcs has a_v = 0. δ is the mean of log(1+d) over
// nodes: in training over the nodes of the batch, otherwise a running mean, which moves by a tenth
// per batch like the statistics of a BatchNorm. std is sqrt(mean(m²) - mean(m)² + 1e-5), with the
// difference at least 0.
//
// Input: a graph's view with X [n,in] and, if ConvDims.Edge is above 0, E [m,edge]. Output:
// [n,out]. Each of several parallel edges sends a message, and so does a self-loop edge. Edge
// weights are not used. It stores a row of width in for each message.
//
// Corso, Cavalleri, Beaini, Liò and Velickovic 2020 (Principal Neighbourhood Aggregation for Graph
// Nets). It is PyTorch Geometric's PNAConv with one tower, without two maps that neighbouring maps
// make unnecessary (edge_encoder and lin). In that library the std of equal messages is 0. Here it
// is sqrt(1e-5), as in the authors' code.
type PNA struct {
	Pre       *Linear       // of A ‖ B ‖ C [in,2·in+edge]
	Post      *Linear       // P [out,13·in]
	LogDegree *tensor.Param // buffer [1]: δ, 0 before training
}

// stdEps keeps the derivative of a square root at 0 finite.
const stdEps = 1e-5

// NewPNA returns a layer whose maps have the initial weights of NewLinear.
func NewPNA(in Init, d ConvDims) *PNA {
	l := &PNA{Pre: NewLinear(in.In("pre"), Dims{In: 2*d.In + d.Edge, Out: d.In}), Post: NewLinear(in.In("post"), Dims{In: 13 * d.In, Out: d.Out}),
		LogDegree: in.Zeros("log_degree", 1)}
	l.LogDegree.Buffer = true
	return l
}

// Params lists both maps and δ.
func (l *PNA) Params() []*tensor.Param { return append(Params(l.Pre, l.Post), l.LogDegree) }

// Forward is one round of message passing.
func (l *PNA) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x, s := bind(p, v.X), pnaArcsOf(v)
	sent := l.messages(p, v, s, x)
	mean := tensor.SegmentMean(sent, s.dst)
	spread := tensor.SegmentMean(sent.Square(), s.dst).Sub(mean.Square()).ReLU()
	std := spread.AddScalar(stdEps).Sqrt().Mul(bind(p, s.some))
	least := tensor.SegmentMax(sent.Neg(), s.dst).Neg()
	a := tensor.Concat(1, mean, least, tensor.SegmentMax(sent, s.dst), std)
	delta := l.delta(p, s)
	return l.Post.Forward(p, tensor.Concat(1, x, a, a.Mul(bind(p, s.log).MulScalar(1/delta)), a.Mul(bind(p, s.inverse).MulScalar(delta))))
}

// messages returns a row for each arc.
func (l *PNA) messages(p *Pass, v graph.View, s *pnaArcs, x *tensor.Tensor) *tensor.Tensor {
	in, width := l.Pre.Weight.Value.Dim(0), l.Pre.Weight.Value.Dim(1)
	c := tensor.SpMMConfig{Bias: p.Var(l.Pre.Bias)}
	if width > 2*in {
		c.Self = l.Pre.columns(p, edgeMatrix("PNA", p, v, width-2*in), 2*in, width)
		if s.edge != nil {
			c.Self = tensor.Gather(c.Self, s.edge)
		}
	}
	return tensor.SpMM(s.ends, tensor.Concat(0, l.Pre.columns(p, x, in, 2*in), l.Pre.columns(p, x, 0, in)), c)
}

// delta returns δ. In training it also updates the running mean.
func (l *PNA) delta(p *Pass, s *pnaArcs) float32 {
	kept := l.LogDegree.Value.Data()
	delta := kept[0]
	if p.Train && s.meanLog > 0 {
		delta = s.meanLog
		kept[0] = cmp.Or(kept[0], delta)
		kept[0] += 0.1 * (delta - kept[0])
	}
	if delta <= 0 {
		return 1
	}
	return delta
}

type pnaKey struct{}

// pnaArcs is the structure that PNA reads: the arcs, and numbers of each node.
type pnaArcs struct {
	ends         *tensor.Sparse // [arcs,2n]: adds a row of its source and a row of its target
	dst          *tensor.Index
	edge         *tensor.Index  // edge of each arc; nil if the arcs are the edges in order
	log, inverse *tensor.Tensor // [n,1]: log(1+d) and 1/log(1+max(d,1))
	some         *tensor.Tensor // [n,1]: 1 for a node with arcs, 0 for others
	meanLog      float32
}

func pnaArcsOf(v graph.View) *pnaArcs {
	a := edgePairs("PNA", v)
	return graph.Derived(v.H, pnaKey{}, func() *pnaArcs {
		s := &pnaArcs{}
		if v.H.Directed() {
			_, s.dst, _ = v.H.Pairs()
			s.ends = sumOfEnds(v)
		} else {
			arcs := a.Arcs(false)
			s.dst, s.edge = arcs.Dst, arcs.Edge
			s.ends = sumOfRows(arcs.Src.IDs(), arcs.Dst.IDs(), v.H.NumVertices())
		}
		s.degrees()
		return s
	})
}

// degrees sets the numbers of each node.
func (s *pnaArcs) degrees() {
	n := s.dst.Slots()
	s.log, s.inverse, s.some = tensor.New(n, 1), tensor.New(n, 1), tensor.New(n, 1)
	sum := 0.0
	for i, d := range s.dst.Counts() {
		log := math.Log1p(float64(d))
		sum += log
		s.log.Data()[i], s.inverse.Data()[i], s.some.Data()[i] = float32(log), float32(1/math.Log1p(float64(max(d, 1)))), float32(min(d, 1))
	}
	s.meanLog = float32(sum / float64(max(n, 1)))
}
