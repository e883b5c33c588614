package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Flat is the layout of the flat baselines in the paper's tables: convolutions
// with ReLU, their outputs side by side (jumping knowledge), a readout over all
// nodes, an MLP (GMT's settings; specification of this project where its paper is
// silent). Edge features reach it through convolutions that read them.
type Flat struct {
	Convs      []nn.Conv
	Readout    pool.Readout
	Classifier *nn.MLP
}

// NewFlat builds the model with a convolution and a readout by name: see nn.Convs
// and pool.Readouts.
func NewFlat(c Config, conv, readout string) (*Flat, error) { return newFlat(c, conv, conv, readout) }

// newFlat is NewFlat for the model of that name, which errors are to tell.
func newFlat(c Config, name, conv, readout string) (*Flat, error) {
	if err := c.validate(name); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &Flat{}
	var err error
	if m.Convs, err = newConvs(in, conv, c, c.EdgeDim); err != nil {
		return nil, err
	}
	if m.Readout, err = pool.NewReadout(in.In("readout"), readout, c.Layers*c.Hidden); err != nil {
		return nil, err
	}
	m.Classifier = newClassifier(in.In("classifier"), m.Readout.Width(), c)
	return m, nil
}

// Params lists all parameters.
func (m *Flat) Params() []*tensor.Param {
	return append(convParams(m.Convs), nn.Params(m.Readout, m.Classifier)...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Flat) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	var xs []*tensor.Tensor
	for _, c := range m.Convs {
		v = v.WithX(convReLU(p, c, v))
		xs = append(xs, v.X)
	}
	out := &Output{NodeVec: tensor.Concat(1, xs...)}
	out.GraphVec = m.Readout.Forward(p, out.NodeVec, v.VertexOf)
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
