// Package pool holds graph pooling: readouts, selection by score, and the pools
// of the paper and its baselines, one file each.
//
// A pool takes a graph.View and returns a smaller one, or a fixed number of
// vectors per graph. Written for views, a pool of vertices pools nodes on a
// graph and edges on its dual: HyperCluster is GMPool on the dual, HyperDrop
// keeps the best vertices of the dual, which are edges, and loses no node.
//
// The package knows no model and no data set.
package pool
