// Package pool holds graph pooling: readouts, selection by score, and the pools
// of the paper and its baselines, one file each.
//
// A pool takes a graph.View and returns a smaller one, or a fixed number of
// vectors per graph. Written for views, a pool of vertices pools nodes on a
// graph and edges on its dual: HyperCluster is GMPool on the dual, HyperDrop
// keeps the best vertices of the dual, which are edges, and loses no node.
//
// DiffPool and MinCutPool turn a batch into dense graphs of a few nodes each
// (Dense), on which DenseGCN and further dense pools work; the way there is
// sparse. Attention (MAB, the blocks of the Set Transformer, GMT) works on samples
// of any size side by side. Neither pads, so no result depends on what else is in
// the batch, but for losses that are defined over it.
//
// The package knows no model and no data set.
package pool
