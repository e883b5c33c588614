// Package draw makes figures: graphs whose edges have colours, diagrams in which each edge and
// node can be told, as of molecules, and curves. A Figure has panels, with a key below them,
// and is written as SVG and as PNG, which show the same. Where panels stand, axes and fonts are
// those of gonum.org/v1/plot; where the nodes of a graph stand, if nobody knows, Layout says.
//
// It knows points, edges and numbers; what they mean, and where files go, is left to others.
package draw
