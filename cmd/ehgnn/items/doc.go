// Package items reads the stored predictions of a run, predictions.csv of its folder: the
// items of the test part, each with what is true and what was predicted. Nothing of the data
// or the model is needed.
//
// A Set keeps the table by columns. Besides those of the file each item has the number of its
// row, the part that it is in, and, where something true is stored, its error: of classes the
// probability of the class that was predicted wrongly, 0 where it was right; of numbers and
// labels the largest distance from the true one, of several numbers in deviations of each.
//
// Select answers a Query: which items (Filter), in which order (Sort), from where on (After).
// The order and the cursors of a Set do not change; another Set is of another file. WriteCSV
// writes what Select answers, without pages.
package items
