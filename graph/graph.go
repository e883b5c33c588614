package graph

import (
	"errors"
	"fmt"
	"math"
)

// Features are the feature rows of the nodes or of the edges of one graph.
// Row i is Dense[i*Dim:(i+1)*Dim] followed by the one-hot code of Code[i] in
// NumCodes columns. Keeping the one-hot part as codes until a batch is built
// is what lets a data set like COLLAB (492 degrees) stay small in memory.
// A constant feature of one, which the paper gives to edges that have none,
// is the code 0 of 1.
type Features struct {
	Dense    []float32 // rows×Dim, row-major; nil when Dim is 0
	Dim      int
	Code     []int32 // one per row, in [0, NumCodes), or -1 for an all-zero block; nil when NumCodes is 0
	NumCodes int
}

// Width is the number of columns of a feature row.
func (f Features) Width() int { return f.Dim + f.NumCodes }

// Row writes feature row i into dst, which has Width elements.
func (f Features) Row(i int, dst []float32) {
	copy(dst, f.Dense[i*f.Dim:(i+1)*f.Dim])
	clear(dst[f.Dim:])
	if f.NumCodes > 0 && f.Code[i] >= 0 {
		dst[f.Dim+int(f.Code[i])] = 1
	}
}

// Ones is the feature the paper gives to edges that come without any.
func Ones(rows int) Features { return Features{Code: make([]int32, rows), NumCodes: 1} }

func (f Features) validate(what string, rows int) error {
	if f.Dim < 0 || f.NumCodes < 0 {
		return fmt.Errorf("graph: %s features: negative width (%d dense, %d codes)", what, f.Dim, f.NumCodes)
	}
	if len(f.Dense) != rows*f.Dim {
		return fmt.Errorf("graph: %s features: %d values, expected %d rows of %d", what, len(f.Dense), rows, f.Dim)
	}
	if f.NumCodes > 0 && len(f.Code) != rows {
		return fmt.Errorf("graph: %s features: %d codes, expected %d", what, len(f.Code), rows)
	}
	for i, v := range f.Dense {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("graph: %s features: row %d, column %d is %v, expected a finite number", what, i/f.Dim, i%f.Dim, v)
		}
	}
	if f.NumCodes > 0 {
		for i, c := range f.Code {
			if c < -1 || int(c) >= f.NumCodes {
				return fmt.Errorf("graph: %s features: row %d has code %d, expected -1 to %d", what, i, c, f.NumCodes-1)
			}
		}
	}
	return nil
}

// NoLabel marks a graph without a class.
const NoLabel = -1

// Graph is one sample as plain slices: what a reader fills and a batch is made
// of. Edge e joins Ends[2e] and Ends[2e+1], in this order; the list is at the
// same time the hyperedge list of the dual hypergraph (paper, appendix A.2),
// which is why it is stored interleaved.
//
// In an undirected graph an edge is one edge with one feature row, and messages
// pass along it both ways. In a directed graph each edge passes messages from
// its first to its second end; an undirected graph in the form of the authors'
// code, each bond as two arcs, is a directed graph with twice the edges.
// Self-loops and parallel edges are allowed.
type Graph struct {
	NumNodes int
	Ends     []int32
	Directed bool
	Node     Features
	Edge     Features
	// Label is the class of the graph, or NoLabel.
	Label int32
	// Targets are the graph's real-valued or multi-label targets; NaN is a missing one.
	Targets []float32
	// NodeLabel and EdgeLabel are classes per node and edge, nil when there are none; NoLabel where unknown.
	NodeLabel []int32
	EdgeLabel []int32
}

// NumEdges is the number of edges; a directed graph that stands for an
// undirected one counts each bond twice.
func (g *Graph) NumEdges() int { return len(g.Ends) / 2 }

// ErrAsymmetric is returned by Undirected for a graph whose arcs do not come
// in equal pairs.
var ErrAsymmetric = errors.New("graph: arcs do not pair up")

// New checks a graph and returns it: indices in range, feature and label
// counts that match, finite features.
func New(g Graph) (*Graph, error) {
	if g.NumNodes < 0 {
		return nil, fmt.Errorf("graph: %d nodes", g.NumNodes)
	}
	if len(g.Ends)%2 != 0 {
		return nil, fmt.Errorf("graph: edge list has %d ends, expected two per edge", len(g.Ends))
	}
	for i, v := range g.Ends {
		if v < 0 || int(v) >= g.NumNodes {
			return nil, fmt.Errorf("graph: edge %d ends in node %d, expected 0 to %d", i/2, v, g.NumNodes-1)
		}
	}
	if err := g.Node.validate("node", g.NumNodes); err != nil {
		return nil, err
	}
	if err := g.Edge.validate("edge", g.NumEdges()); err != nil {
		return nil, err
	}
	if g.NodeLabel != nil && len(g.NodeLabel) != g.NumNodes {
		return nil, fmt.Errorf("graph: %d node labels for %d nodes", len(g.NodeLabel), g.NumNodes)
	}
	if g.EdgeLabel != nil && len(g.EdgeLabel) != g.NumEdges() {
		return nil, fmt.Errorf("graph: %d edge labels for %d edges", len(g.EdgeLabel), g.NumEdges())
	}
	for i, v := range g.Targets {
		if math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("graph: target %d is infinite", i)
		}
	}
	return &g, nil
}
