// Package score computes the scores of molecules that searches optimise.
//
// A [Set] has terms, each a number with a weight and a clip, and scores a molecule by their
// weighted mean, as MARS does, or another of [Combinations] ([Set.Target]). A number is one of
// three kinds:
//
//   - a [Property] of a parsed molecule: [QED], [SA], or an [Oracle], a random forest on
//     fingerprints that this package trains on a list of active and inactive molecules and
//     keeps in one file;
//   - a [Command], a program that reads SMILES and answers each with one or several numbers;
//   - a [Run], a trained run of this program.
//
// Score scores many molecules at once. Each is parsed once for all properties, on all threads,
// while programs and runs work in parallel. A Set stores the values of every molecule by its
// SMILES, so callers should pass canonical SMILES. Several goroutines may use a Set.
//
// Other packages propose molecules and choose the list that an oracle is trained on.
package score
