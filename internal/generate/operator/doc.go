// Package operator has the operators of a genetic algorithm on molecules: crossover joins parts of
// two molecules, mutation changes one.
//
// Operators are edits of a [Molecule], a graph of atoms and single, double and triple bonds (the
// Kekule form) with implicit hydrogens. An edit that gives an atom too many bonds, or a molecule of
// the wrong size, is dropped before the toolkit sees it. A chem.Toolkit builds and sanitises the
// others. They are rejected if they have a ring of more than six atoms, strained double bonds,
// charges without a counterpart, or patterns that the [Maker] rejects. The operators are those of
// Jensen's graph GA (A graph-based genetic algorithm and generative model/Monte Carlo tree search
// for the exploration of chemical space, Chemical Science 10, 2019), with their probabilities:
//
//   - crossover cuts an acyclic bond of both parents and joins a side of each, or cuts two bonds
//     of a ring of both and joins a part of each by two bonds;
//   - mutation inserts, appends, deletes or exchanges an atom, changes the order of a bond,
//     deletes a bond of a ring, or closes a ring.
//
// [Maker.Breed] applies them. A child is identified by its SMILES without stereo ([Child]).
// [Maker.Read] makes a Molecule from a SMILES. Its SMILES is that of the parsed molecule, so a
// Kekule and an aromatic SMILES of a molecule are equal. Read also neutralises charges by adding or
// removing protons.
//
// All random numbers come from the given generator, so a child depends only on its parents and the
// generator.
package operator
