// Package report turns results into files and tables that people and programs read.
//
//   - Table holds columns of equal length (ids, predictions, embeddings) and
//     WriteTable stores them as CSV, JSON Lines, Parquet or NPY, chosen by the
//     file's extension. A file is complete or absent.
//   - Comparison puts measured numbers beside the paper's and renders them as
//     Markdown, as text for a terminal, or as JSON.
//   - GridTable shows the same with a row for each system and a column for each data set;
//     cells may be missing.
//   - Chart and DataTable are the drawings and tables of pages, for every width and without a script; number.go
//     formats the numbers of pages.
//   - Document is the whole result of an experiment: such tables and other parts with
//     remarks, as text, Markdown or a page, with files for people and programs.
//   - MeanStd computes the mean and the deviation of both; StudentT and Comparable say
//     which differences are significant, by the paper's rule.
//
// The package does not depend on models or data sets: their names are labels. It does not print; callers decide where
// rendered text goes.
package report
