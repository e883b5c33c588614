// Package picture makes figures of what models did with graphs: molecules as chemists draw
// them, other graphs as dots and lines; edges coloured by cluster, kept and dropped edges,
// wrong edges and nodes marked.
//
// A molecule is placed by a chemistry toolkit where there is one, and like any graph where
// there is none (Place). The places are all that is asked of a toolkit, as it draws molecules
// alone and a reconstruction may be none. Molecule makes the diagram, to which a caller adds bands and marks;
// Figure does so for the records of a trained model, a row a graph:
//
//	records, err := session.Record(ctx, task.PartAll, "3", "17")
//	figure, err := picture.Figure(records, picture.Options{Toolkit: tk})
//	svg, err := figure.SVG()
//
// How lines, labels and keys look is left to package draw, what models do to package task.
package picture
