package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// A Variant is a form of DeepHyperDrop.
type Variant int

const (
	// Published includes the self-loops of nodes in the edges that are scored and dropped.
	Published Variant = iota
	// Random is Published, but draws the kept edges at random. Scores still weigh them.
	Random
	// Loops makes every layer add a self-loop of weight 1 to each node, as GCN does. A node then
	// keeps its own message after any number of drops.
	Loops
	// Hold is Loops with one change. After the first drop, a layer only updates nodes that an edge
	// leads to; other nodes keep their features. So each node has its own depth, which the scores
	// learn, and gradients reach the first layers through any number of layers. Edges are also
	// dropped in evaluation, so that the same nodes are held there.
	Hold
)

// variantNames are the names of the variants in the registry.
var variantNames = [...]string{Published: "deep-hyperdrop", Random: "deep-randdrop", Loops: "deep-hyperdrop-loops", Hold: "deep-hyperdrop-hold"}

// String is the name of the variant in the registry.
func (v Variant) String() string {
	if v < 0 || int(v) >= len(variantNames) {
		return fmt.Sprintf("Variant(%d)", int(v))
	}
	return variantNames[v]
}

// DeepHyperDropConfig are the settings of a DeepHyperDrop.
type DeepHyperDropConfig struct {
	Stack
	EdgeHidden int `json:"edge_hidden"` // width of edge vectors; 0 means hidden
	// Ratio is the share of edges that each drop keeps, in (0,1]. The paper uses 0.8.
	Ratio float64 `json:"ratio"`
	// Score is how edges are weighed: ScoreTanh (the default) or ScoreSigmoid.
	Score string `json:"score,omitempty"`
	// InitGain multiplies the initial weights of the node layers, as nn.Init.Gain. 0 means 1.
	InitGain float64 `json:"init_gain,omitempty"`
	// Variant is set by the model's name; it is not a setting.
	Variant Variant `json:"-"`
}

// Validate checks all fields.
func (c DeepHyperDropConfig) Validate() error {
	if c.Variant < 0 || int(c.Variant) >= len(variantNames) {
		return fmt.Errorf("variant is %d, expected 0 to %d", c.Variant, len(variantNames)-1)
	}
	return firstError(c.Stack.Validate(), atLeast("edge_hidden", c.EdgeHidden, 0), checkRatio(c.Ratio),
		checkScore(c.Score), checkScale("init_gain", c.InitGain))
}

// DeepHyperDrop classifies the nodes of one graph by a deep stack of GCNs in which HyperDrop
// removes edges (paper, section 4.3 and appendix C.4):
//
//	x = ReLU(GCN_l(dropout(x), edges, w))               node layer l
//	e = x_u ‖ x_v for edge (u,v)                        at l = 0
//	e = dropout(ReLU(HyperConv_l(e, dual)))             edge layer l
//	edges, e, z = HyperDrop_l(e)                        where l mod 4 = 1
//	w = D^-1/2·clamp(z, 1e-4, 1)·D^-1/2
//
// The last GCN gives the logits. In training a drop keeps Ratio of the edges. In evaluation all
// edges stay, weighted by the same scores. Before the first drop w is D^-1/2·A·D^-1/2. With up to
// two layers there is no drop, and this is a GCN. With Hold, evaluation drops edges like training,
// and after the first drop x_v does not change if no edge leads to v.
//
// Input: node features [n,Dims.Node] and a directed graph with both arcs of every edge and a
// self-loop at every node (ArcsAndLoops). The layers add no loops: the loops are edges that can be
// dropped. With Loops and Hold the graph must have no loops (ArcsAlone). Edge features of the batch
// are not read. Weights of the batch (nil means ones) are part of the first normalisation. Output:
// logits [n,Dims.Out] in Output.Node, and EdgeVecs and Drops up to the last drop, with edges by
// their number in the batch. The model also runs on an undirected graph. The order of an edge's
// ends is then the order of their features.
//
// Parameter names are those of the authors' Model_HyperDrop_Node, which has a scorer for every edge
// layer. Scorers of layers without a drop, and edge layers after the last drop, are never used and
// never learn.
//
// In the registry each Variant has its own name: deep-hyperdrop, deep-randdrop,
// deep-hyperdrop-loops and deep-hyperdrop-hold.
type DeepHyperDrop struct {
	Convs      []nn.Conv
	HyperConvs []nn.Conv   // one fewer than Convs
	Drops      []pool.Pool // one for each edge layer; every fourth is used
	Dropout    float64
	Variant    Variant
	// First sets the edge weights before the first drop. nil means the paper's weights,
	// D^-1/2·A·D^-1/2. The authors' code uses only the indices of the normalised adjacency matrix,
	// and so sums neighbours without degrees there. This is
	//
	//	First = func(v graph.View) graph.View { return v.WithW(nil) }
	//
	// With Loops and Hold the layers normalise any weights.
	First func(v graph.View) graph.View
}

// deepFloor is the least weight of an edge in DeepHyperDrop. With 0 a node could lose every
// message, even its own.
const deepFloor = 1e-4

// dropsAfter reports whether DeepHyperDrop drops edges after edge layer l.
func dropsAfter(l int) bool { return l%4 == 1 }

// NewDeepHyperDrop builds the model.
func NewDeepHyperDrop(in nn.Init, d Dims, c DeepHyperDropConfig) (*DeepHyperDrop, error) {
	if err := check(c.Variant.String(), d, c); err != nil {
		return nil, err
	}
	m := &DeepHyperDrop{Dropout: c.Dropout, Variant: c.Variant}
	m.Convs = newDeepConvs(in, d, c.Stack, c.InitGain, nn.GCNConfig{NoNormalize: !m.loops(), NoLoops: !m.loops()})
	scored := scoredBy(c.Ratio, c.Score)
	scored.Floor, scored.TrainOnly = deepFloor, c.Variant != Hold
	newPool := newScored
	if c.Variant == Random {
		newPool = newRandom
	}
	entering, width := 2*c.Hidden, widthOr(c.EdgeHidden, c.Hidden)
	for l := range c.Layers - 1 {
		m.HyperConvs = append(m.HyperConvs, nn.NewHyperConv(in.In("hyperconvs", l), nn.ConvDims{In: entering, Out: width}, nn.HyperConvConfig{}))
		drop, err := newPool(in.In("scoreconvs", l), width, scored)
		if err != nil {
			return nil, inModel(c.Variant.String(), err)
		}
		m.Drops = append(m.Drops, drop)
		entering = width
	}
	return m, nil
}

// loops reports whether the layers add self-loops and normalise by degrees themselves.
func (m *DeepHyperDrop) loops() bool { return m.Variant == Loops || m.Variant == Hold }

// Params lists all parameters.
func (m *DeepHyperDrop) Params() []*tensor.Param {
	out := nn.Each(m.Convs).Params()
	for l := range m.HyperConvs {
		out = append(out, nn.Params(m.HyperConvs[l], m.Drops[l])...)
	}
	return out
}

// Forward classifies the nodes of a batch: Output.Node holds logits.
func (m *DeepHyperDrop) Forward(p *nn.Pass, b *graph.Batch) *Output {
	first := m.First
	if first == nil {
		first = m.normalise
	}
	v := first(b.View)
	var ids []int32 // of the edges in v; nil means all
	var vecs []EdgeVec
	var drops []Drop
	var moved, held *tensor.Tensor // [n,1], nil while every node is updated
	last, edgeLayers := len(m.Convs)-1, m.edgeLayers()
	for l, conv := range m.Convs[:last] {
		v = v.WithX(p.Tape.Bind(v.X))
		x := convReLU(p, conv, v.WithX(nn.Dropout(p, v.X, m.Dropout)))
		if moved != nil {
			x = x.Mul(moved).Add(v.X.Mul(held))
		}
		v = v.WithX(x)
		if l >= edgeLayers {
			continue
		}
		if l == 0 {
			v = v.WithE(endFeatures(v))
		}
		e := convReLU(p, m.HyperConvs[l], v.Dual())
		vecs = append(vecs, EdgeVec{IDs: ids, Rows: e})
		v = v.WithE(nn.Dropout(p, e, m.Dropout))
		if dropsAfter(l) {
			drop := m.Drops[l].Forward(p, v)
			drops = append(drops, Drop{Entered: ids, Score: drop.Score, Kept: drop.Keep})
			if drop.Keep != nil {
				ids = compose(ids, drop.Keep)
			}
			v = m.normalise(drop.View)
			if m.Variant == Hold {
				moved, held = reached(v)
			}
		}
	}
	out := nodeOutput(p, m.Convs[last], v, m.Dropout)
	out.EdgeVecs, out.Drops = vecs, drops
	return out
}

// normalise divides the weights of edges by the roots of degrees, if the layers do not do so.
func (m *DeepHyperDrop) normalise(v graph.View) graph.View {
	if m.loops() {
		return v
	}
	return v.WithW(nn.SymmetricWeights(v))
}

// reached returns moved [n,1], which is 1 for nodes that an edge leads to and 0 for others, and
// held = 1 - moved. Self-loops do not count.
func reached(v graph.View) (moved, held *tensor.Tensor) {
	a, _ := v.H.Adjacency() // the previous GCN has checked that there is one
	n := v.H.NumVertices()
	moved, held = tensor.New(n, 1), tensor.New(n, 1)
	for node := range n {
		if lo, hi := a.Messages.Row(node); lo < hi {
			moved.Data()[node] = 1
		} else {
			held.Data()[node] = 1
		}
	}
	return moved, held
}

// ArcsAndLoops returns g in the form of the authors' node classification: both arcs of every edge
// and a self-loop at every node, sorted by (source, target). A node keeps its own loops; a node
// without a loop gets one. Edge features become the constant 1, because an added loop has no
// features. Edge labels and targets are left out. The other fields are shared with g.
func ArcsAndLoops(g *graph.Graph) (*graph.Graph, error) {
	arcs := g.Arcs()
	out := *arcs
	looped := make([]bool, g.NumNodes)
	for e := range arcs.NumEdges() {
		if u := arcs.Ends[2*e]; u == arcs.Ends[2*e+1] {
			looped[u] = true
		}
	}
	pairs := make([][2]int32, 0, arcs.NumEdges()+g.NumNodes)
	for e := range arcs.NumEdges() {
		pairs = append(pairs, [2]int32{arcs.Ends[2*e], arcs.Ends[2*e+1]})
	}
	for v, has := range looped {
		if !has {
			pairs = append(pairs, [2]int32{int32(v), int32(v)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	out.Ends = make([]int32, 0, 2*len(pairs))
	for _, p := range pairs {
		out.Ends = append(out.Ends, p[0], p[1])
	}
	out.Edge, out.EdgeLabel, out.EdgeTargets = graph.Ones(len(pairs)), nil, nil
	return graph.New(out)
}

// ArcsAlone returns g with both arcs of every edge and without self-loops, for models whose layers
// add them. As in ArcsAndLoops, edge features become the constant 1, and labels and targets are
// left out.
func ArcsAlone(g *graph.Graph) (*graph.Graph, error) {
	arcs := g.Arcs()
	out := *arcs
	out.Ends = make([]int32, 0, len(arcs.Ends))
	for e := range arcs.NumEdges() {
		if u, v := arcs.Ends[2*e], arcs.Ends[2*e+1]; u != v {
			out.Ends = append(out.Ends, u, v)
		}
	}
	out.Edge, out.EdgeLabel, out.EdgeTargets = graph.Ones(out.NumEdges()), nil, nil
	return graph.New(out)
}

// edgeLayers is the number of edge layers up to the last drop.
func (m *DeepHyperDrop) edgeLayers() int {
	for l := len(m.HyperConvs) - 1; l > 0; l-- {
		if dropsAfter(l) {
			return l + 1
		}
	}
	return 0
}

// endFeatures concatenates the features of both ends of each edge: [m,2d].
func endFeatures(v graph.View) *tensor.Tensor {
	return tensor.Gather(v.X, tensor.MustIndex(v.H.Ends(), v.H.NumVertices())).Reshape(v.H.NumEdges(), 2*v.X.Dim(1))
}
