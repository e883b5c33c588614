// Package forest classifies rows of bits with a random forest: trees are grown on bootstrap samples
// until their leaves are pure, and their shares of the positive class are averaged (Breiman, Random
// Forests, Machine Learning 45, 2001). The rules are those of scikit-learn's RandomForestClassifier
// with default settings: Gini impurity, the square root of the number of bits as candidates of a
// node, no limit of depth.
//
// Bits make the code short: a node tests one bit, and one pass over the candidates counts rows
// without sorting. A tree depends only on the seed and its number, so a forest is the same for any
// number of threads.
//
//	x := forest.NewBits(rows, 1024)
//	x.Set(row, bit)
//	f, err := forest.Train(ctx, x, positive, forest.Config{Trees: 100, Seed: 42})
//	score := f.Score(x.Row(0))
//
// A forest can be stored as bytes (MarshalBinary). The package does not know the meaning of rows.
package forest
