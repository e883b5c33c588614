// Package tabular trains a neural network on rows of float32 columns in mini-batches.
//
// Inputs turns columns into the numbers that enter the network: a standardised number
// of each column and a piecewise-linear encoding of it. The network has two hidden
// layers with ReLU and dropout. Members are networks that share all layers but a
// scale of each input and the last layer; their losses and their predictions are
// averaged (TabM-mini, Gorishniy et al. 2025).
//
// The columns of a row are a static block and a block of label columns side by side.
// Label columns may be given several times for the same rows (draws), each made with
// other labels hidden; an epoch uses one of them.
//
// Train is bounded in steps, never in time. Results depend on the data, the settings
// and the seed alone, and are the same to the bit for any number of threads.
//
// A network may also read the neighbours of a row (Neighbours): items with states, in lists, whose messages are added up over some
// hops. The rows of a batch then see the same known labels.
//
// The package knows no graphs, no tasks and no files.
package tabular
