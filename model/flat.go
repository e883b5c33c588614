package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Flat is the layout of the flat baselines in the paper's tables: convolutions with ReLU, their
// concatenated outputs (jumping knowledge), a readout over all nodes, an MLP. Settings are those of
// GMT, and this project's where that paper gives none. Convolutions that read edge features pass
// them on.
type Flat struct {
	Convs      []nn.Conv
	Readout    pool.Readout
	Classifier *nn.MLP
}

// FlatConfig are the settings of a Flat.
type FlatConfig struct {
	Stack
	Heads int `json:"heads,omitempty"` // of an attention convolution, as in NodeConv
	// Readout is a name of pool.Readouts.
	Readout string `json:"readout"`
	// Conv is a name of nn.Convs. The model's name sets it; it is not a setting.
	Conv string `json:"-"`
}

// Validate checks all fields except Readout, which NewFlat checks.
func (c FlatConfig) Validate() error {
	return firstError(c.Stack.Validate(), NodeConv{c.Conv, c.Heads}.Validate())
}

func (c FlatConfig) ignores(name string) bool { return name == "heads" && !hasHeads(c.Conv) }

func (c FlatConfig) edgeTypes() bool { return readsTypes(c.Conv) }

// NewFlat builds the model.
func NewFlat(in nn.Init, d Dims, c FlatConfig) (*Flat, error) { return newFlat(in, d, c, c.Conv) }

// newFlat is NewFlat with a model name for errors.
func newFlat(in nn.Init, d Dims, c FlatConfig, name string) (*Flat, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	m := &Flat{}
	var err error
	if m.Convs, err = newConvs(in, d, c.Stack, NodeConv{c.Conv, c.Heads}, d.Edge); err != nil {
		return nil, inModel(name, err)
	}
	if m.Readout, err = pool.NewReadout(in.In("readout"), c.Readout, c.Layers*c.Hidden); err != nil {
		return nil, inModel(name, err)
	}
	m.Classifier = newClassifier(in.In("classifier"), m.Readout.Width(), d, c.Hidden, c.Dropout)
	return m, nil
}

// Params lists all parameters.
func (m *Flat) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.Readout, m.Classifier)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Flat) Forward(p *nn.Pass, b *graph.Batch) *Output {
	xs, v := forwardConvs(p, m.Convs, b.View)
	out := &Output{NodeVec: tensor.Concat(1, xs...)}
	out.GraphVec = m.Readout.Forward(p, out.NodeVec, v.VertexOf)
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
