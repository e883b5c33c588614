// Package molgan generates small molecules with an adversarial network: MolGAN (De Cao and Kipf
// 2018), optionally with EHGNN in its critics for learning edge representations (Jo et al., NeurIPS
// 2021, section 4.2).
//
//	Read SMILES -> Data        codes of atoms and bonds, the training part
//	Train -> Result            generator, critic and reward network in turn; metrics
//	Save, Open -> Generator    a run folder
//	Generator.Molecules        new molecules, one after another
//
// # Graphs
//
// A molecule has at most Size atoms. Each atom has a code: 0 is a pad, other codes are the elements
// of the data. Each unordered pair of atoms has a code: 0 is no bond, then single, double, triple
// and aromatic. Networks read both as rows of probabilities, one-hot for real molecules: bonds
// [graphs·pairs, 5] and atoms [graphs·Size, codes]. A pair has one row, so a graph is symmetric by
// construction and has no diagonal.
//
// Charges and hydrogens are not encoded. A molecule with hydrogens that its aromatic bonds do not
// imply, such as pyrrole, is encoded in Kekulé form; aromaticity perception gives the same molecule
// back. Generated pads without a bond are left out. A molecule is valid if the rest can be
// sanitised, is connected, has a bond and no pad, and its SMILES parses.
//
// # Networks
//
// The generator maps noise through an MLP to logits of bonds and atoms, from which Gumbel-softmax
// draws. Discriminator and reward network are two critics of one architecture: R-GCN, a gated sum
// over atoms, an MLP. Optionally they have GMPool over atoms and EHGNN over bonds, whose vectors
// are concatenated with the gated sum. In EHGNN all pairs are nodes of the dual hypergraph. The
// weight of a pair is the probability that it is a bond. On one-hot graphs this equals the sparse
// EHGNN with mean pooling. Its gradient reaches both the existence and the type of bonds.
//
// # Losses
//
// The critic is trained as in WGAN-GP (Gulrajani et al. 2017): its loss has the gradient of a
// gradient, which the tape computes exactly. Graphs are symmetric, so the gradient with respect to
// the bond matrix is a symmetric matrix, and its norm is over all entries. The reward network
// learns the scores of real and generated molecules. The loss of the generator is λ·(Wasserstein) +
// (1-λ)·α·(reward), where α is the ratio of both, a constant in the gradient. The code that the
// authors of EHGNN used has other losses (Config.ReferenceLoss).
//
// # Determinism
//
// Every iteration has its own random streams, named after it. So a run that is resumed from a
// checkpoint ends with the same bits, for any number of threads. Other threads compute the rewards
// of an iteration while the critic is trained on the same molecules.
//
// The package reads molecules through chem.Toolkit. It does not know data sets, flags or tables.
package molgan
