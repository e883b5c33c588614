// Package nn holds the layers, one file for each. All are written for graph.View, so the same
// convolution learns nodes on a graph and edges on its dual.
//
// A layer owns its parameters and is built by NewX(in, dims, config). in names and initialises
// parameters, dims are widths, and the zero value of config is the default. A constructor returns
// an error for a layer that cannot be built. Every parameter has its own random stream, so adding a
// layer does not change the initial values of others. Parameter names follow PyTorch and PyTorch
// Geometric, so that weights can be compared and exchanged.
//
// Forward takes a Pass with the tape, whether this is training, and the random numbers of dropout.
// Layers keep no state between passes, except the running statistics of BatchNorm.
//
// The package has no pools, no losses and no data sets.
package nn
