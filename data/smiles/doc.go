// Package smiles reads tables with a column of SMILES as graphs: a row is a molecule, its
// atoms are nodes and its bonds edges, with the features of the Open Graph Benchmark
// (chem.OGBAtom, chem.OGBBond). The graphs are those that the folders of OGB hold.
//
//	Open -> Set             a table to learn from: graphs, labels, remarks
//	NewReader -> Reader     a table to predict for, some thousand rows at a time
//	Set.ScaffoldSplit       molecules of one Murcko scaffold stay together
//
// # Columns
//
// The SMILES are in the column that Options.Column names, or else in the first of smiles,
// canonical_smiles, isomeric_smiles and mol, in any case. Labels are the columns that
// Options.Labels lists, or else all others but identifiers (id, mol_id, ...) that are
// numbers, or, where none is, the one that has few different texts. Labels of 0 and 1 are
// classes, several of which a molecule may have; a single column of texts is one class for
// each molecule; other numbers are to be estimated. Every label may have gaps.
//
// # Rows that are no molecule
//
// What the toolkit refuses is marked: the Reader returns the row with a reason in place of a
// graph, and a Set leaves it out, counts it and keeps the first few. Options.OnInvalid may
// ask to skip such rows or to fail at the first. A table that cannot be read, or has no such
// column or no molecule, is an error in any case.
//
// Rows are counted from 1, without the line of names. The package needs a chem.Toolkit and
// imports none.
package smiles
