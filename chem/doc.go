// Package chem knows molecules: as plain data, what is asked of a chemistry toolkit, and
// what is computed from the answers without one.
//
// A [Structure] is a molecule as atoms and bonds. A [Toolkit] parses SMILES, builds
// molecules of structures and hands out each as a [Molecule], which is asked for canonical
// SMILES, scaffolds, fingerprints, properties and pictures. The one toolkit is RDKit, behind
// package chem/rdkit; a build without it has everything here but molecules:
//
//	tk, err := rdkit.Toolkit()            // chem.ErrNoToolkit without build tag rdkit
//	m, err := tk.Parse("CC(=O)Oc1ccccc1C(=O)O")
//	defer m.Close()
//	s, err := m.Structure()
//	for _, a := range s.Atoms { row := chem.OGBAtom(a) ... }
//
// Here are the features of OGB ([OGBAtom], [OGBBond]), the vocabulary of ZINC-12K and the
// rebuilding of molecules from predicted labels ([ZINCLabels], [FromZINC]), the drug-likeness
// QED ([QEDProperties.Score]) and the synthetic accessibility score ([SATerms.Score]), whose
// table of fragments is embedded. [Map] does any of it for many molecules on all cores, results
// in order.
//
// A failure with a molecule is an [*Error], whose [Class] says whether the SMILES, a valence or
// the aromaticity was wrong. A Molecule may be used by several goroutines, one at a time; it
// holds memory that the garbage collector does not see, so close it.
//
// Canonical SMILES are comparable within one version of the toolkit only.
package chem
