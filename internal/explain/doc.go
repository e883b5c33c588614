// Package explain says on which edges a prediction depends: attributions of edges (occlusion,
// gradient, a learned mask), how faithful they are, and a record of what the pools of a model kept,
// dropped and clustered.
//
// Its functions take a session.Session or a session.Run. Nothing of a session depends on it.
package explain
