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
// and an MLP classifies the summed readout. Parameter names are those of the
// authors' Model_HyperDrop.
//
// Config.Conv and Config.EdgeConv name other layers in place of GCN and
// HyperConv, which makes "EHGNN with X" a setting; Conv must read edge weights,
// through which alone the scores learn.
type HyperDrop struct {
	Convs      []nn.Conv
	HyperConvs []nn.Conv // one fewer
	Drops      []*pool.HyperDrop
	Classifier *nn.MLP
}

// NewHyperDrop builds the model. Config.Ratio is the share of edges each drop
// keeps, in (0,1].
func NewHyperDrop(c Config) (*HyperDrop, error) {
	if err := c.validate("hyperdrop"); err != nil {
		return nil, err
	}
	keep := pool.Keep{Fraction: c.Ratio}
	if err := keep.Validate(); err != nil {
		return nil, fmt.Errorf("model: hyperdrop: ratio: %w", err)
	}
	in := nn.NewInit(c.Seed)
	m := &HyperDrop{}
	var err error
	if m.Convs, err = newWeightedConvs(in, c); err != nil {
		return nil, err
	}
	edgeIn := c.EdgeDim
	for l := range c.Layers - 1 {
		e, err := newEdgeConv(in.In("hyperconvs", l), c.EdgeConv, nn.ConvDims{In: edgeIn, Out: c.edgeHidden(), Edge: c.nodeDim(l), Heads: c.Heads})
		if err != nil {
			return nil, err
		}
		m.HyperConvs = append(m.HyperConvs, e)
		m.Drops = append(m.Drops, pool.NewHyperDrop(in.In("scoreconvs", l), c.edgeHidden(), keep))
		edgeIn = c.edgeHidden()
	}
	m.Classifier = newClassifier(in.In("classifier"), 3*c.Hidden, c)
	return m, nil
}

// newClassifier is the head all graph classifiers share: width -> hidden ->
// hidden/2 -> classes.
func newClassifier(in nn.Init, width int, c Config) *nn.MLP {
	return nn.NewMLP(in, nn.MLPConfig{Dims: []int{width, c.Hidden, max(c.Hidden/2, 1), c.Out}, Dropout: c.Dropout})
}

// Params lists all parameters.
func (m *HyperDrop) Params() []*tensor.Param {
	out := convParams(m.Convs)
	for l := range m.HyperConvs {
		out = append(out, nn.Params(m.HyperConvs[l], m.Drops[l])...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *HyperDrop) Forward(p *nn.Pass, b *graph.Batch) *Output {
	out := &Output{}
	v := b.View
	var ids []int32 // of the edges in v; nil for all
	for l, conv := range m.Convs {
		x := convReLU(p, conv, v)
		if l < len(m.HyperConvs) {
			e := convReLU(p, m.HyperConvs[l], v.Dual())
			drop := m.Drops[l].Forward(p, v.WithE(e))
			out.EdgeVecs = append(out.EdgeVecs, EdgeVec{IDs: ids, Rows: e})
			out.Drops = append(out.Drops, Drop{Entered: ids, Score: drop.Score, Kept: drop.Keep})
			ids = compose(ids, drop.Keep)
			v = drop.View
		}
		v = v.WithX(x)
		r := pool.MaxMeanSum(x, v.VertexOf)
		if out.GraphVec != nil {
			r = out.GraphVec.Add(r)
		}
		out.GraphVec, out.NodeVec = r, x
	}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
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
