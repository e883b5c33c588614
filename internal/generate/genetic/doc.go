// Package genetic searches for molecules with high scores by genetic algorithms that ask for few scores.
//
// A call is a score of a molecule that was not scored before; a [Config] has a budget of calls,
// which is kept exactly. There are three searches:
//
//   - [GA]: parents are drawn from the best molecules by a log-uniform quantile, a Gaussian process
//     learns all scores so far, and of many children those with the highest upper bound are scored;
//   - [GraphGA]: Jensen's graph GA, the usual baseline: parents in proportion to their scores, the best of
//     parents and children survive;
//   - [Random]: the molecules of the start list in order.
//
// A search goes in rounds ([Run]). A round depends on the molecules so far, on the seed and on its
// number alone: each child has a generator seeded by seed, round and number, so the molecules are
// the same for any number of threads. Each round is a line of a journal; a run that was interrupted reads the
// lines and goes on to the molecules that it would have found.
//
// GA would end in one family of similar molecules, which takes all parents because it is ahead early. Against that:
//
//   - the first parents are of several families (families);
//   - a share of the parents is the best by one part of the score (specialists);
//   - half of a batch is chosen among the children of one parent each (choose);
//   - without progress a population of its own begins with fresh molecules (watch);
//   - where many molecules share the best score, those that resemble them count less (crowd), and others that have it are
//     progress (watch).
//
// Operators are those of package operator, the process that of package surrogate; what a score is
// and how several become one number is the [Objective]'s matter.
package genetic
