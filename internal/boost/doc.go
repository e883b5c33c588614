// Package boost trains gradient-boosted decision trees on tables of float32 columns.
//
// Columns are divided into at most 255 bins, and one for missing values. A round adds one
// tree for each output. A tree grows leaf by leaf: the leaf whose best split gains most is
// split next. A split is chosen from histograms: the sums of gradients in each bin.
//
// Gradients are rounded at random to integers, without bias, so that sums do not depend on
// their order: a model is the same to the bit for any number of threads. The values of
// leaves are sums of the unrounded gradients.
//
// The package knows arrays only. What an output means is up to the caller.
//
// The method is that of Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision
// Tree", 2017, with gradients in integers as in Shi et al., "Quantized Training of Gradient
// Boosting Decision Trees", 2022.
package boost
