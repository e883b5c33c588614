// Package proposal learns which bond of a molecule is worth a change: from bonds that were cut or changed,
// and what the score gained by it, a network predicts the gain for every bond of other molecules, and for each of its ends as
// the one that is kept.
package proposal
