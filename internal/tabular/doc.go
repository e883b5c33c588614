// Package tabular trains a neural network on rows of float32 columns in mini-batches.
//
// Inputs turns columns into the numbers that enter the network: a standardised number of each column and a
// piecewise-linear encoding of it. The network has two hidden layers with ReLU and dropout. Members are networks that
// share all layers except a scale of each input and the last layer; their losses and their predictions are averaged
// (TabM-mini, Gorishniy et al. 2025).
//
// The columns of a row are a static block and a block of label columns side by side. The same rows may have several
// versions of label columns (draws), made with different labels hidden; an epoch uses one draw.
//
// Train is limited in steps, never in time. Results depend only on the data, the settings and the seed, and are
// bit-identical for any number of threads.
//
// A network may also pass messages (Neighbours): each row stands for an item, and an item receives messages from lists
// of neighbouring items in each of several hops. All rows of a batch then see the same known labels.
//
// The package does not depend on graphs, tasks or files.
package tabular
