// Package draw makes figures: graphs whose edges have colours, curves and points. A Figure has panels, with a key below them,
// and is written as SVG and as PNG, which show the same. Where panels stand, axes and fonts are
// those of gonum.org/v1/plot. A Scene is a picture of texts and paths at places of their own, in colours that follow the reader's scheme.
//
// It knows points, edges and numbers; what they mean, and where files go, is left to others.
package draw
