package tabular

import (
	"math"
	"sync"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// network is, for member m and inputs x,
//
//	h₁ = ReLU(W₁·(x∘s_m) + b₁)
//	h₂ = ReLU(W₂·h₁ + b₂)
//	z  = H_m·h₂ + c_m
//
// with dropout of h₁ and h₂ in training. With message passing, x is followed by the states of messages. A single member
// has no scale s. The scale is applied to the weights, W₁·diag(s_m). So the first layer of all members is one product,
// and inputs are not repeated for each member.
type network struct {
	members, units, inputs, out int
	scale                       *tensor.Param            // [members,inputs]; nil for one member
	w1, b1, w2, b2              *tensor.Param            // [units,inputs], [units], [units,units], [units]
	head, bias                  *tensor.Param            // [members,units,out], [members,1,out]
	messages                    *messages                // nil without message passing
	fixed                       func() [2]*tensor.Tensor // result of first when parameters no longer change; else nil
}

// newNetwork draws the weights as PyTorch's Linear does, scales from N(0,1), and heads of
// several members from N(0,1)/√units.
func newNetwork(in nn.Init, s *Spec) *network {
	n := &network{members: s.Members, units: s.Units, inputs: s.Inputs.Width(), out: s.logits()}
	if s.Messages != nil {
		n.messages = newMessages(in.In("messages"), s)
		n.inputs += stateUnits
	}
	first, later := 1/math.Sqrt(float64(max(n.inputs, 1))), 1/math.Sqrt(float64(n.units))
	n.w1 = in.Uniform("hidden.0.weight", first, n.units, n.inputs)
	n.b1 = in.Uniform("hidden.0.bias", first, n.units)
	n.w2 = in.Uniform("hidden.1.weight", later, n.units, n.units)
	n.b2 = in.Uniform("hidden.1.bias", later, n.units)
	if n.members == 1 {
		n.head = in.Uniform("head.weight", later, 1, n.units, n.out)
		n.bias = in.Uniform("head.bias", later, 1, 1, n.out)
		return n
	}
	n.scale = in.Normal("scale", 1, n.members, n.inputs)
	n.head = in.Normal("head.weight", later, n.members, n.units, n.out)
	n.bias = in.Zeros("head.bias", n.members, 1, n.out)
	return n
}

// Params lists the parameters in a fixed order.
func (n *network) Params() []*tensor.Param {
	ps := []*tensor.Param{n.w1, n.b1, n.w2, n.b2, n.head, n.bias}
	if n.scale != nil {
		ps = append(ps, n.scale)
	}
	if n.messages != nil {
		ps = append(ps, n.messages.Params()...)
	}
	return ps
}

// pass is one forward pass. mask returns a dropout mask in the shape of a hidden layer; it is nil
// outside training. first has the weights of the first layer, if they were prepared.
type pass struct {
	nn.Pass
	mask  func(layer int, like *tensor.Tensor) *tensor.Tensor
	first *weights
}

func (p *pass) dropout(layer int, h *tensor.Tensor) *tensor.Tensor {
	if p.mask == nil {
		return h
	}
	return h.Mul(p.mask(layer, h))
}

// withMessages returns the inputs x of the rows ids, followed by their message passing states, if there are any.
func (n *network) withMessages(p *pass, x *inputs, s *sampler, ids []int32) *inputs {
	if n.messages == nil {
		return x
	}
	return x.extended(n.messages.forward(p, x, s, s.around(ids, n.messages.spec.Hops)))
}

// first returns the weights of the first layer of all members, for inputs with or without edges. value returns the value of a parameter.
func (n *network) first(e *expander, value func(*tensor.Param) *tensor.Tensor, edges bool) *weights {
	w, b := n.firstLayer(value)
	return e.weights(w, b, edges)
}

// firstLayer returns the weights [inputs, members·units] and biases of the first hidden layer of all members.
func (n *network) firstLayer(value func(*tensor.Param) *tensor.Tensor) (w, b *tensor.Tensor) {
	if n.fixed != nil {
		made := n.fixed()
		return made[0], made[1]
	}
	w, b = value(n.w1), value(n.b1)
	if n.members > 1 {
		s := value(n.scale).Reshape(n.members, 1, n.inputs)
		w = w.Reshape(1, n.units, n.inputs).Mul(s).Reshape(n.members*n.units, n.inputs)
		b = b.Reshape(1, n.units).Expand(n.members, n.units).Reshape(n.members * n.units)
	}
	return w.Transpose(), b
}

// fix computes the first layer once, for a network whose parameters no longer change.
func (n *network) fix() {
	n.fixed = sync.OnceValue(func() [2]*tensor.Tensor {
		of := *n
		of.fixed = nil
		w, b := of.firstLayer(valueOf)
		return [2]*tensor.Tensor{w, b}
	})
}

// valueOf returns the value of a parameter without recording it.
func valueOf(p *tensor.Param) *tensor.Tensor { return p.Value }

// hidden returns the second hidden layer [rows·members, units] for the inputs x; the members of a
// row are adjacent.
func (n *network) hidden(p *pass, x *inputs) *tensor.Tensor {
	first := p.first
	if first == nil {
		first = n.first(x.from, p.Var, x.edges != nil)
	}
	h := x.product(first, true)
	h = p.dropout(0, h.Reshape(x.rows()*n.members, n.units))
	h = tensor.Affine(h, p.Var(n.w2), p.Var(n.b2), tensor.AffineConfig{TransW: true, ReLU: true})
	return p.dropout(1, h)
}

// forward returns the outputs [members, rows, out] for the inputs x.
func (n *network) forward(p *pass, x *inputs) *tensor.Tensor {
	h := n.hidden(p, x)
	head, bias := p.Var(n.head), p.Var(n.bias)
	rows := x.rows()
	if n.members == 1 {
		c := tensor.AffineConfig{}
		return tensor.Affine(h, head.Reshape(n.units, n.out), bias.Reshape(n.out), c).Reshape(1, rows, n.out)
	}
	h = h.Reshape(rows, n.members, n.units).Permute(1, 0, 2)
	return tensor.BatchMatMul(h, head, false, false).Add(bias)
}
