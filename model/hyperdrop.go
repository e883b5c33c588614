package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Trunk has the layers of HyperDrop and related models, without readout and classifier.
type Trunk struct {
	Convs      []nn.Conv
	EdgeInit   *EndpointInit // see EdgeLayers.EdgeInit; may be nil
	HyperConvs []nn.Conv     // one fewer than Convs
	Drops      []pool.Pool   // one for each HyperConv
	// Virtual are the virtual nodes between the layers. It may be nil.
	Virtual []*nn.VirtualNode
}

// Forward runs node layers and edge layers in parallel. It returns the vectors of the nodes after
// every node layer, the remaining edges with their weights, and an output with what the layers
// learned.
func (t *Trunk) Forward(p *nn.Pass, b *graph.Batch) (xs []*tensor.Tensor, v graph.View, out *Output) {
	out = &Output{}
	v = b.View
	var ids []int32          // of the edges in v; nil means all
	var whole *tensor.Tensor // state of the virtual nodes
	for l, conv := range t.Convs {
		x := convReLU(p, conv, v)
		if l < len(t.HyperConvs) {
			if l == 0 {
				v = v.WithE(t.EdgeInit.Forward(p, v.WithX(x)))
			}
			e := convReLU(p, t.HyperConvs[l], v.Dual())
			drop := t.Drops[l].Forward(p, v.WithE(e))
			out.EdgeVecs = append(out.EdgeVecs, EdgeVec{IDs: ids, Rows: e})
			out.Drops = append(out.Drops, Drop{Entered: ids, Score: drop.Score, Kept: drop.Keep})
			if drop.Keep != nil {
				ids = compose(ids, drop.Keep)
			}
			v = drop.View
		}
		xs = append(xs, x)
		if l < len(t.Virtual) {
			x, whole = t.Virtual[l].Forward(p, x, whole, v.VertexOf)
		}
		v = v.WithX(x)
	}
	out.NodeVec = xs[len(xs)-1]
	return xs, v, out
}

// Params lists the parameters of all layers.
func (t *Trunk) Params() []*tensor.Param {
	out := nn.Params(nn.Each(t.Convs), t.EdgeInit)
	for l := range t.HyperConvs {
		out = append(out, nn.Params(t.HyperConvs[l], t.Drops[l])...)
	}
	return append(out, nn.Each(t.Virtual).Params()...)
}

// HyperDrop is the paper's graph classifier (section 3.2, appendix B.2). Node layers and edge
// layers run in parallel (Trunk.Forward). After each edge layer the edges with the lowest scores
// are dropped. The scores of the remaining edges weigh the messages of the next node layer:
//
//	x = ReLU(GCN_l(x, edges, w))                 node layer l
//	e = ReLU(HyperConv_l(e, dual))               edge layer l
//	edges, e, w = HyperDrop_l(e)                 all but the last layer
//	readout += max‖mean‖sum of x
//
// An MLP classifies the summed readout. Parameter names are those of the authors' Model_HyperDrop.
//
// The settings Conv and EdgeConv replace GCN and HyperConv with other layers: EHGNN with any
// convolution. Conv must read edge weights, because the scores only get gradients through them.
//
// On data without edge features the published form does not learn which edges to drop: see
// EdgesGiven. The form with EdgesFromEnds does.
type HyperDrop struct {
	Trunk
	Classifier *nn.MLP
}

// EHGNN is HyperDrop that keeps every edge: scores weigh edges and drop none. It is an ablation of
// the paper.
type EHGNN struct{ HyperDrop }

// RandDrop is HyperDrop that draws the kept edges at random. Their scores still weigh them. It is
// an ablation of the paper.
type RandDrop struct{ HyperDrop }

// EHGNNConfig are the settings of an EHGNN.
type EHGNNConfig struct {
	Stack
	NodeConv
	EdgeLayers
	Scoring
}

// HyperDropConfig are the settings of a HyperDrop and of a RandDrop.
type HyperDropConfig struct {
	EHGNNConfig
	Ratio float64 `json:"ratio"` // share of edges that each pool keeps, in (0,1]
}

// Scoring are the settings between the layers.
type Scoring struct {
	// Score is how edges are weighed: ScoreTanh (the default) or ScoreSigmoid.
	Score string `json:"score,omitempty"`
	// VirtualNode puts an nn.VirtualNode between the node layers.
	VirtualNode bool `json:"virtual_node,omitempty"`
}

// Values of Scoring.Score: how the scores of kept edges become their weights.
const (
	ScoreTanh    = "tanh"    // tanh, clamped at 0, as published
	ScoreSigmoid = "sigmoid" // positive and with a gradient everywhere
)

// checkScore checks the name of a Score.
func checkScore(name string) error { return checkOneOf("score", name, ScoreTanh, ScoreSigmoid) }

// Validate checks all fields.
func (c EHGNNConfig) Validate() error {
	return firstError(c.Stack.Validate(), c.NodeConv.Validate(), c.EdgeLayers.Validate(), checkScore(c.Score))
}

// Validate checks all fields.
func (c HyperDropConfig) Validate() error {
	return firstError(c.EHGNNConfig.Validate(), checkRatio(c.Ratio))
}

func (c EHGNNConfig) ignores(name string) bool {
	return name == "heads" && !c.NodeConv.attends() && !c.EdgeLayers.attends()
}

// NewHyperDrop builds the model.
func NewHyperDrop(in nn.Init, d Dims, c HyperDropConfig) (*HyperDrop, error) {
	return newSummed(in, d, c, "hyperdrop", newScored)
}

// NewEHGNN builds the model.
func NewEHGNN(in nn.Init, d Dims, c EHGNNConfig) (*EHGNN, error) {
	m, err := newSummed(in, d, HyperDropConfig{c, 1}, "ehgnn", newScored)
	if err != nil {
		return nil, err
	}
	return &EHGNN{*m}, nil
}

// NewRandDrop builds the model.
func NewRandDrop(in nn.Init, d Dims, c HyperDropConfig) (*RandDrop, error) {
	m, err := newSummed(in, d, c, "randdrop", newRandom)
	if err != nil {
		return nil, err
	}
	return &RandDrop{*m}, nil
}

// newDrop builds the pool after an edge layer of width dim.
type newDrop func(in nn.Init, dim int, c pool.HyperDropPoolConfig) (pool.Pool, error)

// newScored builds the pool that keeps the edges with the highest scores.
func newScored(in nn.Init, dim int, c pool.HyperDropPoolConfig) (pool.Pool, error) {
	return pool.NewHyperDropPool(in, dim, c)
}

// newRandom builds the pool that keeps random edges.
func newRandom(in nn.Init, dim int, c pool.HyperDropPoolConfig) (pool.Pool, error) {
	return pool.NewRandDropPool(in, dim, c)
}

// scoredBy describes a pool that keeps a share of the edges and weighs them by their scores. score
// is ScoreTanh (or empty) or ScoreSigmoid.
func scoredBy(ratio float64, score string) pool.HyperDropPoolConfig {
	return pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: ratio}, Sigmoid: score == ScoreSigmoid}
}

// newSummed builds the model that classifies the summed readout. name is for errors.
func newSummed(in nn.Init, d Dims, c HyperDropConfig, name string, drop newDrop) (*HyperDrop, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	t, err := newTrunk(in, d, c, drop)
	if err != nil {
		return nil, inModel(name, err)
	}
	return &HyperDrop{*t, newClassifier(in.In("classifier"), 3*c.Hidden, d, c.Hidden, c.Dropout)}, nil
}

// newTrunk builds the layers from checked settings.
func newTrunk(in nn.Init, d Dims, c HyperDropConfig, drop newDrop) (*Trunk, error) {
	width := widthOr(c.EdgeHidden, c.Hidden)
	t := &Trunk{}
	var err error
	if t.Convs, err = newWeightedConvs(in, d, c.Stack, c.NodeConv, width); err != nil {
		return nil, err
	}
	edgeIn := d.Edge
	if c.Layers > 1 {
		t.EdgeInit, edgeIn = newEndpointInit(in, c.EdgeInit, c.Hidden, d.Edge, width)
	}
	for l := range c.Layers - 1 {
		e, err := newEdgeConv(in.In("hyperconvs", l), c.EdgeConv, nn.ConvDims{In: edgeIn, Out: width, Edge: c.Stack.in(l, d.Node), Heads: c.Heads})
		if err != nil {
			return nil, err
		}
		t.HyperConvs = append(t.HyperConvs, e)
		p, err := drop(in.In("scoreconvs", l), width, scoredBy(c.Ratio, c.Score))
		if err != nil {
			return nil, err
		}
		t.Drops = append(t.Drops, p)
		if c.VirtualNode {
			t.Virtual = append(t.Virtual, nn.NewVirtualNode(in.In("virtualnodes", l), c.Hidden))
		}
		edgeIn = width
	}
	return t, nil
}

// Params lists all parameters.
func (m *HyperDrop) Params() []*tensor.Param { return nn.Params(&m.Trunk, m.Classifier) }

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *HyperDrop) Forward(p *nn.Pass, b *graph.Batch) *Output {
	xs, v, out := m.Trunk.Forward(p, b)
	out.GraphVec = summed(xs, v.VertexOf)
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}

// summed is the sum over layers of max‖mean‖sum of the nodes.
func summed(xs []*tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	r := pool.MaxMeanSum(xs[0], of)
	for _, x := range xs[1:] {
		r = r.Add(pool.MaxMeanSum(x, of))
	}
	return r
}

// newClassifier is the head that all graph classifiers share: width -> hidden -> hidden/2 ->
// classes.
func newClassifier(in nn.Init, width int, d Dims, hidden int, dropout float64) *nn.MLP {
	return nn.NewMLP(in, nn.MLPDims{In: width, Hidden: []int{hidden, max(hidden/2, 1)}, Out: d.Out}, nn.MLPConfig{Dropout: dropout})
}

// compose selects from ids. nil is the identity.
func compose(ids, keep []int32) []int32 {
	if ids == nil {
		return keep
	}
	return lists.Take(ids, keep)
}
