package graph

import (
	"errors"
	"fmt"
	"math"
)

// NoLabel marks a graph without a class.
const NoLabel = -1

// Graph is one sample as plain slices: readers make it, Collate takes it. Edge e joins Ends[2e] and
// Ends[2e+1], in this order. The list is interleaved because it then is also the hyperedge list of
// the dual hypergraph (paper, appendix A.2).
//
// In an undirected graph an edge has one feature row, and messages pass along it both ways. In a
// directed graph each edge passes messages from its first to its second end. An undirected graph in
// the form of the authors' code, with each bond as two arcs, is a directed graph with twice the
// edges. Self-loops and parallel edges are allowed.
type Graph struct {
	NumNodes int
	Ends     []int32
	Directed bool
	Node     Features
	Edge     Features
	// Label is the class of the graph, or NoLabel.
	Label int32
	// Targets are the graph's real-valued or multi-label targets, NaN where missing.
	Targets []float32
	// NodeLabel and EdgeLabel are the class of each node and edge, NoLabel where unknown. They are
	// nil if there are none.
	NodeLabel []int32
	EdgeLabel []int32
	// NodeTargets and EdgeTargets are numbers to predict, the same number of them for each node or
	// edge, one node or edge after the other. They are NaN where unknown, and nil if there are
	// none.
	NodeTargets []float32
	EdgeTargets []float32
	// Observed are labels of edges that a model may read, nil if there are none.
	Observed *ObservedLabels
}

// NumEdges is the number of edges. A directed graph that stands for an undirected one counts each
// bond twice.
func (g *Graph) NumEdges() int { return len(g.Ends) / 2 }

// ErrAsymmetric is returned by Undirected for a graph whose arcs do not come in equal pairs.
var ErrAsymmetric = errors.New("graph: arcs do not pair up")

// New checks a graph and returns it. It returns an error for an index out of range, for features,
// labels or targets of the wrong length, for features that are not finite, and for infinite
// targets.
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
	if err := validateTargets("node", g.NodeTargets, g.NumNodes); err != nil {
		return nil, err
	}
	if err := validateTargets("edge", g.EdgeTargets, g.NumEdges()); err != nil {
		return nil, err
	}
	if err := g.Observed.check(g.NumEdges()); err != nil {
		return nil, err
	}
	for i, v := range g.Targets {
		if math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("graph: target %d is infinite", i)
		}
	}
	return &g, nil
}

// validateTargets checks the targets of n nodes or edges.
func validateTargets(of string, targets []float32, n int) error {
	width := perItem(targets, n)
	if width*n != len(targets) {
		return fmt.Errorf("graph: %d %s targets for %d %ss", len(targets), of, n, of)
	}
	for i, v := range targets {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("graph: target of %s %d is infinite", of, i/width)
		}
	}
	return nil
}

// perItem is how many targets each of n items has.
func perItem(targets []float32, n int) int { return len(targets) / max(n, 1) }
