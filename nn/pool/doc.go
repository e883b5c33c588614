// Package pool holds graph pooling: readouts, selection by score, and the pools of the paper and
// its baselines, one file for each.
//
// A pool takes a graph.View and returns a smaller one, or a fixed number of vectors per graph. On a
// graph a pool of vertices pools nodes, on its dual it pools edges. HyperCluster is GMPool on the
// dual. HyperDropPool keeps the best vertices of the dual, which are edges, and all nodes.
//
// DiffPool and MinCutPool turn a batch into dense graphs of a few nodes each (Dense), on which
// DenseGCN and further dense pools work. The input stays sparse. Attention (MAB, SAB, GMPool,
// GMTPool) works on samples of different sizes in one batch. Neither pads, so no result depends on
// the other samples of the batch, except losses that are defined over the batch.
//
// The package has no models and no data sets.
package pool
