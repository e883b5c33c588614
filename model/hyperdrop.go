package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperDrop is the paper's graph classifier (section 3.2, appendix B.2). Node
// layers and edge layers run side by side; after each edge layer the
// lowest-scored edges are dropped, and the scores of the rest weigh the messages
// of the next node layer:
//
//	x = ReLU(GCN_l(x, edges, w))                 node layer l
//	e = ReLU(HyperConv_l(e, dual))               edge layer l
//	edges, e, w = HyperDrop_l(e)                 all but the last layer
//	readout += max‖mean‖sum of x
//
// and an MLP classifies the summed readout; with GMT set, that pools the nodes
// instead. Parameter names are those of the
// authors' Model_HyperDrop.
//
// Config.Conv and Config.EdgeConv name other layers in place of GCN and
// HyperConv, which makes "EHGNN with X" a setting; Conv must read edge weights,
// through which alone the scores learn.
//
// On data without edge features the published form does not learn which edges to
// drop: see EdgesGiven, and EdgesFromEnds for one that does.
type HyperDrop struct {
	Convs      []nn.Conv
	EdgeInit   *EndInit    // of Config.EdgeInit; nil for edges that start as given
	HyperConvs []nn.Conv   // one fewer
	Drops      []pool.Pool // as many as edge layers
	// Virtual are the virtual nodes between the layers; nil for none.
	Virtual    []*nn.VirtualNode
	GMT        *pool.GMTPool // in place of the summed readout; nil for that
	Classifier *nn.MLP
}

// NewHyperDrop builds the model. Config.Ratio is the share of edges each drop
// keeps, in (0,1].
func NewHyperDrop(c Config) (*HyperDrop, error) { return newSummed(c, "hyperdrop", byScore) }

// NewEHGNN is NewHyperDrop with every edge kept, whatever Config.Ratio is: the
// paper's ablation, in which scores weigh edges and drop none.
func NewEHGNN(c Config) (*HyperDrop, error) {
	c.Ratio = 1
	return newSummed(c, "ehgnn", byScore)
}

// NewRandDrop is NewHyperDrop with the kept edges left to chance, the paper's
// ablation.
func NewRandDrop(c Config) (*HyperDrop, error) { return newSummed(c, "randdrop", atRandom) }

// NewGCNSummed is NewHyperDrop without its edge layers: node layers and the summed
// readout, which tells what EHGNN adds from what the readout does.
func NewGCNSummed(c Config) (*HyperDrop, error) {
	if err := c.validate("gcn-summed"); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	convs, err := newConvs(in, c.Conv, c, c.EdgeDim)
	if err != nil {
		return nil, err
	}
	return &HyperDrop{Convs: convs, Classifier: newClassifier(in.In("classifier"), 3*c.Hidden, c)}, nil
}

// Values of Config.Score: how the scores of kept edges become their weights.
const (
	ScoreTanh    = "tanh"    // tanh, cut off below 0, as published
	ScoreSigmoid = "sigmoid" // positive and with a gradient everywhere
)

// checkScore checks the name of a kind of weights.
func checkScore(name string) error {
	switch name {
	case "", ScoreTanh, ScoreSigmoid:
		return nil
	}
	return fmt.Errorf("score is %q, expected %s or %s", name, ScoreTanh, ScoreSigmoid)
}

// scored describes a pool that weighs edges as c says.
func scored(c Config, keep pool.Keep) pool.HyperDropPoolConfig {
	return pool.HyperDropPoolConfig{Keep: keep, Sigmoid: c.Score == ScoreSigmoid}
}

// byScore is the paper's drop.
func byScore(c Config, in nn.Init, dim int, keep pool.Keep) (pool.Pool, error) {
	return pool.NewHyperDropPool(in, dim, scored(c, keep))
}

// atRandom is the drop of the ablation.
func atRandom(c Config, in nn.Init, dim int, keep pool.Keep) (pool.Pool, error) {
	return pool.NewRandDropPool(in, dim, scored(c, keep))
}

// newSummed builds the model that classifies the summed readout.
func newSummed(c Config, name string, drop newDrop) (*HyperDrop, error) {
	m, err := newHyperDrop(c, name, drop)
	if err != nil {
		return nil, err
	}
	m.Classifier = newClassifier(nn.NewInit(c.Seed).In("classifier"), 3*c.Hidden, c)
	return m, nil
}

// NewHyperDropGMT is HyperDrop with the node pooling of GMT over the outputs of
// all node layers side by side, on the edges and weights of the last one (paper,
// appendix C.3). Config.Clusters is the number of seeds of GMT's first pool.
func NewHyperDropGMT(c Config) (*HyperDrop, error) {
	m, err := newHyperDrop(c, "hyperdrop-gmt", byScore)
	if err != nil {
		return nil, err
	}
	if c.Clusters < 1 {
		return nil, fmt.Errorf("model: hyperdrop-gmt: clusters is %d, expected at least 1", c.Clusters)
	}
	in := nn.NewInit(c.Seed)
	m.GMT, err = pool.NewGMTPool(in.In("pools"), nn.Dims{In: c.Layers * c.Hidden, Out: c.Hidden}, pool.GMTPoolConfig{
		Blocks: pool.GMTBlocks(c.Clusters), MAB: pool.MABConfig{Heads: c.Heads, LayerNorm: c.LayerNorm, Cluster: true}})
	if err != nil {
		return nil, fmt.Errorf("model: hyperdrop-gmt: %w", err)
	}
	m.Classifier = newClassifier(in.In("classifier"), c.Hidden, c)
	return m, nil
}

// newDrop builds the pool after an edge layer of width dim.
type newDrop func(c Config, in nn.Init, dim int, keep pool.Keep) (pool.Pool, error)

// newHyperDrop builds all but the classifier; errors call the model by name.
func newHyperDrop(c Config, name string, drop newDrop) (*HyperDrop, error) {
	if err := c.validate(name); err != nil {
		return nil, err
	}
	keep := pool.Keep{Fraction: c.Ratio}
	if err := keep.Validate(); err != nil {
		return nil, fmt.Errorf("model: %s: ratio: %w", name, err)
	}
	in := nn.NewInit(c.Seed)
	m := &HyperDrop{}
	var err error
	if m.Convs, err = newWeightedConvs(in, name, c); err != nil {
		return nil, err
	}
	edgeIn := c.EdgeDim
	if c.Layers > 1 {
		m.EdgeInit, edgeIn = newEndInit(in, c)
	}
	for l := range c.Layers - 1 {
		e, err := newEdgeConv(in.In("hyperconvs", l), c.EdgeConv, nn.ConvDims{In: edgeIn, Out: c.edgeHidden(), Edge: c.nodeDim(l), Heads: c.Heads})
		if err != nil {
			return nil, err
		}
		m.HyperConvs = append(m.HyperConvs, e)
		d, err := drop(c, in.In("scoreconvs", l), c.edgeHidden(), keep)
		if err != nil {
			return nil, err
		}
		m.Drops = append(m.Drops, d)
		if c.VirtualNode {
			m.Virtual = append(m.Virtual, nn.NewVirtualNode(in.In("virtualnodes", l), c.Hidden))
		}
		edgeIn = c.edgeHidden()
	}
	return m, nil
}

// newClassifier is the head all graph classifiers share: width -> hidden ->
// hidden/2 -> classes.
func newClassifier(in nn.Init, width int, c Config) *nn.MLP {
	return nn.NewMLP(in, nn.MLPDims{In: width, Hidden: []int{c.Hidden, max(c.Hidden/2, 1)}, Out: c.Out}, nn.MLPConfig{Dropout: c.Dropout})
}

// Params lists all parameters.
func (m *HyperDrop) Params() []*tensor.Param {
	out := append(convParams(m.Convs), m.EdgeInit.Params()...)
	for l := range m.HyperConvs {
		out = append(out, nn.Params(m.HyperConvs[l], m.Drops[l])...)
	}
	for _, g := range m.Virtual {
		out = append(out, g.Params()...)
	}
	if m.GMT != nil {
		out = append(out, m.GMT.Params()...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *HyperDrop) Forward(p *nn.Pass, b *graph.Batch) *Output {
	out := &Output{}
	v := b.View
	var ids []int32          // of the edges in v; nil for all
	var whole *tensor.Tensor // what the virtual nodes hold
	var xs []*tensor.Tensor
	for l, conv := range m.Convs {
		x := convReLU(p, conv, v)
		if l < len(m.HyperConvs) {
			if l == 0 {
				v = v.WithE(m.EdgeInit.Forward(p, v.WithX(x)))
			}
			e := convReLU(p, m.HyperConvs[l], v.Dual())
			drop := m.Drops[l].Forward(p, v.WithE(e))
			out.EdgeVecs = append(out.EdgeVecs, EdgeVec{IDs: ids, Rows: e})
			out.Drops = append(out.Drops, Drop{Entered: ids, Score: drop.Score, Kept: drop.Keep})
			if drop.Keep != nil {
				ids = compose(ids, drop.Keep)
			}
			v = drop.View
		}
		xs = append(xs, x)
		if l < len(m.Virtual) {
			x, whole = m.Virtual[l].Forward(p, x, whole, v.VertexOf)
		}
		v = v.WithX(x)
	}
	out.NodeVec = xs[len(xs)-1]
	out.GraphVec, out.Attention = m.readout(p, v, xs)
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}

// readout is the sum over layers of max‖mean‖sum, or GMT of all layers.
func (m *HyperDrop) readout(p *nn.Pass, v graph.View, xs []*tensor.Tensor) (*tensor.Tensor, []pool.Attention) {
	if m.GMT != nil {
		return m.GMT.Forward(p, v.WithX(tensor.Concat(1, xs...)))
	}
	r := pool.MaxMeanSum(xs[0], v.VertexOf)
	for _, x := range xs[1:] {
		r = r.Add(pool.MaxMeanSum(x, v.VertexOf))
	}
	return r, nil
}

// compose selects from ids, where nil stands for the identity.
func compose(ids, keep []int32) []int32 {
	if ids == nil {
		return keep
	}
	out := make([]int32, len(keep))
	for i, k := range keep {
		out[i] = ids[k]
	}
	return out
}
