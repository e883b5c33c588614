package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// RoleStack predicts for each edge by layers on the dual in which a node is the source or the
// target of an edge (nn.DirEdgeConv):
//
//	e⁰_uv  = LayerNorm( Dropout( ReLU( (f_uv ‖ x_u ‖ x_v)·A + a ) )·B + b )
//	n⁰_v   = ReLU( x_v·C + c )
//	nˡ, eˡ = DirEdgeConvˡ( n^(l-1), e^(l-1) )
//	y_uv  = MLP( e^L_uv ‖ e⁰_uv )
//
// A is WidenInput times as wide as the other maps, so that it can learn a nonlinear function of
// each of many counts. Without layers it is the baseline with the same inputs that reads no other
// edge.
type RoleStack struct {
	Node         *nn.Linear
	First, Start *nn.Linear
	Norm         *nn.LayerNorm
	Convs        []*nn.DirEdgeConv
	Classifier   *nn.MLP
	dropout      float64
}

// RoleStackConfig are the settings of a RoleStack.
type RoleStackConfig struct {
	Hidden  int     `json:"hidden"`
	Layers  int     `json:"layers"` // 0 or more
	Dropout float64 `json:"dropout"`
	// WidenInput is the width of the input layer A as a multiple of Hidden. 0 means 1; older runs
	// have 0.
	WidenInput int `json:"widen_input,omitempty"`
}

// Validate checks all fields.
func (c RoleStackConfig) Validate() error {
	return firstError(atLeast("hidden", c.Hidden, 1), atLeast("layers", c.Layers, 0), checkDropout(c.Dropout), atLeast("widen_input", c.WidenInput, 0))
}

// innerWidth is the width inside a layer, as a multiple of Hidden.
const innerWidth = 2

// NewRoleStack builds the model.
func NewRoleStack(in nn.Init, d Dims, c RoleStackConfig) (*RoleStack, error) {
	if err := check("ehgnn-roles", d, c); err != nil {
		return nil, err
	}
	w := c.Hidden
	first := max(c.WidenInput, 1) * w
	m := &RoleStack{dropout: c.Dropout, Node: nn.NewLinear(in.In("node"), nn.Dims{In: d.Node, Out: w}), First: nn.NewLinear(in.In("start", 0), nn.Dims{In: d.Edge + 2*d.Node, Out: first}),
		Start: nn.NewLinear(in.In("start", 1), nn.Dims{In: first, Out: w}), Norm: nn.NewLayerNorm(in.In("start_norm"), w)}
	for l := range c.Layers {
		m.Convs = append(m.Convs, nn.NewDirEdgeConv(in.In("convs", l), w, innerWidth*w, c.Dropout))
	}
	m.Classifier = nn.NewMLP(in.In("classifier"), nn.MLPDims{In: 2 * w, Hidden: []int{w}, Out: d.Out}, nn.MLPConfig{Dropout: c.Dropout})
	last := m.Classifier.Layers[1]
	for _, x := range [][]float32{last.Weight.Value.Data(), last.Bias.Value.Data()} {
		for i := range x {
			x[i] *= 0.1 // predictions are close to 0 at the start
		}
	}
	return m, nil
}

// Params lists all parameters.
func (m *RoleStack) Params() []*tensor.Param {
	return nn.Params(m.Node, m.First, m.Start, m.Norm, nn.Each(m.Convs), m.Classifier)
}

// Forward predicts for the edges of a batch: Output.Edge holds logits or numbers.
func (m *RoleStack) Forward(p *nn.Pass, b *graph.Batch) *Output { return m.forwardWith(p, b, nil) }

// forwardWith is Forward with more edge features. more may be nil.
func (m *RoleStack) forwardWith(p *nn.Pass, b *graph.Batch, more *tensor.Tensor) *Output {
	classifier := m.Classifier.Layers
	mask := nn.NewMask(p, m.First.Weight.Value.Dim(0), m.dropout)
	start := p.CheckpointRows(featureRows(p, b, more), func(p *nn.Pass, of *tensor.RowBlock) *tensor.Tensor {
		x := mask.Drop(of, m.First.ForwardReLU(p, edgeFeatures(of, b, more)))
		return m.Norm.Forward(p, m.Start.Forward(p, x))
	})
	v := b.View.WithE(start)
	if len(m.Convs) > 0 {
		v = v.WithX(m.Node.ForwardReLU(p, b.X))
	}
	for _, c := range m.Convs {
		x, e := c.Forward(p, v)
		v = v.WithX(x).WithE(e)
	}
	e, out := v.E, &Output{}
	if len(m.Convs) > 0 {
		out.NodeVec = v.X
	}
	mask2 := nn.NewMask(p, classifier[0].Weight.Value.Dim(0), m.dropout)
	out.Edge = p.CheckpointRows([]tensor.RowInput{{X: e}, {X: start}}, func(p *nn.Pass, of *tensor.RowBlock) *tensor.Tensor {
		x := classifier[0].ForwardReLU(p, tensor.Concat(1, of.Rows(0), of.Rows(1)))
		return classifier[1].Forward(p, mask2.Drop(of, x))
	})
	out.EdgeVecs = []EdgeVec{{Rows: e}}
	return out
}

// featureRows and edgeFeatures are WithEnds for tensor.CheckpointRows: its inputs, and the rows of
// a block. more, further edge features, may be nil.
func featureRows(p *nn.Pass, b *graph.Batch, more *tensor.Tensor) []tensor.RowInput {
	x, rows := p.Tape.Bind(b.X), []tensor.RowInput{{X: b.E}}
	if more != nil {
		rows = append(rows, tensor.RowInput{X: more})
	}
	if b.H.Directed() {
		return append(rows, tensor.RowInput{X: x, Sum: endsOf(b.View, 1, 0)}, tensor.RowInput{X: x, Sum: endsOf(b.View, 0, 1)})
	}
	return append(rows, tensor.RowInput{X: x, Sum: endsOf(b.View, 0.5, 0.5)}, tensor.RowInput{X: x, Sum: endsOf(b.View, 1, -1)})
}

func edgeFeatures(of *tensor.RowBlock, b *graph.Batch, more *tensor.Tensor) *tensor.Tensor {
	columns := []*tensor.Tensor{of.Rows(0)}
	if more != nil {
		columns = append(columns, of.Rows(1))
	}
	k := len(columns)
	first, second := of.Sum(k, nil, false), of.Sum(k+1, nil, false)
	if !b.H.Directed() {
		second = second.Abs()
	}
	return tensor.Concat(1, append(columns, first, second)...)
}
