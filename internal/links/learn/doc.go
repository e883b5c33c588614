// Package learn has the models of link prediction: gradient-boosted trees over columns of candidates,
// graph autoencoders, matrix factorisation and neighbours of items.
//
// A model is trained on training pairs alone. On binds it to the graph that is known when candidates are
// scored and gives a score.Scorer. Columns of a training pair and of the negatives beside it are counted
// without the fold of training pairs that it is in, so that no pair sees itself.
package learn
