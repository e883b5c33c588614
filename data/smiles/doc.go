// Package smiles reads tables with a column of SMILES as graphs: a row is a molecule, its atoms are
// nodes and its bonds edges, with the features of the Open Graph Benchmark (chem.OGBAtom,
// chem.OGBBond). The graphs are those in the folders of OGB.
//
//	Open -> Set             a table to learn from: graphs, labels, notes
//	NewReader -> Reader     a table to predict for, some thousand rows at a time
//	Set.ScaffoldSplit       molecules with the same Murcko scaffold stay together
//
// # Columns
//
// Options.Column names the column of the SMILES. Otherwise it is the first of smiles,
// canonical_smiles, isomeric_smiles and mol, in any case. Options.Labels lists the label columns.
// Otherwise they are all other columns of numbers except identifiers (id, mol_id, ...), or, if
// there are none, the only column with few different texts. Labels of 0 and 1 are classes; a
// molecule may have several. A single column of texts is one class for each molecule. Other numbers
// are regression targets. Any label may be missing.
//
// A column may have a list for each molecule, with a value for each of its atoms or bonds, or two
// for each bond: from its first atom to its second and back. The lengths of the lists decide which,
// unless Options.Level does. If bonds have two values, or Options.Edges asks for it, each direction
// of a bond is an edge.
//
// # Files
//
// Besides tables there are files of SMILES (.smi, .smiles) and SD files (.sdf, .sd, .mol). A line
// of a file of SMILES is a SMILES, a blank or tab, and a name. If the first line begins with the
// name of a column, it names the columns. The records of an SD file are rows: the molecule, the
// title as the column name, and the data items by their names. Files may be gzipped. The atoms and
// bonds of a record are in the order of the file. The SMILES of a row is the canonical one.
// Coordinates decide the arrangement at atoms and double bonds, and hydrogens become counts of
// their atoms. Otherwise both are dropped, unless Options.Hydrogens makes all hydrogens atoms. An
// SD file is read twice, first for the names of its items, so it cannot be a pipe.
//
// An extension after a SMILES (CXSMILES) is read if it changes atoms and bonds, and counted.
// Reactions, InChI and SELFIES are refused with their names.
//
// # Molecules that stay together
//
// With Options.Same, rows with equal canonical SMILES have the same number in Set.Same. Set.Units
// joins them, and rows of the same group, for splits. Options.Part names a column that has the
// parts of the split.
//
// # Rows that are not molecules
//
// A row is marked if the toolkit refuses it or a list does not fit. The Reader returns the row with
// a reason instead of a graph. A Set leaves it out, counts it and keeps the first few.
// Options.OnInvalid can skip such rows or fail at the first. A table that cannot be read, or has no
// such column or no molecule, is always an error.
//
// Rows are counted from 1, without the line of names. The package needs a chem.Toolkit and imports
// none.
package smiles
