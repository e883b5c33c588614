package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Values of EdgeLayers.EdgeInit: what edge layers start from.
const (
	// EdgesGiven is the published setting: edges start from their features in the
	// data, which are the constant 1 where the data have none.
	//
	// Without edge features HyperDrop then does not choose. The hypergraph
	// convolution takes means over hyperedges and back, so the constant stays
	// constant through every edge layer, and all edges of a graph have one score but
	// for rounding: which are dropped is decided by rounding and by their order in
	// the list, and is not learned. Of the paper's ten data sets for graph
	// classification DD, PROTEINS, IMDB-B, IMDB-M and COLLAB are of this kind.
	EdgesGiven = "given"
	// EdgesFromEnds lets edges start from what the first node layer makes of their
	// two ends, beside the features given: see EndpointInit.
	EdgesFromEnds = "endpoints"
)

// EndpointInit makes the features that edges start from of their ends, in models whose
// EdgeLayers.EdgeInit is EdgesFromEnds:
//
//	e_uv = f_uv ‖ mean(y_u, y_v) ‖ |y_u - y_v|,  y = x·Wᵀ + b
//
// x being the output of the first node layer. The paper's node classification
// starts edges from the output of the first layer, too, as x_u ‖ x_v. Here both
// orders of the ends give the same, so that the direction in which an undirected
// edge is written has no effect, and its two arcs score alike; mean and difference
// say as much as the larger and the smaller value of each channel. The map to the
// edge layers' width comes first, for nodes are fewer than edges.
//
// Input: a view with x in X [n,in] and the given features in E [m,d]; output
// [m,d+2·width].
type EndpointInit struct {
	Map *nn.Linear
}

// newEndpointInit returns the start of edges of a kind, nil where they start from the
// features given, of width edge; and the width of the features that edge layers read then.
func newEndpointInit(in nn.Init, kind string, node, edge, width int) (*EndpointInit, int) {
	if kind != EdgesFromEnds {
		return nil, edge
	}
	return &EndpointInit{nn.NewLinear(in.In("edge_init"), nn.Dims{In: node, Out: width})}, edge + 2*width
}

// Params lists the parameters of the map; none for nil.
func (i *EndpointInit) Params() []*tensor.Param {
	if i == nil {
		return nil
	}
	return i.Map.Params()
}

// Forward returns the features of all edges; those given for nil.
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

// endsOf is the sum of the ends of each edge with these factors [m,n].
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

// checkEdgeInit checks the name of a start.
func checkEdgeInit(name string) error {
	return checkOneOf("edge_init", name, EdgesGiven, EdgesFromEnds)
}
