package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Hierarchical is the layout of the baselines that drop or contract nodes. Each block has a
// convolution, ReLU and a pool, whose nodes are read out as mean ‖ max. An MLP classifies the sum
// of the readouts (the arrangement of SAGPool and ASAP in their papers, with GMT's settings).
//
// After a pool that contracts, edges have no features of their own. Convolutions that read edge
// features are then only used in the first block; later blocks use GCN.
type Hierarchical struct {
	Convs      []nn.Conv
	Pools      []pool.Pool
	Classifier *nn.MLP
}

// HierarchicalConfig are the settings of the models whose pools decide themselves how many nodes
// remain.
type HierarchicalConfig struct {
	Stack
	NodeConv
}

// Validate checks all fields.
func (c HierarchicalConfig) Validate() error {
	return firstError(c.Stack.Validate(), c.NodeConv.Validate())
}

func (c HierarchicalConfig) ignores(name string) bool { return name == "heads" && !c.attends() }

// SelectConfig are the settings of the models whose pools keep a share of the nodes.
type SelectConfig struct {
	HierarchicalConfig
	Ratio float64 `json:"ratio"` // share of nodes that each pool keeps, in (0,1]
}

// Validate checks all fields.
func (c SelectConfig) Validate() error {
	return firstError(c.HierarchicalConfig.Validate(), checkRatio(c.Ratio))
}

// NewTopKPool builds the model with pools that keep the nodes with the largest projection.
func NewTopKPool(in nn.Init, d Dims, c SelectConfig) (*Hierarchical, error) {
	return newHierarchical(in, d, c.HierarchicalConfig, c, "topkpool", true, func(in nn.Init, dim int) (pool.Pool, error) {
		return pool.NewTopKPool(in, dim, pool.GateConfig{Keep: pool.Keep{Fraction: c.Ratio}})
	})
}

// NewSAGPool builds the model with pools that keep the nodes with the best score of a graph
// convolution.
func NewSAGPool(in nn.Init, d Dims, c SelectConfig) (*Hierarchical, error) {
	return newHierarchical(in, d, c.HierarchicalConfig, c, "sagpool", true, func(in nn.Init, dim int) (pool.Pool, error) {
		return pool.NewSAGPool(in, dim, pool.SAGPoolConfig{GateConfig: pool.GateConfig{Keep: pool.Keep{Fraction: c.Ratio}}})
	})
}

// NewASAP builds the model with pools that make a cluster around each node and keep the fittest
// clusters.
func NewASAP(in nn.Init, d Dims, c SelectConfig) (*Hierarchical, error) {
	return newHierarchical(in, d, c.HierarchicalConfig, c, "asap", false, func(in nn.Init, dim int) (pool.Pool, error) {
		return pool.NewASAPool(in, dim, pool.ASAPConfig{Keep: pool.Keep{Fraction: c.Ratio}})
	})
}

// NewEdgePool builds the model with pools that contract the edges with the best scores.
func NewEdgePool(in nn.Init, d Dims, c HierarchicalConfig) (*Hierarchical, error) {
	return newHierarchical(in, d, c, c, "edgepool", false, func(in nn.Init, dim int) (pool.Pool, error) {
		return pool.NewEdgePool(in, dim, pool.EdgePoolConfig{}), nil
	})
}

// NewHaarPool builds the model with pools to the low frequencies of a Haar basis.
func NewHaarPool(in nn.Init, d Dims, c HierarchicalConfig) (*Hierarchical, error) {
	return newHierarchical(in, d, c, c, "haarpool", false, func(nn.Init, int) (pool.Pool, error) {
		return pool.NewHaarPool(pool.HaarPoolConfig{}), nil
	})
}

// newHierarchical builds the model with a pool from newPool for each block. all are the settings to
// check. keepsEdges says that the pool keeps edge features.
func newHierarchical(in nn.Init, d Dims, c HierarchicalConfig, all interface{ Validate() error }, name string, keepsEdges bool,
	newPool func(in nn.Init, dim int) (pool.Pool, error)) (*Hierarchical, error) {
	if err := check(name, d, all); err != nil {
		return nil, err
	}
	m := &Hierarchical{}
	var err error
	if m.Convs, err = newConvs(in, d, c.Stack, c.NodeConv, d.Edge); err != nil {
		return nil, inModel(name, err)
	}
	for l := range c.Layers {
		if spec, _ := nn.FindConv(c.Conv); l > 0 && spec.Edges && !keepsEdges {
			m.Convs[l] = nn.NewGCN(in.In("convs", l), nn.ConvDims{In: c.Hidden, Out: c.Hidden}, nn.GCNConfig{})
		}
		p, err := newPool(in.In("pools", l), c.Hidden)
		if err != nil {
			return nil, inModel(name, err)
		}
		m.Pools = append(m.Pools, p)
	}
	m.Classifier = newClassifier(in.In("classifier"), 2*c.Hidden, d, c.Hidden, c.Dropout)
	return m, nil
}

// Params lists all parameters.
func (m *Hierarchical) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), nn.Each(m.Pools), m.Classifier)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Hierarchical) Forward(p *nn.Pass, b *graph.Batch) *Output {
	out := &Output{}
	v := b.View
	for l, conv := range m.Convs {
		r := m.Pools[l].Forward(p, v.WithX(convReLU(p, conv, v)))
		v = r.View
		out.Aux = added(out.Aux, r.Aux)
		sum := tensor.SegmentSum(v.X, v.VertexOf)
		read := tensor.Concat(1, tensor.MeanOfSum(sum, v.VertexOf), tensor.SegmentMax(v.X, v.VertexOf))
		out.GraphVec = added(out.GraphVec, read)
	}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}

// added returns the sum of two tensors. Each may be nil.
func added(a, b *tensor.Tensor) *tensor.Tensor {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.Add(b)
}
