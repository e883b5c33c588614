package model

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// densePool pools a graph, and then the dense result.
type densePool struct {
	first  func(p *nn.Pass, v graph.View) pool.Coarse
	second func(p *nn.Pass, d pool.Dense) pool.Coarse
	params []*tensor.Param
}

// Dense is the layout of DiffPool and MinCutPool: a convolution on the graph, a pool to
// DenseConfig.Clusters nodes, a dense convolution, a pool to a quarter of these nodes, a dense
// convolution. The means over nodes after each of the three convolutions are concatenated, and an
// MLP classifies them. The losses of the pools are added to the loss of the task.
type Dense struct {
	Conv         nn.Conv
	pools        densePool
	Conv1, Conv2 *pool.DenseGCN
	Classifier   *nn.MLP
}

// secondClusters is the number of clusters of the second pool.
func secondClusters(k int) int { return Share(0.25, k) }

// DenseConfig are the settings of a Dense.
type DenseConfig struct {
	Hidden  int     `json:"hidden"`
	Dropout float64 `json:"dropout"`
	NodeConv
	// Ratio gives Clusters as a share of the mean number of nodes, if it is not given.
	Ratio    float64 `json:"ratio"`
	Clusters int     `json:"clusters,omitempty"` // number of nodes after the first pool
}

// Validate checks all fields except the ratio, which only sets the clusters.
func (c DenseConfig) Validate() error {
	return firstError(c.stack().Validate(), c.NodeConv.Validate(), atLeast("clusters", c.Clusters, 1))
}

func (c DenseConfig) stack() Stack { return Stack{c.Hidden, 1, c.Dropout} }

func (c DenseConfig) ignores(name string) bool { return name == "heads" && !c.attends() }

func (c *DenseConfig) size(st Stats) { c.Clusters = cmp.Or(c.Clusters, Share(c.Ratio, st.MeanNodes())) }

// NewDiffPool builds the model with DiffPool. Both of its networks are GCNs.
func NewDiffPool(in nn.Init, d Dims, c DenseConfig) (*Dense, error) {
	return newDense(in, d, c, "diffpool", func(in nn.Init) densePool {
		a := pool.NewDiffPool(in.In("pools", 0), pool.DiffPoolDims{In: c.Hidden, Out: c.Hidden, Clusters: c.Clusters}, pool.DiffPoolConfig{})
		b := pool.NewDenseDiffPool(in.In("pools", 1), pool.DiffPoolDims{In: c.Hidden, Out: c.Hidden, Clusters: secondClusters(c.Clusters)}, pool.DiffPoolConfig{})
		return densePool{a.Forward, b.Forward, nn.Params(a, b)}
	})
}

// NewMinCutPool builds the model with MinCutPool.
func NewMinCutPool(in nn.Init, d Dims, c DenseConfig) (*Dense, error) {
	return newDense(in, d, c, "mincutpool", func(in nn.Init) densePool {
		a := pool.NewMinCutPool(in.In("pools", 0), pool.MinCutDims{Dim: c.Hidden, Clusters: c.Clusters}, pool.MinCutConfig{})
		b := pool.NewMinCutPool(in.In("pools", 1), pool.MinCutDims{Dim: c.Hidden, Clusters: secondClusters(c.Clusters)}, pool.MinCutConfig{})
		return densePool{a.Forward, b.ForwardDense, nn.Params(a, b)}
	})
}

func newDense(in nn.Init, d Dims, c DenseConfig, name string, pools func(in nn.Init) densePool) (*Dense, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	convs, err := newConvs(in, d, c.stack(), c.NodeConv, d.Edge)
	if err != nil {
		return nil, inModel(name, err)
	}
	square := nn.Dims{In: c.Hidden, Out: c.Hidden}
	return &Dense{Conv: convs[0], pools: pools(in), Conv1: pool.NewDenseGCN(in.In("convs", 1), square),
		Conv2: pool.NewDenseGCN(in.In("convs", 2), square), Classifier: newClassifier(in.In("classifier"), 3*c.Hidden, d, c.Hidden, c.Dropout)}, nil
}

// Params lists all parameters.
func (m *Dense) Params() []*tensor.Param {
	out := append(m.Conv.Params(), m.pools.params...)
	return append(out, nn.Params(m.Conv1, m.Conv2, m.Classifier)...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Dense) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	v = v.WithX(convReLU(p, m.Conv, v))
	first := m.pools.first(p, v)
	d := first.Dense.WithX(m.Conv1.Forward(p, first.Dense).ReLU())
	second := m.pools.second(p, d)
	last := second.Dense.WithX(m.Conv2.Forward(p, second.Dense).ReLU())
	out := &Output{NodeVec: v.X, Aux: added(first.Aux(), second.Aux())}
	out.GraphVec = tensor.Concat(1, tensor.SegmentMean(v.X, v.VertexOf), d.Mean(), last.Mean())
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
