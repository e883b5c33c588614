// Package auto trains model.Auto: learners on columns of edges that compete on the validation part.
//
// # Columns
//
// model.EdgeRows describes an edge by its own features, those of its two nodes, the graph around it, its time, and
// known labels of other edges. Two places decide which labels an edge may read. For validation, test and new data this
// is model.Turns. For training it is this package, in one of two ways:
//
//   - Hiding: the training labels are divided into fifths at random, by units that a split keeps together. The columns
//     of a fifth are made from the labels of the other four. This is done several times (draws); trees learn from all
//     draws at once, the network from one of them in each epoch.
//   - Snapshots, where the data are in time: at some moments inside the training period the columns of the edges of
//     the time after a moment are made from the graph and the labels before it.
//
// # The race
//
// Trees and a network are trained on some sets of families of columns. The predictions of each kind are averaged over
// at most three sets: the set with the lowest validation loss, and sets that are worse by at most one standard error of
// the paired difference. A linear model of all columns is a third kind. Then the kinds are averaged with equal weights,
// without each kind that is worse than the best kind by two standard errors. The linear model replaces the mean if it
// is better than the mean by half a standard error. A constant is trained for comparison.
//
// If few labels are known around edges, networks that also pass messages between edges are trained (dual.go). Their
// mean joins or replaces the mean of the other learners if this lowers the loss by two standard errors.
//
// Learners of a kind are trained in parallel on a small table, where one learner would leave threads idle.
//
// All work is bounded in steps, so that results are the same to the bit for any number of threads and on every run.
package auto
