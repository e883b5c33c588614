// Package items reads the stored predictions of a run, predictions.csv in its folder: the items of
// the test part, each with true values and predictions. It does not need the data or the model.
//
// A Set has the table by columns. In addition to the columns of the file, each item has its row
// number, its part and, if the truth is stored, its error. The error of a class is the probability
// of the wrongly predicted class, 0 if the class is correct. The error of numbers and labels is the
// largest distance from the true value; several numbers are measured in their deviations.
//
// Select answers a Query: which items (Filter), in which order (Sort), starting where (After).
// Order and cursors of a Set do not change; a changed file gives a new Set. WriteCSV writes the
// answer of Select without pages.
package items
