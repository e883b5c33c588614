// Package learn has the models of link prediction: gradient-boosted trees over columns of
// candidates, graph autoencoders, matrix factorisation and neighbours of items.
//
// A model is trained on training pairs only. Its method On takes the graph that is known when
// candidates are scored, and returns a score.Scorer. The columns of a training pair and of its
// negatives are computed in the graph without the pair's fold, so that no pair sees itself.
package learn
