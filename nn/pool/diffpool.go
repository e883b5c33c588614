package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// DiffPoolConfig describes a DiffPool.
type DiffPoolConfig struct {
	// Undivided does not divide the norm of the link loss. By default it is divided by G·n², where
	// n is the size of the largest sample.
	Undivided bool
}

// DiffPool clusters the nodes of each graph softly. A graph network of its own learns the
// assignment (Ying et al. 2018, equations 3 and 4):
//
//	Z = ReLU(Embed(A, X)),  S = softmax(Assign(A, X)) over the clusters
//	X' = SᵀZ,  A' = SᵀAS
//
// It has two losses, each with weight 1, as in PyTorch Geometric:
//
//	link     ‖A - S·Sᵀ‖_F over all graphs of the batch as one matrix, divided by
//	         G·n² (see DiffPoolConfig); its gradient at 0 is 0
//	entropy  -Σ_c S·log(S + 1e-15), summed over all nodes and divided by G·n
//
// n is the size of the largest graph of the batch: published code pads to it and counts the
// padding. So the losses of a graph depend on its batch, but its clusters do not.
//
// Input: a graph with X [n,d] and optional edge weights W [m]. Output: G dense graphs of k nodes.
// Weights of parallel edges are added. A self-loop is on the diagonal once. It panics with
// *tensor.ShapeError if the hyperedges of the view are not edges. It takes O(m·k + n·k²) time and
// O(n·k + m) memory; the definition takes O(G·n²). The norm is expanded, so that A stays sparse and
// S·Sᵀ is not stored.
type DiffPool struct {
	Embed  nn.Conv // [n,d]; nil pools X itself
	Assign nn.Conv // logits [n,k]
	DiffPoolConfig
}

// DiffPoolDims are the input and output widths of a DiffPool, and its number of clusters.
type DiffPoolDims struct{ In, Out, Clusters int }

// NewDiffPool returns a pool of nodes in which both networks are one GCN: embed.lin.weight,
// assign.lin.weight and so on.
func NewDiffPool(in nn.Init, d DiffPoolDims, c DiffPoolConfig) *DiffPool {
	return &DiffPool{DiffPoolConfig: c, Embed: nn.NewGCN(in.In("embed"), nn.ConvDims{In: d.In, Out: d.Out}, nn.GCNConfig{}),
		Assign: nn.NewGCN(in.In("assign"), nn.ConvDims{In: d.In, Out: d.Clusters}, nn.GCNConfig{})}
}

// Params lists the parameters of both networks.
func (d *DiffPool) Params() []*tensor.Param { return nn.Params(d.Embed, d.Assign) }

// Forward coarsens a batch of graphs.
func (d *DiffPool) Forward(p *nn.Pass, v graph.View) Coarse {
	logits := d.Assign.Forward(p, v)
	if d.Embed != nil {
		v = v.WithX(d.Embed.Forward(p, v).ReLU())
	}
	return d.Coarsen(p, v, logits)
}

// DenseDiffPool is DiffPool on graphs that are already coarsened.
type DenseDiffPool struct {
	Embed  DenseConv // [G,k,d]; nil pools X itself
	Assign DenseConv // logits [G,k,k']
	DiffPoolConfig
}

// NewDenseDiffPool is NewDiffPool with two DenseGCN.
func NewDenseDiffPool(in nn.Init, d DiffPoolDims, c DiffPoolConfig) *DenseDiffPool {
	return &DenseDiffPool{DiffPoolConfig: c, Embed: NewDenseGCN(in.In("embed"), nn.Dims{In: d.In, Out: d.Out}),
		Assign: NewDenseGCN(in.In("assign"), nn.Dims{In: d.In, Out: d.Clusters})}
}

// Params lists the parameters of both networks.
func (d *DenseDiffPool) Params() []*tensor.Param { return nn.Params(d.Embed, d.Assign) }

// Forward coarsens a batch again.
func (d *DenseDiffPool) Forward(p *nn.Pass, x Dense) Coarse {
	logits := d.Assign.Forward(p, x)
	if d.Embed != nil {
		x = x.WithX(d.Embed.Forward(p, x).ReLU())
	}
	return d.CoarsenDense(p, x, logits)
}

// Coarsen is DiffPool with given logits [n,k]. It pools X itself.
func (c DiffPoolConfig) Coarsen(p *nn.Pass, v graph.View, logits *tensor.Tensor) Coarse {
	return c.coarsen(p, sparseLevel("DiffPool", v), logits)
}

// CoarsenDense is DenseDiffPool with given logits [G,k,k'].
func (c DiffPoolConfig) CoarsenDense(p *nn.Pass, d Dense, logits *tensor.Tensor) Coarse {
	return c.coarsen(p, denseLevel("DiffPool", d), logits.Reshape(-1, logits.Dim(-1)))
}

func (c DiffPoolConfig) coarsen(p *nn.Pass, l level, logits *tensor.Tensor) Coarse {
	l.x = p.Tape.Bind(l.x)
	s := p.Tape.Bind(logits).Softmax()
	x, a, gram := l.coarsen(s)
	samples, n := float32(l.of.Slots()), float32(max(l.padded(), 1))
	link := safeSqrt(l.misfit(s, a, gram, l.of).Sum())
	if !c.Undivided {
		link = link.MulScalar(1 / (samples * n * n))
	}
	entropy := s.Mul(s.AddScalar(1e-15).Log()).Sum().MulScalar(-1 / (samples * n))
	return Coarse{Dense: Dense{X: x, A: a}, Assign: s, Losses: []Loss{{"link", link}, {"entropy", entropy}}}
}
