// Package picture draws explanations of edges (Edge), graphs whose edges have scores (Scores) or were kept, dropped and
// clustered (Record), and grids of molecules (Molecules).
//
// A graph is drawn as a column of nodes with arcs between them. If it is too large, one node is drawn with its edges in
// rows. A chemistry toolkit, if there is one, draws molecules. There is no force-directed layout: names never overlap,
// and the same graph always gives the same picture.
//
//	records, err := explain.Record(s, ctx, source.PartAll, "3")
//	svg, err := picture.Record(records[0], picture.Kept{Layer: 1}, tk, picture.WideEdge).SVG()
//
// Package draw does the drawing, and package explain makes the explanations.
package picture
