package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperCluster is the paper's edge autoencoder (section 4.1, appendix B.1):
// hypergraph convolutions on the dual encode the edges, HyperCluster pools them
// to k vectors, the assignment spreads these back over the edges, and further
// convolutions decode the edge features. Node features are not used.
//
// Config.Layers convolutions encode and as many decode, with ReLU, then one
// without gives the output of width Config.Out. Parameter names are those of
// the authors' Model_HyperCluster.
type HyperCluster struct {
	Convs, Unconvs []*nn.HyperConv
	Pool           *pool.GMPool
	Last           *nn.HyperConv
}

// NewHyperCluster builds the model. Config.Clusters is k, at least 1.
func NewHyperCluster(c Config) (*HyperCluster, error) {
	if err := c.validate("hypercluster"); err != nil {
		return nil, err
	}
	if c.Clusters < 1 {
		return nil, fmt.Errorf("model: hypercluster: clusters is %d, expected at least 1", c.Clusters)
	}
	heads := max(c.Heads, 1)
	if c.Hidden%heads != 0 {
		return nil, fmt.Errorf("model: hypercluster: hidden is %d, expected a multiple of the %d heads", c.Hidden, heads)
	}
	return newHyperCluster(c, pool.MABConfig{Heads: heads, LayerNorm: c.LayerNorm, Cluster: true})
}

func newHyperCluster(c Config, mab pool.MABConfig) (*HyperCluster, error) {
	in := nn.NewInit(c.Seed)
	m := &HyperCluster{}
	width := c.EdgeDim
	for l := range c.Layers {
		m.Convs = append(m.Convs, nn.NewHyperConv(in.In("convs", l), nn.ConvDims{In: width, Out: c.Hidden}, nn.HyperConvConfig{}))
		m.Unconvs = append(m.Unconvs, nn.NewHyperConv(in.In("unconvs", l), nn.ConvDims{In: c.Hidden, Out: c.Hidden}, nn.HyperConvConfig{}))
		width = c.Hidden
	}
	var err error
	if m.Pool, err = pool.NewHyperCluster(in.In("pool"), pool.GMPoolDims{Dim: c.Hidden, Seeds: c.Clusters}, mab); err != nil {
		return nil, err
	}
	m.Last = nn.NewHyperConv(in.In("last"), nn.ConvDims{In: c.Hidden, Out: c.Out}, nn.HyperConvConfig{})
	return m, nil
}

// Params lists all parameters.
func (m *HyperCluster) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, c := range m.Convs {
		out = append(out, c.Params()...)
	}
	out = append(out, m.Pool.Params()...)
	for _, c := range m.Unconvs {
		out = append(out, c.Params()...)
	}
	return append(out, m.Last.Params()...)
}

// Forward reconstructs the edges of a batch: Output.Edge holds logits or
// values. Edge vectors are the encoder's, graph vectors the k pooled ones side
// by side.
func (m *HyperCluster) Forward(p *nn.Pass, b *graph.Batch) *Output {
	d := b.View.Dual()
	for _, c := range m.Convs {
		d = d.WithX(c.ForwardReLU(p, d))
	}
	out := &Output{EdgeVecs: []EdgeVec{{Rows: d.X}}}
	pooled, assign := m.Pool.Forward(p, d)
	out.Assign = assign
	out.GraphVec = pooled.Reshape(b.N, pooled.Dim(1)*pooled.Dim(2))
	d = d.WithX(pool.Unpool(pooled, assign, d.VertexOf))
	for _, c := range m.Unconvs {
		d = d.WithX(c.ForwardReLU(p, d))
	}
	out.Edge = m.Last.Forward(p, d)
	return out
}
