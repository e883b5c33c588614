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

// A Variant is one of the forms of DeepHyperDrop.
type Variant int

const (
	// Published has the self-loops of nodes among the edges that are scored and dropped.
	Published Variant = iota
	// Random is Published with the kept edges drawn at random. Scores weigh them.
	Random
	// Loops lets every layer add a self-loop of weight 1 to each node, as GCN does. A
	// node then keeps its own message, however many drops there are.
	Loops
	// Hold is Loops in which a layer moves only the nodes that an edge leads to, once
	// edges have been dropped; the others keep their features. Each node then has a depth
	// of its own, to which the scores lead, and gradients reach the first layers however
	// many there are. Edges are dropped in evaluation, too, so that the same nodes are
	// held there.
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
	EdgeHidden int `json:"edge_hidden"` // width of edge vectors; hidden when 0
	// Ratio is the share of the edges that each drop keeps, in (0,1]; the paper's is 0.8.
	Ratio float64 `json:"ratio"`
	// Score is how edges are weighed: ScoreTanh, also when empty, or ScoreSigmoid.
	Score string `json:"score,omitempty"`
	// InitGain multiplies the initial weights of the node layers, as nn.Init.Gain; 1 when 0.
	InitGain float64 `json:"init_gain,omitempty"`
	// Variant makes another model of the registry and is no setting.
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

// DeepHyperDrop classifies the nodes of one graph by a deep stack of GCNs, in which
// HyperDrop thins out the edges (paper, section 4.3 and appendix C.4):
//
//	x = ReLU(GCN_l(dropout(x), edges, w))               node layer l
//	e = x_u ‖ x_v for edge (u,v)                        at l = 0
//	e = dropout(ReLU(HyperConv_l(e, dual)))             edge layer l
//	edges, e, z = HyperDrop_l(e)                        where l mod 4 = 1
//	w = D^-1/2·clamp(z, 1e-4, 1)·D^-1/2
//
// and the last GCN gives the logits. A drop keeps Ratio of the edges in training;
// in evaluation all stay, weighted by the same scores. Before the first drop w is
// D^-1/2·A·D^-1/2. Without drop, which is up to two layers, this is a GCN. With Hold,
// drops are those of training in evaluation, too, and after the first of them x_v stays
// as it is where no edge leads to v.
//
// Input: node features [n,Dims.Node] and a directed graph with both arcs of every
// edge and a self-loop at every node (ArcsAndLoops), since the layers add none: the
// loops are edges that can be dropped as others can. With Loops and Hold the graph is to
// have none (ArcsAlone). Edge features of the batch are not read; weights of the batch, nil
// for ones, enter the first normalisation. Output: logits [n,Dims.Out] in Output.Node;
// EdgeVecs and Drops up to the last drop, with edges by their number in the batch. On
// an undirected graph the model runs, too, but then the order in which an edge lists
// its ends is that of its features.
//
// Parameter names are those of the authors' Model_HyperDrop_Node, which has a
// scorer for every edge layer. Scorers of layers without a drop, and edge layers after
// the last drop, never run and never learn.
//
// The registry has every Variant under a name of its own: deep-hyperdrop, deep-randdrop,
// deep-hyperdrop-loops and deep-hyperdrop-hold.
type DeepHyperDrop struct {
	Convs      []nn.Conv
	HyperConvs []nn.Conv   // one fewer
	Drops      []pool.Pool // as many as edge layers; every fourth is used
	Dropout    float64
	Variant    Variant
	// First gives the edges their weights before the first drop; nil for the paper's,
	// D^-1/2·A·D^-1/2. The authors' code takes the normalised adjacency matrix for its
	// indices only, and so sums neighbours without degrees there; what it does is
	//
	//	First = func(v graph.View) graph.View { return v.WithW(nil) }
	//
	// With Loops and Hold the layers normalise whatever weights they get.
	First func(v graph.View) graph.View
}

// deepFloor is the least weight of an edge of DeepHyperDrop. With 0 a node could lose
// every message, its own included.
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
	var ids []int32 // of the edges in v; nil for all
	var vecs []EdgeVec
	var drops []Drop
	var moved, held *tensor.Tensor // [n,1], nil as long as every node moves
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

// normalise divides the weights of edges by the roots of degrees, where the layers do
// not do that.
func (m *DeepHyperDrop) normalise(v graph.View) graph.View {
	if m.loops() {
		return v
	}
	return v.WithW(nn.SymmetricWeights(v))
}

// reached says which nodes an edge leads to: [n,1] of 1 for those and 0 for the rest,
// and the other way round. Self-loops lead nowhere.
func reached(v graph.View) (moved, held *tensor.Tensor) {
	a, _ := v.H.Adjacency() // which the GCN before it has seen to be there
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

// ArcsAndLoops is g in the form of the authors' node classification: both arcs of
// every edge and a self-loop at every node, ordered by (source, target). A node keeps
// its own loops; a node without a loop gets one. Edge features become the constant 1,
// because an added loop has no others. Edge labels and targets are left out; the rest is
// shared with g.
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

// ArcsAlone is g with both arcs of every edge and without self-loops, for models whose
// layers add them; edge features become the constant 1 and labels and targets are left
// out, as in ArcsAndLoops.
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

// endFeatures is the features of both ends of each edge side by side [m,2d].
func endFeatures(v graph.View) *tensor.Tensor {
	return tensor.Gather(v.X, tensor.MustIndex(v.H.Ends(), v.H.NumVertices())).Reshape(v.H.NumEdges(), 2*v.X.Dim(1))
}
