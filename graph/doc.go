// Package graph holds graphs, their batches and their dual hypergraphs.
//
// A Graph is one sample as plain slices. Collate joins samples into a Batch by disjoint union. A
// Batch embeds a View: vertex and hyperedge features and an Incidence, the n×m matrix M that says
// which vertices a hyperedge joins. A graph is the hypergraph whose hyperedges have two ends. The
// Dual Hypergraph Transformation of "Edge Representation Learning with Hypergraphs" (NeurIPS 2021,
// equation 3) transposes M and exchanges the two feature matrices:
//
//	G = (X, M, E)  ->  G* = (E, Mᵀ, X)
//
// Here it is one call, View.Dual, which swaps pointers: the interleaved edge list of the graph is
// the hyperedge list of its dual (appendix A.2), so nothing is copied. Dual().Dual() is the same
// view without hyperedge weights. Node convolution on v is edge convolution on v.Dual().
//
// Derived structures are built on first use and cached in the Incidence: the adjacency and
// incidence in compressed sparse rows, and their transposes. A batch is read-only after Collate and
// may be shared between goroutines.
//
// The package has no layers, no files and no data sets.
package graph
