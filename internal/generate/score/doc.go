// Package score gives molecules the numbers that are optimised.
//
// A [Set] has terms, each a number with a weight and a clip, and scores a molecule by their
// weighted mean, as MARS does, or another of [Combinations] ([Set.Target]). A number is one of three kinds:
//
//   - a [Property] of a parsed molecule: [QED], [SA], or an [Oracle], a random forest on
//     fingerprints that this package trains on a list of active and inactive molecules and
//     keeps in one file;
//   - a [Command], a program that reads SMILES and answers each with one or several numbers;
//   - a [Run], a trained run of this program.
//
// Score takes many molecules at once: each is parsed once for all properties, on all threads,
// while programs and runs work beside. A Set remembers every molecule by its SMILES, so the
// caller passes canonical ones; several goroutines may share it.
//
// What proposes molecules is left to others, as is which list an oracle is trained on.
package score
