// Package synth generates graphs: the two-moon graph, random graphs, the
// edge-class graphs of the demo, and graphs of which it is known what decides their class. A graph is a function of its arguments and
// its seed; it is undirected, validated, has its edges {u,v} with u < v in
// rising order, and owns its memory.
//
// The protocols are those of "Edge Representation Learning with Hypergraphs"
// (NeurIPS 2021), section 4.1 and its reconstruction appendix; where the paper
// is silent the doc of a generator says what was chosen.
package synth
