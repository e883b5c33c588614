package model

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperCluster is the paper's edge autoencoder (section 4.1, appendix B.1). Hypergraph convolutions
// on the dual encode the edges, HyperCluster pools them to k vectors, the assignment spreads these
// over the edges again, and more convolutions decode the edge features. Node features are not used.
//
// HyperClusterConfig.Layers convolutions encode and the same number decode, with ReLU. One more
// without ReLU gives the output of width Dims.Out. Parameter names are those of the authors'
// Model_HyperCluster.
type HyperCluster struct {
	Convs, Unconvs []*nn.HyperConv
	Pool           *pool.GMPool
	Last           *nn.HyperConv
}

// HyperClusterConfig are the settings of a HyperCluster.
type HyperClusterConfig struct {
	Hidden int `json:"hidden"`
	Layers int `json:"layers"` // of the encoder; the decoder has one more
	// Ratio gives Clusters as a share of the mean number of arcs, if it is not given.
	Ratio     float64 `json:"ratio"`
	Clusters  int     `json:"clusters,omitempty"` // k, at least 1
	Heads     int     `json:"heads,omitempty"`    // of the pool, dividing hidden; 1 when 0
	LayerNorm bool    `json:"layer_norm,omitempty"`
	SeedScale float64 `json:"seed_scale,omitempty"` // see pool.MABConfig
}

// Validate checks all fields except the ratio, which only sets the clusters.
func (c HyperClusterConfig) Validate() error {
	return checkClusters("clusters", c.Clusters, Stack{c.Hidden, c.Layers, 0}, c.Heads, c.SeedScale)
}

func (c *HyperClusterConfig) size(st Stats) {
	c.Clusters = cmp.Or(c.Clusters, st.EdgeClusters(c.Ratio))
}

// NewHyperCluster builds the model.
func NewHyperCluster(in nn.Init, d Dims, c HyperClusterConfig) (*HyperCluster, error) {
	if err := check("hypercluster", d, c); err != nil {
		return nil, err
	}
	return newHyperCluster(in, d, c, pool.MABConfig{Heads: max(c.Heads, 1), LayerNorm: c.LayerNorm, Cluster: true, SeedScale: c.SeedScale})
}

// newHyperCluster builds the model with the given attention.
func newHyperCluster(in nn.Init, d Dims, c HyperClusterConfig, mab pool.MABConfig) (*HyperCluster, error) {
	m := &HyperCluster{}
	width := d.Edge
	for l := range c.Layers {
		m.Convs = append(m.Convs, nn.NewHyperConv(in.In("convs", l), nn.ConvDims{In: width, Out: c.Hidden}, nn.HyperConvConfig{}))
		m.Unconvs = append(m.Unconvs, nn.NewHyperConv(in.In("unconvs", l), nn.ConvDims{In: c.Hidden, Out: c.Hidden}, nn.HyperConvConfig{}))
		width = c.Hidden
	}
	var err error
	if m.Pool, err = pool.NewHyperCluster(in.In("pool"), pool.GMPoolDims{Dim: c.Hidden, Seeds: c.Clusters}, mab); err != nil {
		return nil, inModel("hypercluster", err)
	}
	m.Last = nn.NewHyperConv(in.In("last"), nn.ConvDims{In: c.Hidden, Out: d.Out}, nn.HyperConvConfig{})
	return m, nil
}

// Params lists all parameters.
func (m *HyperCluster) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.Pool, nn.Each(m.Unconvs), m.Last)
}

// Forward reconstructs the edges of a batch: Output.Edge holds logits or values. Edge vectors are
// those of the encoder. The vector of a graph is its k pooled vectors, concatenated.
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
