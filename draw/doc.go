// Package draw makes figures of the experiments: graphs whose edges have colours, and curves.
// A Figure has panels and is written as SVG and as PNG, which show the same. Layout, axes and
// fonts are those of gonum.org/v1/plot.
//
// It knows points, edges and numbers; what they mean, and where files go, is left to others.
package draw
