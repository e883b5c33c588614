// Package nn holds the layers: one file each, all written for graph.View, so
// that the same convolution learns nodes on a graph and edges on its dual.
//
// A layer owns its parameters and is built by a New function from an Init, which
// gives parameters their full name and their own random stream: adding a layer
// does not change how another one starts. Parameter names follow PyTorch and
// PyTorch Geometric, so that weights can be compared and exchanged.
//
// Forward takes a Pass, which carries the tape, whether this is training, and
// the randomness of dropout. Layers keep no state between passes except the
// running statistics of BatchNorm.
//
// The package knows no pooling policy, no loss and no data set.
package nn
