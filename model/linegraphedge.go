package model

import "github.com/ehgnn/ehgnn/nn"

// NewLineGraphEdge builds a DualStack whose layers work on the line graph, where edges that share a
// node are neighbours. The layer is GraphSAGE with the mean, in both directions with separate
// weights:
//
//	eˡ   = e^(l-1) + Dropout( ReLU( ½·SAGE(next) + ½·SAGE(previous) ) )
//	SAGE = R·e + L·mean( f : f in next or previous ) + b,  of e^(l-1)
//
// In a directed graph the next edges of e start where e ends, and its previous edges end where e
// starts. Edges that only share their first node are not neighbours. In an undirected graph both
// are all edges that share a node with e. Parallel edges are separate vertices.
//
// The line graph has Σ in·out edges over the nodes, or Σ d(d-1)/2 in an undirected graph. Large
// hubs do not fit into memory; Spec.Loads estimates this. The paper names it as the alternative to
// the dual hypergraph (Jo et al. 2021, section 3.1).
func NewLineGraphEdge(in nn.Init, d Dims, c DualStackConfig) (*DualStack, error) {
	if err := check("linegraph-edge", d, c); err != nil {
		return nil, err
	}
	return newDualStack(in, d, c, func(in nn.Init, d nn.ConvDims) nn.Conv {
		both := nn.NewBothWays(in, func(in nn.Init) nn.Conv { return nn.NewSAGE(in, d, nn.SAGEConfig{}) })
		return &nn.LineGraph{Conv: both, HeadToTail: true}
	}), nil
}

// Measured bytes for an edge of the line graph, in all layers together. The layers share the line
// graph and store no rows for its edges.
const lineEdge = 280

// lineGraphLoad is the load of the line graph.
func lineGraphLoad(_ *Config, g GraphSize) Load {
	return Load{Least: leastLinePair * g.Chains, Memory: lineEdge * g.Chains}
}
