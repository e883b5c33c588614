// Package molgan generates small molecules with an adversarial network: MolGAN (De Cao and
// Kipf 2018), and with the edges of its critics learnt by EHGNN (Jo et al., NeurIPS 2021,
// section 4.2).
//
//	Read SMILES -> Data        codes of atoms and bonds, the training part
//	Train -> Result            generator, critic and reward network in turn; metrics
//	Save, Open -> Generator    a run folder
//	Generator.Molecules        new molecules, one after another
//
// # Graphs
//
// A molecule has at most Size atoms. An atom is a code, 0 for none (a pad) and the others
// for the elements of the data; a bond is a code of each unordered pair of atoms, 0 for none
// and then single, double, triple, aromatic. Networks see both as rows of probabilities,
// one-hot for real molecules: bonds [graphs·pairs, 5] and atoms [graphs·Size, codes]. A pair
// has one row, so that a graph is symmetric by construction and has no diagonal.
//
// Charges and hydrogens are in no code. A molecule with hydrogens that its aromatic bonds do
// not imply, such as pyrrole, is encoded by its Kekulé form, from which perception brings
// the same molecule back. Generated rows that are pads and have no bond are left out; a
// molecule is valid if the rest sanitises, is connected, has a bond and no pad, and its SMILES
// parses.
//
// # Networks
//
// The generator maps noise through an MLP to logits of bonds and atoms, from which
// Gumbel-softmax draws. Discriminator and reward network are two Critics of one architecture:
// R-GCN, a gated sum over atoms, an MLP; optionally with GMPool over atoms and EHGNN over
// bonds, whose vectors join the gated sum. EHGNN keeps all pairs as nodes of the dual
// hypergraph, each with the probability that it is a bond as weight. On one-hot graphs that
// is the sparse EHGNN with mean pooling, and its gradient reaches existence and type.
//
// # Losses
//
// The critic is trained as in WGAN-GP (Gulrajani et al. 2017): its loss has the gradient
// of a gradient, which the tape takes exactly. Graphs are symmetric, so the norm of the
// gradient by the bond matrix is that within the symmetric matrices, over all entries. The
// reward network learns the scores of real and generated molecules; the generator has
// λ·(Wasserstein) + (1-λ)·α·(reward) with α the ratio of both as a constant. The losses of the
// code that the authors of EHGNN used are others (Config.ReferenceLoss).
//
// # Determinism
//
// Every iteration draws from streams named after it, so that a run that goes on from a
// checkpoint ends with the same bits, as it does with any number of threads. Rewards of an
// iteration are computed by other threads while the critic is being trained on the same
// molecules.
//
// The package knows molecules by chem.Toolkit, and no data sets, flags or tables.
package molgan
