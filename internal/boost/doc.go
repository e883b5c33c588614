// Package boost trains gradient-boosted decision trees on tables of float32 columns.
//
// The values of a column are divided into at most 255 bins, plus one for missing values. A round
// adds one tree for each output. A tree grows leaf by leaf: the leaf with the split of highest gain
// is split next. Splits are found from histograms, which hold the sum of gradients in each bin.
//
// Gradients are rounded at random to integers, without bias. Sums of integers do not depend on
// their order, so a model is bit-identical for any number of threads. Leaf values come from the
// unrounded gradients.
//
// The package works on arrays only. The caller knows what an output means.
//
// The method is that of Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree",
// 2017, with gradients in integers as in Shi et al., "Quantized Training of Gradient Boosting
// Decision Trees", 2022.
package boost
