// Package synth generates graphs: the two-moon graph, random graphs, the edge-class graphs of the
// demo, and graphs whose class depends on a known part. A graph depends only on its arguments and
// its seed. It is undirected and validated, has its edges {u,v} with u < v in ascending order, and
// owns its memory.
//
// The protocols are those of "Edge Representation Learning with Hypergraphs" (NeurIPS 2021),
// section 4.1 and its reconstruction appendix. If the paper does not define a detail, the doc of
// the generator says what was chosen.
package synth
