package mars

import (
	"cmp"
	"fmt"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Edge representations of the deletion head.
const (
	EdgesMLP   = "mlp"   // an MLP of the features of the edge: MARS
	EdgesEHGNN = "ehgnn" // hypergraph convolutions on the dual: MARS + EHGNN
)

// NetworkConfig says how a network is built.
type NetworkConfig struct {
	Edges string `json:"edges"` // EdgesMLP or EdgesEHGNN
	Arms  int    `json:"arms"`  // number of arms in the vocabulary
	// Wide is the width of the two inner layers of the edge representation. 0 means 5, as in the
	// paper, where both representations have 828 parameters.
	Wide int    `json:"wide,omitempty"`
	Seed uint64 `json:"seed"`
}

// Widths of the network.
const (
	hidden    = 64  // of an atom
	edgeWidth = 128 // of an edge, in encoders and in the deletion head
	rounds    = 6   // rounds of message passing in an encoder, with shared weights
)

// Network proposes edits. It has three encoders of the same shape, one for each choice, each with a
// head:
//
//	bond to cut    MLP(256,2) of h_u ‖ r_e ‖ h_v for an edge e from u to v
//	atom to join   MLP(64,2) of h_v
//	fragment       MLP(64,arms) of h_v
//
// MLP(i,o) is Linear(i,i), ReLU, Linear(i,i), ReLU, Linear(i,o). r_e is the representation of the
// edge: an MLP or EHGNN of its features, 5 -> 5 -> 5 -> 128.
type Network struct {
	deleteEncoder, addEncoder, armEncoder *encoder

	edges    *edges
	delete   *ends
	add, arm *nn.MLP
}

// NewNetwork returns a network with PyTorch's initial weights, and Glorot's for EHGNN.
func NewNetwork(c NetworkConfig) (*Network, error) {
	if c.Arms < 1 || c.Wide < 0 || c.Edges != EdgesMLP && c.Edges != EdgesEHGNN {
		return nil, fmt.Errorf("mars: a network with edges %q of width %d and %d arms, expected %s or %s and at least 1 arm", c.Edges, c.Wide, c.Arms, EdgesMLP, EdgesEHGNN)
	}
	in := nn.NewInit(c.Seed)
	head := func(name string, width, out int) *nn.MLP {
		return nn.NewMLP(in.In(name), nn.MLPDims{In: width, Hidden: []int{width, width}, Out: out}, nn.MLPConfig{})
	}
	return &Network{
		deleteEncoder: newEncoder(in.In("delete", "encoder")), addEncoder: newEncoder(in.In("add", "encoder")), armEncoder: newEncoder(in.In("arm", "encoder")),
		edges:  newEdges(in.In("delete", "edges"), c),
		delete: newEnds(in.In("delete", "head")),
		add:    head("add", hidden, 2), arm: head("arm", hidden, c.Arms),
	}, nil
}

// EdgeParams returns the parameters of the edge representation.
func (n *Network) EdgeParams() []*tensor.Param { return n.edges.Params() }

// OtherParams returns all other parameters.
func (n *Network) OtherParams() []*tensor.Param {
	return nn.Params(n.deleteEncoder, n.addEncoder, n.armEncoder, n.delete, n.add, n.arm)
}

// deletions returns the logits of the directed edges of b, in the order of Molecule.directed,
// [2·bonds,2].
func (n *Network) deletions(p *nn.Pass, b *batch) *tensor.Tensor {
	r, of := n.edges.forward(p, b)
	return n.delete.forward(p, b, n.deleteEncoder.forward(p, b), r, of)
}

// additions returns the logits of the atoms, [atoms,2].
func (n *Network) additions(p *nn.Pass, b *batch) *tensor.Tensor {
	return n.add.Forward(p, n.addEncoder.forward(p, b))
}

// fragments returns the logits of the arms at the given atoms, [len(atoms),arms].
func (n *Network) fragments(p *nn.Pass, b *batch, atoms []int32) *tensor.Tensor {
	h := n.armEncoder.forward(p, b)
	return n.arm.Forward(p, tensor.Gather(h, tensor.MustIndex(atoms, h.Dim(0))))
}

// encoder is message passing. A message is multiplied by a matrix that depends on its bond, and
// atoms have gated updates:
//
//	h⁰ = W·x + b,   m_v = ReLU(mean over neighbours u of h_u·Θ(bond)),   h_v ← GRU(m_v, h_v)
//
// There are six rounds with the same weights. There are only four bond types, so four matrices Θ
// are computed, and the messages of an atom over bonds of one type are added before the product.
type encoder struct {
	atoms, bonds  *nn.Linear
	first, second *nn.Linear // of Θ
	gru           *nn.GRUCell
}

func newEncoder(in nn.Init) *encoder {
	return &encoder{
		atoms: nn.NewLinear(in.In("atoms"), nn.Dims{In: atomWidth, Out: hidden}),
		bonds: nn.NewLinear(in.In("bonds"), nn.Dims{In: bondWidth, Out: edgeWidth}),
		first: nn.NewLinear(in.In("nn", 0), nn.Dims{In: edgeWidth, Out: edgeWidth}), second: nn.NewLinear(in.In("nn", 2), nn.Dims{In: edgeWidth, Out: hidden * hidden}),
		gru: nn.NewGRUCell(in.In("gru"), nn.Dims{In: hidden, Out: hidden}, nn.RecurrentConfig{}),
	}
}

// Params lists the parameters in a fixed order.
func (e *encoder) Params() []*tensor.Param {
	return nn.Params(e.atoms, e.bonds, e.first, e.second, e.gru)
}

// forward returns the representations of the atoms, [atoms,64].
func (e *encoder) forward(p *nn.Pass, b *batch) *tensor.Tensor {
	theta := e.second.Forward(p, e.first.ForwardReLU(p, e.bonds.Forward(p, p.Tape.Constant(everyBond())))).Reshape(bondKinds, hidden, hidden)
	h := e.atoms.Forward(p, p.Tape.Constant(b.x))
	for range rounds {
		m := tensor.RaggedNN(tensor.SpMM(b.mean, h, tensor.SpMMConfig{}), theta, b.kindOfPair)
		h = e.gru.Forward(p, tensor.SpMM(b.sum, m, tensor.SpMMConfig{ReLU: true}), h)
	}
	return h
}

// everyBond returns the features of a bond of each type.
func everyBond() *tensor.Tensor {
	x := tensor.New(bondKinds, bondWidth)
	for k := range bondKinds {
		x.Data()[k*bondWidth+k] = 1
	}
	return x
}

// edges represents bonds. Both directions of a bond have the same representation.
type edges struct {
	mlp   *nn.MLP         // used by EdgesMLP
	convs []*nn.HyperConv // used by EdgesEHGNN
}

func newEdges(in nn.Init, c NetworkConfig) *edges {
	width := cmp.Or(c.Wide, bondWidth)
	if c.Edges == EdgesMLP {
		return &edges{mlp: nn.NewMLP(in, nn.MLPDims{In: bondWidth, Hidden: []int{width, width}, Out: edgeWidth}, nn.MLPConfig{})}
	}
	e := &edges{}
	for i, d := range []nn.ConvDims{{In: bondWidth, Out: width}, {In: width, Out: width}, {In: width, Out: edgeWidth}} {
		e.convs = append(e.convs, nn.NewHyperConv(in.In("convs", i), d, nn.HyperConvConfig{}))
	}
	return e
}

// Params lists the parameters in a fixed order.
func (e *edges) Params() []*tensor.Param {
	if e.mlp != nil {
		return e.mlp.Params()
	}
	return nn.Each(e.convs).Params()
}

// forward returns rows of representations, [rows,128], and the row of each bond: one row for each
// bond type with the MLP, one for each bond with EHGNN.
func (e *edges) forward(p *nn.Pass, b *batch) (r *tensor.Tensor, of []int32) {
	if e.mlp != nil {
		return e.mlp.Forward(p, p.Tape.Constant(everyBond())), b.kinds
	}
	v, last := b.view().Dual(), len(e.convs)-1
	for _, c := range e.convs[:last] {
		v.X = c.ForwardReLU(p, v)
	}
	of = lists.Range[int32](len(b.kinds))
	return e.convs[last].Forward(p, v), of
}

// DeadShare returns the share of the bonds of molecules for which the second layer of the edge
// representation is all zeros. The third layer then gives the same output for all of them.
func (n *Network) DeadShare(of []*Molecule) float64 {
	b := newBatch(of)
	if len(b.kinds) == 0 {
		return 0
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape}
	var x *tensor.Tensor
	if e := n.edges; e.mlp != nil {
		x = tape.Constant(b.bonds())
		for _, l := range e.mlp.Layers[:2] {
			x = l.ForwardReLU(p, x)
		}
	} else {
		v := b.view().Dual()
		for _, c := range e.convs[:2] {
			v.X = c.ForwardReLU(p, v)
		}
		x = v.X
	}
	dead, width := 0, x.Dim(1)
rows:
	for i := range x.Dim(0) {
		for _, v := range x.Data()[i*width:][:width] {
			if v != 0 {
				continue rows
			}
		}
		dead++
	}
	return float64(dead) / float64(x.Dim(0))
}

// ends is MLP(256,2) of h_u ‖ h_v ‖ r_e for each directed edge. The first layer is applied
// separately to atoms and to rows of r, of which there are fewer than directed edges, and the
// results are added.
type ends struct {
	first *nn.Linear
	rest  *nn.MLP
}

func newEnds(in nn.Init) *ends {
	const width = 2*hidden + edgeWidth
	return &ends{nn.NewLinear(in.In(0), nn.Dims{In: width, Out: width}), nn.NewMLP(in.In("rest"), nn.MLPDims{In: width, Hidden: []int{width}, Out: 2}, nn.MLPConfig{})}
}

// Params lists the parameters in a fixed order.
func (e *ends) Params() []*tensor.Param { return nn.Params(e.first, e.rest) }

func (e *ends) forward(p *nn.Pass, b *batch, h, r *tensor.Tensor, of []int32) *tensor.Tensor {
	w := p.Var(e.first.Weight)
	part := func(x *tensor.Tensor, lo int) *tensor.Tensor {
		return tensor.Affine(x, w.Slice(1, lo, lo+x.Dim(1)), nil, tensor.AffineConfig{TransW: true})
	}
	n := int32(h.Dim(0))
	col := make([]int32, 0, 6*len(of))
	for i, k := range of {
		u, v := b.ends[2*i], b.ends[2*i+1]
		col = append(col, u, n+v, 2*n+k, v, n+u, 2*n+k)
	}
	sum := tensor.NewSparse(tensor.SparseConfig{Rows: 2 * len(of), Cols: 2*int(n) + r.Dim(0), Width: 3, Col: col})
	x := tensor.Concat(0, part(h, 0), part(h, hidden), part(r, 2*hidden))
	return e.rest.Forward(p, tensor.SpMM(sum, x, tensor.SpMMConfig{Bias: p.Var(e.first.Bias), ReLU: true}))
}
