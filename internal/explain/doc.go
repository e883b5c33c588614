// Package explain computes attributions of edges (occlusion, gradient, a learned mask), their
// fidelity, and records of which edges the pools of a model kept, dropped and clustered.
//
// Its functions take a session.Session or a session.Run. Package session does not depend on it.
package explain
