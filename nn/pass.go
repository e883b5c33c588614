package nn

import (
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Pass is one forward pass: its tape, whether it is training, and its random numbers. Only one
// goroutine may use it.
type Pass struct {
	Tape  *tensor.Tape
	Train bool
	// Rand is the source of dropout and other randomness in training. It is derived from the step,
	// so a resumed run draws the same numbers.
	Rand *rand.Rand
	// Exact makes layers that sum over the edges of a node use exact sums (tensor.ExactSum), if
	// there is no gradient. Results then do not depend on the order of edges. HyperConv without
	// hyperedge weights and Joint support it.
	Exact bool
}

// exact reports whether to use exact sums for rows of x.
func (p *Pass) exact(x *tensor.Tensor) bool { return p.Exact && !x.Recorded() }

// Var returns the value of a parameter on the pass's tape. It is watched in training. It is a
// constant otherwise, and for buffers.
func (p *Pass) Var(w *tensor.Param) *tensor.Tensor {
	if p.Train && !w.Buffer {
		return p.Tape.Watch(w)
	}
	return p.Tape.Constant(w.Value)
}

// VarOrNil is Var, or nil for a parameter that is nil, such as the bias of a layer without bias.
func (p *Pass) VarOrNil(w *tensor.Param) *tensor.Tensor {
	if w == nil {
		return nil
	}
	return p.Var(w)
}

// Module is anything with parameters.
type Module interface {
	// Params lists the parameters and buffers in a fixed order.
	Params() []*tensor.Param
}

// Conv is one round of message passing: new vertex features [n,out] from a view. On v it learns
// nodes, on v.Dual() edges.
type Conv interface {
	Module
	Forward(p *Pass, v graph.View) *tensor.Tensor
}

// Params joins the parameters of several modules. nil modules are skipped.
func Params(ms ...Module) []*tensor.Param {
	var out []*tensor.Param
	for _, m := range ms {
		if m != nil {
			out = append(out, m.Params()...)
		}
	}
	return out
}

// ParamList makes a module of parameters.
type ParamList []*tensor.Param

// Params returns the list.
func (l ParamList) Params() []*tensor.Param { return l }

// Each joins a list of layers into one module.
func Each[M Module](layers []M) Module { return each[M](layers) }

type each[M Module] []M

// Params lists the parameters of all layers.
func (ms each[M]) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, m := range ms {
		out = append(out, m.Params()...)
	}
	return out
}

// present lists the parameters that are not nil.
func present(ps ...*tensor.Param) []*tensor.Param {
	return lists.Filter(ps, func(p *tensor.Param) bool { return p != nil })
}
