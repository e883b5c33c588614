// Package mars optimises molecules by annealed chains of edits whose proposals are learned on
// the way: MARS (Xie et al., ICLR 2021), with the edge representation of EHGNN in it (Jo et
// al., NeurIPS 2021, section 4.2).
//
//	Extract -> Vocabulary   fragments, by cutting single bonds of any list of molecules
//	Editor                  molecules, and their edits: a bond is cut, a fragment is joined
//	Network                 which bond to cut, which atom to join to, which fragment
//	Sampler                 chains side by side, one network for all of them
//
// A chain has a molecule. In each step the network proposes an edit of it, the score.Set
// scores the result, and the chain takes it over or stays, as in simulated annealing. Edits
// that improved a molecule go into a buffer, from which the network learns to propose them.
//
// # Molecules
//
// A state is a canonical SMILES without stereo and what is read from it: an edit is made on a
// molecule, and the SMILES of the result is read again, so that aromaticity, rings and
// hydrogens are those of the new molecule. Hydrogens in brackets of neutral atoms that RDKit
// would add by itself, as those of [SH](=O)(=O), are taken for implicit, since an arm or a
// rest that was cut there can be joined to again; others, as of [nH], are kept.
//
// # What is random
//
// Every chain draws its action, bond, atom and fragment, and whether it accepts, from streams
// of its own for each step. So results are the same for any number of threads, and a
// checkpoint holds no state of a generator. The network sees chains in blocks of fixed size.
// Encoders are run for the molecules that need them only: the draws that are not used have no
// effect, so the distribution is that of the published code, which runs all of them.
//
// The package asks no toolkit but a chem.Toolkit, and prints nothing; tables, pictures and
// files other than checkpoints are left to others.
package mars
