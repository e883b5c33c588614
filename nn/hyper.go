package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperConvConfig describes a HyperConv.
type HyperConvConfig struct {
	NoBias bool
	// DegreeOnly uses hyperedge weights only in the degrees D and not in the sum over hyperedges,
	// as PyTorch Geometric does: X' = D⁻¹·H·B⁻¹·Hᵀ·X·Θ + b. If all weights are one, both are the
	// same.
	DegreeOnly bool
}

// HyperConv is the hypergraph convolution
//
//	X' = D⁻¹·H·W·B⁻¹·Hᵀ·X·Θ + b
//
// It takes the mean over each hyperedge, then the weighted mean over the hyperedges of each vertex.
// It is the counterpart of GCN on the dual hypergraph, and the edge layer of EHGNN (paper, section
// 3.1 and the authors' code).
//
// Input: a view with X [n,in] and optional hyperedge weights W [m]. Output: [n,out]. Loops are a
// convention of the view's incidence (graph.Loops). With LoopsKeep, the default for undirected
// graphs, an edge of the graph averages over its two nodes and itself. A vertex without hyperedges
// gets b. With hyperedge weights, D is the weighted degree, and loops are left out because the
// published formula has none.
type HyperConv struct {
	Weight, Bias *tensor.Param // weight [in,out], bias [out] or nil
	DegreeOnly   bool
}

// NewHyperConv returns a layer with Glorot-uniform weight and zero bias.
func NewHyperConv(in Init, d ConvDims, c HyperConvConfig) *HyperConv {
	h := &HyperConv{DegreeOnly: c.DegreeOnly, Weight: in.Glorot("weight", d.In, d.Out, d.In, d.Out)}
	if !c.NoBias {
		h.Bias = in.Zeros("bias", d.Out)
	}
	return h
}

// Params lists weight and bias.
func (h *HyperConv) Params() []*tensor.Param { return present(h.Weight, h.Bias) }

// Forward is one convolution.
func (h *HyperConv) Forward(p *Pass, v graph.View) *tensor.Tensor { return h.forward(p, v, false) }

// ForwardReLU is Forward followed by ReLU, in one pass over the result.
func (h *HyperConv) ForwardReLU(p *Pass, v graph.View) *tensor.Tensor { return h.forward(p, v, true) }

func (h *HyperConv) forward(p *Pass, v graph.View, relu bool) *tensor.Tensor {
	w, bias := p.Var(h.Weight), p.VarOrNil(h.Bias)
	if v.W == nil && p.exact(v.X) {
		return tensor.Affine(exactMean(v.H.Hyper(), bind(p, v.X)), w, bias, tensor.AffineConfig{ReLU: relu})
	}
	// Means and the product with Θ commute: the narrower rows go through the hyperedges.
	if v.W == nil && v.X.Dim(1) < w.Dim(1) {
		return tensor.Affine(h.mix(p, v, nil, false)(v.X), w, bias, tensor.AffineConfig{ReLU: relu})
	}
	return h.mix(p, v, bias, relu)(v.X.MatMul(w))
}

// mix returns the mean over hyperedges and back of any rows, with bias, and with ReLU if relu is
// set.
func (h *HyperConv) mix(p *Pass, v graph.View, bias *tensor.Tensor, relu bool) func(x *tensor.Tensor) *tensor.Tensor {
	if v.W == nil {
		mean := tensor.HopsConfig{Rows: v.VertexOf, Middle: v.EdgeOf, Bias: bias, ReLU: relu}
		return func(x *tensor.Tensor) *tensor.Tensor { return tensor.TwoHop(v.H.Hyper(), bind(p, x), mean) }
	}
	return func(x *tensor.Tensor) *tensor.Tensor {
		x = weightedMean(v, x, h.DegreeOnly)
		if bias != nil {
			x = x.Add(bias)
		}
		if relu {
			x = x.ReLU()
		}
		return x
	}
}

// exactMean is the mean over hyperedges and back, with exact means over hyperedges.
func exactMean(h *tensor.Hops, x *tensor.Tensor) *tensor.Tensor {
	c := tensor.SpMMConfig{SelfW: h.Self}
	if h.Self != nil {
		c.Self = x
	}
	means := tensor.ExactSum(h.Up, x, func(entries int) float64 { return 1 / float64(max(entries, 1)) })
	return tensor.SpMM(h.Down, means, c)
}

// weightedMean is D⁻¹·H·W·B⁻¹·Hᵀ·x with the view's hyperedge weights. With degreeOnly the W in the
// middle is left out.
func weightedMean(v graph.View, x *tensor.Tensor, degreeOnly bool) *tensor.Tensor {
	hp := v.WithLoops(graph.LoopsNone).H.Hyper()
	up := tensor.SpMM(hp.Up, x, tensor.SpMMConfig{})
	if !degreeOnly {
		up = up.Mul(v.W.Reshape(-1, 1))
	}
	down, _ := v.H.Rows()
	return tensor.SpMM(down, up, tensor.SpMMConfig{}).Mul(inverseWeightedDegree(v))
}

// inverseWeightedDegree is 1/D [n,1] with the view's hyperedge weights, and 0 where D is 0.
func inverseWeightedDegree(v graph.View) *tensor.Tensor {
	down, _ := v.H.Rows()
	degree := tensor.SpMM(down, v.W.Reshape(-1, 1), tensor.SpMMConfig{})
	return whereNonZero(degree, (*tensor.Tensor).Recip)
}
