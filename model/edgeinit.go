package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Values of EdgeLayers.EdgeInit: the input of the first edge layer.
const (
	// EdgesGiven is the published setting: edges start from their features in the data. Data
	// without edge features have the constant 1.
	//
	// HyperDrop then cannot choose edges. The hypergraph convolution takes means over hyperedges
	// and back, so the constant stays constant through every edge layer, and all edges of a graph
	// have the same score, except for rounding. Which edges are dropped depends on rounding and on
	// the order of the list, and is not learned. Of the paper's ten data sets for graph
	// classification, DD, PROTEINS, IMDB-B, IMDB-M and COLLAB have no edge features.
	EdgesGiven = "given"
	// EdgesFromEnds adds to the given features the vectors of the two ends after the first node
	// layer; see EndpointInit.
	EdgesFromEnds = "endpoints"
)

// EndpointInit computes initial edge features from the two ends, in models whose
// EdgeLayers.EdgeInit is EdgesFromEnds:
//
//	e_uv = f_uv ‖ mean(y_u, y_v) ‖ |y_u - y_v|,  y = x·Wᵀ + b
//
// x is the output of the first node layer. The paper's node classification also starts edges from
// the output of the first layer, as x_u ‖ x_v. Here the order of the ends makes no difference, so
// the direction in which an undirected edge is written has no effect, and its two arcs have equal
// scores. Mean and difference have the same information as the larger and the smaller value of each
// channel. The map to the edge layers' width comes first, because there are fewer nodes than edges.
//
// Input: a view with x in X [n,in] and the given features in E [m,d]. Output: [m,d+2·width].
type EndpointInit struct {
	Map *nn.Linear
}

// newEndpointInit returns the EndpointInit for a kind, nil for EdgesGiven, and the width of the
// features that edge layers then read. edge is the width of the given features.
func newEndpointInit(in nn.Init, kind string, node, edge, width int) (*EndpointInit, int) {
	if kind != EdgesFromEnds {
		return nil, edge
	}
	return &EndpointInit{nn.NewLinear(in.In("edge_init"), nn.Dims{In: node, Out: width})}, edge + 2*width
}

// Params lists the parameters of the map. A nil EndpointInit has none.
func (i *EndpointInit) Params() []*tensor.Param {
	if i == nil {
		return nil
	}
	return i.Map.Params()
}

// Forward returns the features of all edges. A nil EndpointInit returns the given features.
func (i *EndpointInit) Forward(p *nn.Pass, v graph.View) *tensor.Tensor {
	if i == nil {
		return v.E
	}
	y := i.Map.Forward(p, v.X)
	mean := tensor.SpMM(endsOf(v, 0.5, 0.5), y, tensor.SpMMConfig{})
	apart := tensor.SpMM(endsOf(v, 1, -1), y, tensor.SpMMConfig{}).Abs()
	return tensor.Concat(1, p.Tape.Bind(v.E), mean, apart)
}

type endsKey struct{ first, second float32 }

// endsOf returns the matrix [m,n] that sums the two ends of each edge with the given factors.
func endsOf(v graph.View, first, second float32) *tensor.Sparse {
	return graph.Derived(v.H, endsKey{first, second}, func() *tensor.Sparse {
		m := v.H.NumEdges()
		coef := make([]float32, 0, 2*m)
		for range m {
			coef = append(coef, first, second)
		}
		return tensor.NewSparse(tensor.SparseConfig{Rows: m, Cols: v.H.NumVertices(), Width: 2, Col: v.H.Ends(), Coef: coef})
	})
}

// checkEdgeInit checks the name of an EdgeInit.
func checkEdgeInit(name string) error {
	return checkOneOf("edge_init", name, EdgesGiven, EdgesFromEnds)
}
