// Package genetic searches for molecules with high scores by genetic algorithms that need few
// scores.
//
// A call is the scoring of a molecule that was not scored before. A search makes exactly as many
// calls as the budget of its [Config] allows. There are three searches:
//
//   - [GA]: parents are drawn from the best molecules by a log-uniform quantile, a Gaussian process
//     learns all scores so far, and of many children those with the highest upper bounds are scored;
//   - [GraphGA]: Jensen's graph GA, the usual baseline: parents are drawn in proportion to their
//     scores, and the best of parents and children survive;
//   - [Random]: the molecules of the start list in order.
//
// A search has rounds ([Run]). A round depends only on the molecules so far, the seed and the
// number of the round: each child has a random generator seeded by seed, round and its own number,
// so the molecules are the same for any number of threads. Each round is a line of a journal. An
// interrupted run reads the lines and continues with the same molecules as an uninterrupted one.
//
// Without measures against it, GA ends in one family of similar molecules, which is ahead early and
// then supplies all parents. The measures are:
//
//   - the first parents are of several families (families);
//   - a share of the parents is drawn from the best molecules by one part of the score (specialists);
//   - half of a batch is chosen among the children of one parent each (choose);
//   - without progress, a separate population begins with fresh molecules (watch);
//   - if many molecules share the best score, molecules that resemble them count less (crowd), and
//     further molecules with this score count as progress (watch).
//
// The operators are in package operator, the Gaussian process is in package surrogate. The
// [Objective] computes scores and combines several into one number.
package genetic
