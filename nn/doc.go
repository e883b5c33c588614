// Package nn holds the layers: one file each, all written for graph.View, so
// that the same convolution learns nodes on a graph and edges on its dual.
//
// A layer owns its parameters and is built by NewX(in, dims, config): in names and
// initialises parameters, dims are widths, and the zero value of config is the default.
// What cannot be built is an error. Every parameter has its own random stream, so that
// adding a layer does not change the initial values of others. Parameter names follow
// PyTorch and PyTorch Geometric, so that weights can be compared and exchanged.
//
// Forward takes a Pass, which carries the tape, whether this is training, and
// the randomness of dropout. Layers keep no state between passes except the
// running statistics of BatchNorm.
//
// The package knows no pooling policy, no loss and no data set.
package nn
