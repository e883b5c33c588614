// Package chem has molecules as plain data, the interface of a chemistry toolkit, and computations
// on molecules that need no toolkit.
//
// A [Structure] is a molecule as atoms and bonds. A [Toolkit] parses SMILES and builds molecules
// from structures. It returns a [Molecule], which has methods for canonical SMILES, scaffolds,
// fingerprints, properties and pictures. The only toolkit is RDKit, in package chem/rdkit. A build
// without it has everything in this package except molecules:
//
//	tk, err := rdkit.Toolkit()            // chem.ErrNoToolkit without build tag rdkit
//	m, err := tk.Parse("CC(=O)Oc1ccccc1C(=O)O")
//	defer m.Close()
//	s, err := m.Structure()
//	for _, a := range s.Atoms { row := chem.OGBAtom(a) ... }
//
// The package has the features of OGB ([OGBAtom], [OGBBond]), the vocabulary of ZINC-12K and
// molecules from predicted labels ([ZINCLabels], [FromZINC]), the drug-likeness QED
// ([QEDProperties.Score]) and the synthetic accessibility score ([SATerms.Score]), whose table of
// fragments is embedded. [Map] processes many molecules on all cores, with results in order.
//
// A failure with a molecule is an [*Error]. Its [Class] says whether the SMILES, a valence or the
// aromaticity was wrong. Several goroutines may use a Molecule, one at a time. It holds memory that
// the garbage collector does not count, so close it.
//
// Canonical SMILES can only be compared within one version of the toolkit.
package chem
