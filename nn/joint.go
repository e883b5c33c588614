package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Joint updates nodes and edges together in one pass over the incidence: nodes to edges and back.
//
//	M_e  = ReLU( E_e·A + mean over v in e of X_v·B + c )          messages
//	E'_e = ReLU( E_e·S + M_e·T + s )
//	X'_v = ReLU( X_v·R + (1/sqrt(d_v+1) · sum over e at v of M_e)·Q + r )
//
// Input: a view with X [n,dx] and E [m,de]. Output: X' [n,NodeOut] and E' [m,EdgeOut]. Messages
// have the width of E'. An edge reads its ends. A node reads its edges and, through them, its
// neighbours. The paper names such a layer as future work (appendix E, limitations); the equations
// are this project's. It works on any hypergraph. So it also works on a dual, where the two results
// are exchanged. Edge weights are not used. A self-loop edge counts twice at its node, as in the
// incidence.
type Joint struct {
	EdgeMsg, EdgeSelf, EdgeUp *Linear       // A with c, S with s, T
	NodeMsg                   *tensor.Param // B [dx,EdgeOut]
	NodeSelf                  *Linear       // R with r
	NodeUp                    *tensor.Param // Q [EdgeOut,NodeOut]
}

// JointDims are the widths of a Joint: of its inputs and of its results.
type JointDims struct{ Node, Edge, NodeOut, EdgeOut int }

// NewJoint returns a layer of the given widths.
func NewJoint(in Init, d JointDims) *Joint {
	return &Joint{
		EdgeMsg: NewLinear(in.In("edge_msg"), Dims{In: d.Edge, Out: d.EdgeOut}), EdgeSelf: NewLinear(in.In("edge_self"), Dims{In: d.Edge, Out: d.EdgeOut}),
		EdgeUp: NewLinear(in.In("edge_up"), Dims{In: d.EdgeOut, Out: d.EdgeOut}), NodeSelf: NewLinear(in.In("node_self"), Dims{In: d.Node, Out: d.NodeOut}),
		NodeMsg: in.Glorot("node_msg.weight", d.Node, d.EdgeOut, d.Node, d.EdgeOut),
		NodeUp:  in.Glorot("node_up.weight", d.EdgeOut, d.NodeOut, d.EdgeOut, d.NodeOut),
	}
}

// Params lists the parameters of all maps.
func (j *Joint) Params() []*tensor.Param {
	return append(Params(j.EdgeMsg, j.EdgeSelf, j.EdgeUp, j.NodeSelf), j.NodeMsg, j.NodeUp)
}

// Forward returns the new node and edge features.
func (j *Joint) Forward(p *Pass, v graph.View) (x, e *tensor.Tensor) {
	toEdges, toNodes := v.H.Hyper().Up, v.H.Dual().Hyper().Up
	m := tensor.SpMM(toEdges, v.X.MatMul(p.Var(j.NodeMsg)), tensor.SpMMConfig{Self: j.EdgeMsg.Forward(p, v.E), ReLU: true})
	e = j.EdgeSelf.Forward(p, v.E).Add(j.EdgeUp.Forward(p, m)).ReLU()
	var around *tensor.Tensor
	if p.exact(m) {
		around = tensor.ExactSum(toNodes, m, func(entries int) float64 { return 1 / math.Sqrt(float64(entries)+1) })
	} else {
		around = tensor.SpMM(toNodes, m, tensor.SpMMConfig{}).Mul(rootDegrees(toNodes))
	}
	x = j.NodeSelf.Forward(p, v.X).Add(around.MatMul(p.Var(j.NodeUp))).ReLU()
	return x, e
}

// rootDegrees is d/sqrt(d+1) [n,1]. It turns a mean over d rows into their sum divided by
// sqrt(d+1).
func rootDegrees(mean *tensor.Sparse) *tensor.Tensor {
	f := tensor.New(mean.Rows, 1)
	for i := range mean.Rows {
		d := mean.Width
		if mean.Ptr != nil {
			d = int(mean.Ptr[i+1] - mean.Ptr[i])
		}
		f.Data()[i] = float32(float64(d) / math.Sqrt(float64(d)+1))
	}
	return f
}
