package pool

import (
	"cmp"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// MinCutConfig describes a MinCutPool. The zero value does not normalise the adjacency and has
// temperature 1.
type MinCutConfig struct {
	// Normalized replaces A by D^-1/2·A·D^-1/2, as the paper does. PyTorch Geometric does not.
	Normalized bool
	// Temp divides the logits, 1 when zero.
	Temp float64
	// Hidden are the widths between the features and the logits. nil means a single linear map.
	Hidden []int
}

// MinCutPool clusters the nodes of each graph softly so that few edges are between clusters
// (Bianchi, Grattarola and Alippi 2020, equations 4 to 8):
//
//	S = softmax(MLP(X)/temp) over the clusters
//	X' = SᵀX,  A' = SᵀAS
//	cut    mean over graphs of -tr(SᵀAS)/tr(SᵀDS), D the row sums of A
//	ortho  mean over graphs of ‖SᵀS/‖SᵀS‖ - I/√k‖, norms of Frobenius
//
// Both losses have weight 1. After that the diagonal of A' is set to 0 and A' is normalised,
// A'_ij/(d_i·d_j) with d = sqrt(row sum).
//
// Input: a graph with X [n,d] and optional edge weights W [m], not negative; or a Dense batch.
// Output: G dense graphs of k nodes. Weights of parallel edges are added. A self-loop is on the
// diagonal once. It panics with *tensor.ShapeError if the hyperedges of the view are not edges. It
// takes O(m·k + n·k²) time and O(n·k + m) memory: A stays sparse.
//
// Where published code divides 0 by 0 the result here is 0, without gradient. This concerns the cut
// of a graph whose edges have no weight (NaN there), both losses of an empty graph, and the row and
// column of a cluster without weight to other clusters, for which the code's 1e-15 multiplies
// gradients by up to 1e30. A total weight up to 1e-20 counts as none, because the gradient of its
// root is too large for float32.
type MinCutPool struct {
	MLP nn.Rowwise // logits [n,k]
	MinCutConfig
}

// noWeight is the largest sum of weights that counts as none.
const noWeight = 1e-20

// MinCutDims are the width of the nodes and the number of clusters.
type MinCutDims struct{ Dim, Clusters int }

// NewMinCutPool returns a pool of nodes.
func NewMinCutPool(in nn.Init, d MinCutDims, c MinCutConfig) *MinCutPool {
	mlp := nn.MLPDims{In: d.Dim, Hidden: c.Hidden, Out: d.Clusters}
	return &MinCutPool{MinCutConfig: c, MLP: nn.NewMLP(in.In("mlp"), mlp, nn.MLPConfig{})}
}

// Params lists the parameters of the MLP.
func (m *MinCutPool) Params() []*tensor.Param { return m.MLP.Params() }

// Forward coarsens a batch of graphs.
func (m *MinCutPool) Forward(p *nn.Pass, v graph.View) Coarse {
	return m.Coarsen(p, v, m.MLP.Forward(p, p.Tape.Bind(v.X)))
}

// ForwardDense coarsens a batch again.
func (m *MinCutPool) ForwardDense(p *nn.Pass, d Dense) Coarse {
	samples, k := d.check("MinCutPool")
	return m.CoarsenDense(p, d, m.MLP.Forward(p, p.Tape.Bind(d.X).Reshape(samples*k, d.X.Dim(2))))
}

// Coarsen is MinCutPool with given logits [n,k].
func (c MinCutConfig) Coarsen(p *nn.Pass, v graph.View, logits *tensor.Tensor) Coarse {
	return c.coarsen(p, sparseLevel("MinCutPool", v), logits)
}

// CoarsenDense is ForwardDense with given logits [G,k,k'].
func (c MinCutConfig) CoarsenDense(p *nn.Pass, d Dense, logits *tensor.Tensor) Coarse {
	return c.coarsen(p, denseLevel("MinCutPool", d), logits.Reshape(-1, logits.Dim(-1)))
}

func (c MinCutConfig) coarsen(p *nn.Pass, l level, logits *tensor.Tensor) Coarse {
	l.x = p.Tape.Bind(l.x)
	temp := cmp.Or(c.Temp, 1)
	s := p.Tape.Bind(logits).MulScalar(float32(1 / temp)).Softmax()
	ones := tensor.Full(1, l.of.Len(), 1)
	if c.Normalized {
		l.adjacency = scaled{l.adjacency, guarded(l.times(ones), noWeight, (*tensor.Tensor).Rsqrt)}
	}
	x, a, gram := l.coarsen(s)
	samples := l.of.Slots()
	inside := tensor.SegmentSum(l.times(ones).Mul(s.Square().SumAxis(1)), l.of).Reshape(samples)
	cut := trace(a).Mul(guarded(inside, noWeight, (*tensor.Tensor).Recip)).Sum().MulScalar(-1 / float32(samples))
	return Coarse{Dense: Dense{X: x, A: normalized(a)}, Assign: s,
		Losses: []Loss{{"cut", cut}, {"ortho", orthogonality(gram).Sum().MulScalar(1 / float32(samples))}}}
}

// orthogonality is ‖SᵀS/‖SᵀS‖ - I/√k‖ of each sample [G], from SᵀS [G,k,k]. It is 0 for a sample
// without nodes, and with one cluster, which is always orthogonal.
func orthogonality(gram *tensor.Tensor) *tensor.Tensor {
	samples, k := gram.Dim(0), gram.Dim(1)
	if k == 1 { // exactly 0: 1/√1 - x/|x| has a rounding error, which the root amplifies
		return tensor.New(samples)
	}
	norm := squares(gram)
	unit := gram.Mul(guarded(norm, 0, (*tensor.Tensor).Rsqrt).Reshape(samples, 1, 1))
	off := safeSqrt(squares(unit.Sub(eye(k).MulScalar(float32(1 / math.Sqrt(float64(k)))))))
	if full := above(norm, 0); full != nil {
		off = off.Mul(full)
	}
	return off
}

// normalized sets the diagonal to 0 and divides by the roots of the row sums.
func normalized(a *tensor.Tensor) *tensor.Tensor {
	k := a.Dim(1)
	a = a.Mul(tensor.Full(1, k, k).Sub(eye(k)))
	inv := guarded(a.SumAxis(2), noWeight, (*tensor.Tensor).Rsqrt) // [G,k,1]
	return a.Mul(inv).Mul(inv.Transpose())
}

// scaled is an adjacency whose rows and columns are multiplied by inv [n,1]. Only its products are
// used.
type scaled struct {
	adjacency
	inv *tensor.Tensor
}

func (a scaled) times(x *tensor.Tensor) *tensor.Tensor {
	return a.adjacency.times(x.Mul(a.inv)).Mul(a.inv)
}
