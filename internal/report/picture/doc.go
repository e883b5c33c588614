// Package picture draws what models did with graphs: explanations of edges (Edge), graphs whose edges have scores (Scores), or were
// kept, dropped and clustered (Record), and grids of molecules (Molecules).
//
// A graph is a column of nodes with arcs between them; of one that is too large for that, one node with its edges in rows; a molecule is drawn by a
// toolkit of chemistry where there is one. There is no layout by forces: names never overlap, and the same graph is the same picture.
//
//	records, err := explain.Record(s, ctx, source.PartAll, "3")
//	svg, err := picture.Record(records[0], picture.Kept{Layer: 1}, tk, picture.WideEdge).SVG()
//
// How lines and texts look is left to package draw, what models do to package explain.
package picture
