package model

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// EdgeCluster is HyperCluster instead of HyperDrop, the ablation of the paper's graph classifier.
// Edge layers on the dual run in parallel with node layers. HyperCluster pools the edges to
// EdgeClusterConfig.Clusters vectors, and these to one vector. The classifier reads it together
// with the summed max‖mean‖sum of the node layers. The paper only names the variant; the
// arrangement is this project's.
type EdgeCluster struct {
	Convs      []nn.Conv
	EdgeInit   *EndpointInit // see EdgeLayers.EdgeInit; may be nil
	HyperConvs []nn.Conv
	Pool       *pool.GMPool // edges to clusters
	Last       *pool.GMPool // clusters to one vector
	Classifier *nn.MLP
}

// EdgeClusterConfig are the settings of an EdgeCluster. Its pools also read Heads.
type EdgeClusterConfig struct {
	Stack
	NodeConv
	EdgeLayers
	// Ratio gives Clusters as a share of the mean number of arcs, if it is not given.
	Ratio     float64 `json:"ratio"`
	Clusters  int     `json:"clusters,omitempty"` // at least 1
	LayerNorm bool    `json:"layer_norm,omitempty"`
}

// Validate checks all fields except the ratio, which only sets the clusters.
func (c EdgeClusterConfig) Validate() error {
	return firstError(c.Stack.Validate(), c.NodeConv.Validate(), c.EdgeLayers.Validate(), atLeast("clusters", c.Clusters, 1),
		checkDivides("the width of edges", widthOr(c.EdgeHidden, c.Hidden), c.Heads))
}

func (c *EdgeClusterConfig) size(st Stats) { c.Clusters = cmp.Or(c.Clusters, st.EdgeClusters(c.Ratio)) }

// NewEdgeCluster builds the model.
func NewEdgeCluster(in nn.Init, d Dims, c EdgeClusterConfig) (*EdgeCluster, error) {
	const name = "hypercluster-graph"
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	width := widthOr(c.EdgeHidden, c.Hidden)
	m := &EdgeCluster{}
	var err error
	if m.Convs, err = newConvs(in, d, c.Stack, c.NodeConv, d.Edge); err != nil {
		return nil, inModel(name, err)
	}
	var edgeIn int
	m.EdgeInit, edgeIn = newEndpointInit(in, c.EdgeInit, c.Hidden, d.Edge, width)
	for l := range c.Layers {
		e, err := newEdgeConv(in.In("hyperconvs", l), c.EdgeConv, nn.ConvDims{In: edgeIn, Out: width, Edge: d.Node, Heads: c.Heads})
		if err != nil {
			return nil, inModel(name, err)
		}
		m.HyperConvs = append(m.HyperConvs, e)
		edgeIn = width
	}
	mab := pool.MABConfig{Heads: max(c.Heads, 1), LayerNorm: c.LayerNorm, Cluster: true}
	if m.Pool, err = pool.NewHyperCluster(in.In("pool"), pool.GMPoolDims{Dim: width, Seeds: c.Clusters}, mab); err != nil {
		return nil, inModel(name, err)
	}
	mab.Cluster = false
	if m.Last, err = pool.NewGMPool(in.In("last"), pool.GMPoolDims{Dim: width, Seeds: 1}, mab); err != nil {
		return nil, inModel(name, err)
	}
	m.Classifier = newClassifier(in.In("classifier"), 3*c.Hidden+width, d, c.Hidden, c.Dropout)
	return m, nil
}

// Params lists all parameters.
func (m *EdgeCluster) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.EdgeInit, nn.Each(m.HyperConvs), m.Pool, m.Last, m.Classifier)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *EdgeCluster) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v, d := b.View, b.View.Dual()
	out := &Output{}
	var read *tensor.Tensor
	for l, conv := range m.Convs {
		v = v.WithX(convReLU(p, conv, v))
		if l == 0 {
			d = d.WithX(m.EdgeInit.Forward(p, v))
		}
		d = d.WithX(convReLU(p, m.HyperConvs[l], d))
		r := pool.MaxMeanSum(v.X, v.VertexOf)
		if read != nil {
			r = read.Add(r)
		}
		read = r
	}
	clusters, assign := m.Pool.Forward(p, d)
	out.Assign = assign
	samples, k := clusters.Dim(0), clusters.Dim(1)
	of := make([]int32, samples*k)
	for i := range of {
		of[i] = int32(i / k)
	}
	one, _ := m.Last.Forward(p, graph.View{X: clusters.Reshape(samples*k, -1), VertexOf: tensor.MustIndex(of, samples)})
	out.NodeVec, out.EdgeVecs = v.X, []EdgeVec{{Rows: d.X}}
	out.GraphVec = tensor.Concat(1, read, one.Reshape(samples, -1))
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
