// Package review says what a finished run is worth, for people: report.html, one page without anything from the network, and
// README.md, the model card.
//
// Of runs the model over the test part and puts beside each other what it predicts and what is true (task.Outcome). The
// page answers in this order:
//
//   - whether the model is good: a verdict, in red where no baseline is beaten, at most three findings, and a leaderboard of
//     the model, what else was trained and the baselines, by the score that matters most, with 95 % intervals of it and of paired differences from a
//     bootstrap over what the split keeps together, else over the items, or over the graphs where many graphs hold them
//     (verdict.go, board.go, contest.go, ranking.go, bootstrap.go);
//   - of two classes the threshold, whose costs are counted on the validation set and shown on the test set, and the curves of the class
//     of interest (binary.go); of more the confusion matrix; of numbers predicted against true, each number in its own
//     unit (numbers.go);
//   - the curves of the training (training.go), the same scores on slices (slices.go), the largest errors with the columns
//     that the data have of them (worst.go), what a run of auto uses (importance.go);
//   - how it was trained and how to do so again (provenance.go).
//
// All of it is a report.Document, whose page is that of experiments. The card has measured
// facts and what its author says about purpose and limits, else that nothing is said (card.go).
package review
