// Package review says what a finished run is worth, for people: report.html, one page without
// scripts and without anything from the network, and README.md, the model card.
//
// Of runs the model over the test part and puts beside each other what it predicts and what is
// true (task.Outcome):
//
//   - scores with 95 % intervals from a bootstrap over what the split keeps together, else over the
//     items, or over the graphs where many
//     graphs hold them, beside what is scored without a model: the most frequent class or the
//     mean of the training part (scores.go, bootstrap.go);
//   - the curves of the training (curves.go);
//   - of classes the confusion matrix, ROC and precision-recall curves and how reliable
//     probabilities are; of numbers the errors (classes.go, numbers.go);
//   - the same score on slices of the items (slices.go);
//   - the worst errors, drawn where the items are graphs (worst.go);
//   - the settings, of which those that were asked for stand out, and where the run was made
//     (provenance.go).
//
// All of it is a report.Document, whose page is that of experiments. The card has measured
// facts and what its author says about purpose and limits, else that nothing is said (card.go).
package review
