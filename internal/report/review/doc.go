// Package review reports on a finished run: report.html, one self-contained page, and README.md, the model card.
//
// Of runs the model on the test part and compares predictions with true values (task.Outcome). The page has, in this
// order:
//
//   - whether the model is good: a verdict (red if no baseline is beaten), at most three findings, and a leaderboard of
//     the model, other trained models and the baselines, by the most important score. Its 95 % intervals, of scores and of
//     paired differences, come from a bootstrap over the groups that the split keeps together, or over the items, or over
//     the graphs if there are many (verdict.go, board.go, contest.go, ranking.go, bootstrap.go);
//   - for two classes, a threshold slider, whose costs are computed on the validation set and shown for the test set, and
//     the curves of the positive class (binary.go); for more classes, the confusion matrix; for numbers, predicted against
//     true values, each number in its own unit (numbers.go);
//   - the learning curves (training.go), the same scores on slices (slices.go), the largest errors with the data columns
//     of the items (worst.go), the columns that model.Auto uses (importance.go);
//   - how the model was trained and how to repeat it (provenance.go).
//
// The page is a report.Document, like those of experiments. The card has measured facts and the author's statement about
// purpose and limits, or says that there is none (card.go).
package review
