// Package mars optimises molecules by simulated annealing with edits that a network proposes and
// learns during the run: MARS (Xie et al., ICLR 2021), with the edge representation of EHGNN (Jo et
// al., NeurIPS 2021, section 4.2).
//
//	Extract -> Vocabulary   fragments, by cutting single bonds of any list of molecules
//	Editor                  molecules, and their edits: a bond is cut, a fragment is joined
//	Network                 which bond to cut, which atom to join to, which fragment
//	Sampler                 chains side by side, one network for all of them
//
// Each chain has a current molecule. In each step the network proposes an edit of it, the score.Set
// scores the result, and the chain accepts or rejects it, as in simulated annealing. Edits that
// improved a molecule go into a buffer, and the network is trained on them.
//
// # Molecules
//
// A state is a canonical SMILES without stereo, and the molecule parsed from it. After an edit the
// SMILES of the result is parsed again, so that aromaticity, rings and hydrogens are those of the
// new molecule. Hydrogens in brackets of neutral atoms that RDKit would add anyway, as in
// [SH](=O)(=O), become implicit, so that a fragment can be joined again where one was cut. Others,
// as in [nH], stay.
//
// # What is random
//
// In each step every chain has its own random streams for the action, bond, atom, fragment and
// acceptance. So results are the same for any number of threads, and a checkpoint has no state of a
// generator. The network reads chains in blocks of fixed size. Encoders run only for the molecules
// that need them. The published code runs all of them; unused draws have no effect, so the
// distribution is the same.
//
// The package needs only a chem.Toolkit and prints nothing. Other packages make tables, pictures
// and all files except checkpoints.
package mars
