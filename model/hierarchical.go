package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Hierarchical is the layout of the baselines that drop or contract nodes: per
// block a convolution, ReLU and a pool, whose nodes are read out as mean ‖ max; an
// MLP classifies the sum of the readouts (as SAGPool and ASAP are arranged in
// their papers, in GMT's settings).
//
// After a pool that contracts, edges have no features of their own: convolutions
// that read edge features serve the first block only, later ones are GCN.
type Hierarchical struct {
	Convs      []nn.Conv
	Pools      []pool.Pool
	Classifier *nn.MLP
}

// NewHierarchical builds the model with a pool made by newPool for each block;
// keepsEdges says that the pool keeps edge features.
func NewHierarchical(c Config, name string, keepsEdges bool, newPool func(in nn.Init, dim int, keep pool.Keep) (pool.Pool, error)) (*Hierarchical, error) {
	if err := c.validate(name); err != nil {
		return nil, err
	}
	keep := pool.Keep{Fraction: c.Ratio}
	if err := keep.Validate(); err != nil {
		return nil, fmt.Errorf("model: %s: ratio: %w", name, err)
	}
	in := nn.NewInit(c.Seed)
	m := &Hierarchical{}
	var err error
	if m.Convs, err = newConvs(in, c.Conv, c, c.EdgeDim); err != nil {
		return nil, err
	}
	for l := range c.Layers {
		if spec, _ := nn.FindConv(c.Conv); l > 0 && spec.Edges && !keepsEdges {
			m.Convs[l] = nn.NewGCN(in.In("convs", l), nn.ConvDims{In: c.Hidden, Out: c.Hidden}, nn.GCNConfig{})
		}
		p, err := newPool(in.In("pools", l), c.Hidden, keep)
		if err != nil {
			return nil, err
		}
		m.Pools = append(m.Pools, p)
	}
	m.Classifier = newClassifier(in.In("classifier"), 2*c.Hidden, c)
	return m, nil
}

// Params lists all parameters.
func (m *Hierarchical) Params() []*tensor.Param {
	out := convParams(m.Convs)
	for _, l := range m.Pools {
		out = append(out, l.Params()...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Hierarchical) Forward(p *nn.Pass, b *graph.Batch) *Output {
	out := &Output{}
	v := b.View
	for l, conv := range m.Convs {
		r := m.Pools[l].Forward(p, v.WithX(convReLU(p, conv, v)))
		v = r.View
		out.Aux = addLoss(out.Aux, r.Aux)
		sum := tensor.SegmentSum(v.X, v.VertexOf)
		read := tensor.Concat(1, tensor.MeanOfSum(sum, v.VertexOf), tensor.SegmentMax(v.X, v.VertexOf))
		if out.GraphVec != nil {
			read = out.GraphVec.Add(read)
		}
		out.GraphVec = read
	}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}

// addLoss adds auxiliary losses, either of which may be nil.
func addLoss(a, b *tensor.Tensor) *tensor.Tensor {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.Add(b)
}
