// Package proposal learns which bond of a molecule to change. From bonds that were cut or changed
// and the gain in the score, a network predicts the gain for every bond of other molecules,
// separately for each end of the bond that may be kept.
package proposal
