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
// A column may have a list for each molecule, with a value for each of its atoms or bonds, or
// two for each bond: from its first atom to its second and back. Which of them follows from
// the lengths of the lists, unless Options.Level says it. Where bonds have two values, or
// Options.Edges asks for it, each direction of a bond is an edge.
//
// # Files
//
// Beside tables there are files of SMILES (.smi, .smiles: a SMILES, a blank or tab, a name; a first
// line that begins with the name of a column names the columns) and SD files (.sdf, .sd, .mol),
// whose records are rows: the molecule, the title as the column name, and the data items by their
// names. Either may be gzipped. The atoms and bonds of a record are in the order of the file, the
// SMILES of a row is the canonical one. Coordinates decide the arrangement at atoms and double
// bonds, and hydrogens become counts of their atoms; both are lost beyond that, unless
// Options.Hydrogens makes all hydrogens atoms. An SD file is read twice, first for the names of its
// items, so it cannot be a pipe.
//
// An extension behind a SMILES (CXSMILES) is read as far as it changes atoms and bonds, and
// counted. Reactions, InChI and SELFIES are refused by name.
//
// # What is divided together
//
// With Options.Same, rows with equal canonical SMILES have one number in Set.Same; Set.Units joins
// them, and those of one group, for splits. Options.Part names a column with the parts themselves.
//
// # Rows that are no molecule
//
// What the toolkit refuses, and what a list does not fit, is marked: the Reader returns the
// row with a reason in place of a graph, and a Set leaves it out, counts it and keeps the
// first few. Options.OnInvalid may ask to skip such rows or to fail at the first. A table that
// cannot be read, or has no such column or no molecule, is an error in any case.
//
// Rows are counted from 1, without the line of names. The package needs a chem.Toolkit and
// imports none.
package smiles
