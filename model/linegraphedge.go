package model

import "github.com/ehgnn/ehgnn/nn"

// NewLineGraphEdge builds a DualStack whose layers work on the line graph, where edges that
// share a node are neighbours: GraphSAGE with the mean, both ways with weights of their own.
//
//	eˡ   = e^(l-1) + Dropout( ReLU( ½·SAGE(next) + ½·SAGE(previous) ) )
//	SAGE = R·e + L·mean( f : f in next or previous ) + b,  of e^(l-1)
//
// In a directed graph the next edges are those that start where e ends, and e is the next of
// those before it; edges that share their first node alone are no neighbours. In an
// undirected graph both are all edges that share a node with e. Parallel edges are vertices
// of their own.
//
// The line graph has Σ in·out edges over the nodes, or Σ d(d-1)/2 in an undirected graph:
// large hubs do not fit into memory, which Spec.Loads foresees. The paper names it as the
// alternative to the dual hypergraph (Jo et al. 2021, section 3.1).
func NewLineGraphEdge(in nn.Init, d Dims, c DualStackConfig) (*DualStack, error) {
	if err := check("linegraph-edge", d, c); err != nil {
		return nil, err
	}
	return newDualStack(in, d, c, func(in nn.Init, d nn.ConvDims) nn.Conv {
		both := nn.NewBothWays(in, func(in nn.Init) nn.Conv { return nn.NewSAGE(in, d, nn.SAGEConfig{}) })
		return &nn.LineGraph{Conv: both, HeadToTail: true}
	}), nil
}

// Bytes that were measured for an edge of the line graph, in all layers together: they share
// the line graph and send no rows of their own along its edges.
const lineEdge = 280

// lineGraphLoad is that of the line graph.
func lineGraphLoad(_ *Config, g GraphSize) Load {
	return Load{Least: leastLinePair * g.Chains, Memory: lineEdge * g.Chains}
}
