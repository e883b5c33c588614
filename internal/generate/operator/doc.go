// Package operator makes molecules from molecules, as a genetic algorithm does: crossover joins
// parts of two, mutation changes one.
//
// Operators are edits of a [Molecule], a graph of atoms and single, double and triple bonds (the
// Kekule form), whose hydrogens fill up. An edit that gives an atom too many bonds, or a molecule
// of a wrong size, is given up before the toolkit sees it. What is left is built and sanitised by a
// chem.Toolkit and refused where it has a ring of more than six atoms, strained double bonds,
// charges that do not belong together, or what the [Maker] rejects. The operators are those of
// Jensen's graph GA (A graph-based genetic algorithm and generative model/Monte Carlo tree search
// for the exploration of chemical space, Chemical Science 10, 2019), with their probabilities:
//
//   - crossover cuts an acyclic bond of both parents and joins a side of each, or cuts two bonds
//     of a ring of both and joins a part of each by two bonds;
//   - mutation inserts, appends, deletes or exchanges an atom, changes the order of a bond,
//     deletes a bond of a ring, or closes a ring.
//
// [Maker.Breed] applies them. A child is known by its SMILES without stereo ([Child]). [Maker.Read] makes a Molecule of a
// SMILES, which becomes that of the parsed molecule: a Kekule and an aromatic writing are one
// molecule. Read also neutralises charges that a proton explains.
//
// Everything random comes from the given generator, so a child depends on its parents and on the
// generator alone.
package operator
