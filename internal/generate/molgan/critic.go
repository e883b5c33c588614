package molgan

import (
	"math"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Widths of a critic.
const (
	nodeHidden = 128 // after the first R-GCN layer
	nodeWidth  = 64  // after the second R-GCN layer
	gateWidth  = 128 // of the gated sum
)

// headWidths are the hidden widths of the final MLP.
var headWidths = []int{128, 64}

// The forms of R-GCN.
const (
	// Typed has a weight matrix for each type of bond and tanh after each layer, as in MolGAN.
	Typed = "typed"
	// Shared has one weight matrix for all types and no activation, like the code that the authors
	// of EHGNN used. It sees that there is a bond, but not its type.
	Shared = "shared"
)

// critic is a discriminator or a reward network: R-GCN, a gated sum over atoms and an MLP that
// gives a score for each graph, [graphs, 1]. The score of a discriminator is unbounded. The loss of
// a reward network applies a sigmoid to its score.
type critic struct {
	form  string
	nodes []nodeLayer
	gate  *nn.Linear // of the gated sum: [H₂ ‖ X] to gateWidth
	value *nn.Linear
	head  []*nn.Linear
	pool  *gmPool // nil if there is none
	edges *edges  // nil if there is none
}

// newCritic returns a critic with the branches of c.
func newCritic(in nn.Init, s Space, c Config) *critic {
	k := &critic{form: c.RGCN}
	k.nodes = []nodeLayer{newNodeLayer(in.In("nodes", 0), c.RGCN, nn.Dims{In: s.atomCodes(), Out: nodeHidden}), newNodeLayer(in.In("nodes", 1), c.RGCN, nn.Dims{In: nodeHidden, Out: nodeWidth})}
	gated := nn.Dims{In: nodeWidth + s.atomCodes(), Out: gateWidth}
	k.gate, k.value = nn.NewLinear(in.In("gate"), gated), nn.NewLinear(in.In("value"), gated)
	width := gateWidth
	if c.GMPool {
		k.pool = newGMPool(in.In("gmpool"))
		width += nodeWidth
	}
	if c.EHGNN {
		k.edges = newEdges(in.In("edges"))
		width += edgeWidths[1]
	}
	for i, out := range append(headWidths[:len(headWidths):len(headWidths)], 1) {
		k.head = append(k.head, nn.NewLinear(in.In("head", i), nn.Dims{In: width, Out: out}))
		width = out
	}
	return k
}

// Params lists all parameters except those of EHGNN, which EdgeParams lists.
func (k *critic) Params() []*tensor.Param {
	out := nn.Params(k.nodes[0], k.nodes[1], k.gate, k.value, nn.Each(k.head))
	if k.pool != nil {
		out = append(out, k.pool.Params()...)
	}
	return out
}

// EdgeParams lists the parameters of EHGNN, which have their own learning rate.
func (k *critic) EdgeParams() []*tensor.Param {
	if k.edges == nil {
		return nil
	}
	return k.edges.Params()
}

// forward returns the scores of graphs, [graphs, 1].
func (k *critic) forward(p *nn.Pass, g graphs) *tensor.Tensor {
	score, _ := k.scoreAndFeatures(p, g)
	return score
}

// scoreAndFeatures returns the scores of graphs and the features below them, [graphs, 64].
func (k *critic) scoreAndFeatures(p *nn.Pass, g graphs) (score, features *tensor.Tensor) {
	g.bonds, g.atoms = p.Tape.Bind(g.bonds), p.Tape.Bind(g.atoms)
	types := g.bonds.Slice(1, 1, bondCodes) // [graphs·pairs, 4]
	weight := types.SumAxis(1)
	var matrix *tensor.Tensor // the matrix of R-GCN's propagation
	var linked *tensor.Tensor // S + I [graphs, Size, Size]
	if k.form == Shared || k.pool != nil {
		linked = g.matrices(weight, tensor.Full(1, 1, 1))
		matrix = linked
	}
	if k.form == Typed {
		matrix = g.matrices(g.bonds.Mul(typesOnly), selfOnly)
	}
	h := g.atoms
	for _, l := range k.nodes {
		h = l.forward(p, matrix, h)
	}
	q := tensor.Concat(1, h, g.atoms)
	gated := k.gate.Forward(p, q).Sigmoid().Mul(k.value.Forward(p, q).Tanh())
	vectors := []*tensor.Tensor{tensor.SegmentSum(gated, g.graphOf).Tanh()}
	if k.pool != nil {
		vectors = append(vectors, k.pool.forward(p, linked, h))
	}
	if k.edges != nil {
		vectors = append(vectors, k.edges.forward(p, g.layout, types, weight))
	}
	y := tensor.Concat(1, vectors...)
	last := len(k.head) - 1
	for _, l := range k.head[:last] {
		if y = l.Forward(p, y); k.form == Typed {
			y = y.Tanh()
		}
	}
	return k.head[last].Forward(p, y), y
}

// typesOnly removes the channel "no bond" from a row, and selfOnly sets this channel on the
// diagonal. So one product covers an atom and its neighbours.
var (
	typesOnly = tensor.FromSlice([]float32{0, 1, 1, 1, 1}, 1, bondCodes)
	selfOnly  = tensor.FromSlice([]float32{1, 0, 0, 0, 0}, 1, bondCodes)
)

// nodeLayer is a layer of R-GCN. S is the sum of A over the types of bonds:
//
//	typed:  H' = tanh( H W₀ + Σ_c A_c H W_c )
//	shared: H' = (S + I) (H W + b)
//
// weight [types·out, in] of typed has the blocks W₀, W₁, .... Sums are not divided by degrees.
type nodeLayer struct {
	weight *tensor.Param // of typed
	linear *nn.Linear    // of shared
	out    int
}

func newNodeLayer(in nn.Init, form string, d nn.Dims) nodeLayer {
	if form == Shared {
		return nodeLayer{linear: nn.NewLinear(in, d), out: d.Out}
	}
	return nodeLayer{weight: in.Uniform("weight", 1/math.Sqrt(float64(d.In)), bondCodes*d.Out, d.In), out: d.Out}
}

// Params lists the parameters.
func (l nodeLayer) Params() []*tensor.Param {
	if l.linear != nil {
		return l.linear.Params()
	}
	return []*tensor.Param{l.weight}
}

// forward propagates h [graphs·Size, in] with a matrix [graphs, Size, Size·types]. types is 1 if
// the layer is shared.
func (l nodeLayer) forward(p *nn.Pass, matrix, h *tensor.Tensor) *tensor.Tensor {
	var y *tensor.Tensor
	if l.linear != nil {
		y = l.linear.Forward(p, h)
	} else {
		y = h.MatMulT(p.Var(l.weight))
	}
	y = tensor.BatchMatMul(matrix, y.Reshape(matrix.Dim(0), -1, l.out), false, false).Reshape(-1, l.out)
	if l.linear == nil {
		y = y.Tanh()
	}
	return y
}
