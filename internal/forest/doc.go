// Package forest classifies rows of bits by a random forest: trees that are grown on
// bootstrap samples until their leaves are pure, whose shares of the positive class are
// averaged (Breiman, Random Forests, Machine Learning 45, 2001). The rules are those of
// scikit-learn's RandomForestClassifier with default settings: Gini impurity, the square root
// of the number of bits as candidates of a node, no limit of depth.
//
// Bits make it short: a node asks for one bit, and rows are counted by a pass over the
// candidates without sorting. A tree depends on the seed and on its number alone, so a forest
// is the same for any number of threads.
//
//	x := forest.NewBits(rows, 1024)
//	x.Set(row, bit)
//	f, err := forest.Train(ctx, x, positive, forest.Config{Trees: 100, Seed: 42})
//	score := f.Score(x.Row(0))
//
// A forest is also bytes (MarshalBinary). What rows mean is left to others.
package forest
